"""A recall from end to end: candidates, ranked, packed and worded. It changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from datetime import datetime
from typing import NamedTuple

from store.model import Observation
from store.recall.candidates import CandidateSource
from store.recall.caveats import amendments, with_caveats
from store.recall.counted import pack_counted
from store.recall.extras import extras_for
from store.recall.files import subjects_of
from store.recall.injector import Packed, pack
from store.recall.links import on_one_scale, with_amendments, with_captured
from store.recall.outcome import by_category, compared, kept_out, scored
from store.recall.pins import pins_first
from store.recall.profiles import Layout, Profile, profile_named
from store.recall.request import RecallRequest
from store.recall.session_files import NO_FILES, FilesOfSessions
from store.recall.session_source import SessionSource, newest_of_sessions
from store.recall.terms import Clean, Terms
from store.recall.touched import Gone, files_remembered, files_to_touch, none_gone
from store.recall.values import (
    NO_SIGNALS,
    Candidate,
    Choice,
    FileHint,
    Ranked,
    Recall,
    family_of,
    limits_of,
)
from store.text.tokens import counter_for

_POOL = 60_000
"""Characters of candidates that are judged at least, however small the budget: on later sessions a
pool that shrank with a budget of 1,500 tokens cost 7.8 points of the files found. With 90,000 the
same was found (49.8 and 63.5% of the files for 49.9 and 63.4%), in more time; with 45,000 a point
less was told."""
_SAID_SHARE = 0.5
"""The most of the pool that what was said in sessions takes of the memories' room: with a room of
their own beside it `tests.bench.sde` said 89.0% for 89.3%, `tests.bench.swe` named as many files,
and a plan beside 300 sessions took a tenth longer."""


class Touched(NamedTuple):
    """The files of earlier sessions, how much (0 to 1) each session is about the task, and which
    files are gone.
    """

    files: FilesOfSessions = NO_FILES
    likeness: Mapping[str, float] = NO_SIGNALS
    gone: Gone = none_gone


NOTHING_TOUCHED = Touched()


def recall(
    offers: CandidateSource,
    request: RecallRequest,
    now: datetime,
    *,
    weights: Mapping[str, float] | None = None,
    clean: Clean = lambda observation: observation,
    sessions: SessionSource | None = None,
    choose: Choice | None = None,
    expect: Callable[[Sequence[Observation]], None] = lambda observations: None,
    gone: Gone = none_gone,
) -> Recall:
    """What would be put in front of a session; a request without a budget gets nothing.

    `weights` replace some of the profile's own; memories come in as `clean` leaves them, `expect`
    being told first which; what was said in `sessions` was cleaned when it was read. With `choose`,
    only what it names is told; files that are `gone` are not.
    Raises `InvalidObservation` for an unknown profile.
    """
    profile = profile_named(request.profile, weights)
    limits = profile.within(limits_of(request.channel, request.budget or 0))
    counter = counter_for(family_of(request.channel), exactly=not request.estimated)
    terms = Terms(profile, limits, counter, offers.handle, clean)
    if limits.tokens <= 0:
        return _nothing(terms, request)
    room = max(_POOL, terms.room)
    said = sessions.candidates(request) if profile.fills and sessions is not None else ()
    filtered = profile.filtered or request.own
    candidates = offers.candidates(request, _beside(said, room), filtered=filtered)
    if choose is None and not request.told_only:
        expect([it.observation for it in candidates])
    if profile.layout is Layout.BLOCK and choose is None:
        from store.recall.block import plan_block

        return plan_block(candidates, request, terms, now)
    if not profile.fills or sessions is None:
        touched = Touched(gone=gone) if profile.fills else None
        return plan(candidates, request, terms, now, touched, choose)
    said = said or newest_of_sessions(sessions, request, candidates)
    terms = _of_each(terms, sessions, {it.observation.id for it in said})
    touched = _touched(sessions, request, gone)
    return plan([*candidates, *said], request, terms, now, touched, choose)


def _of_each(terms: Terms, sessions: SessionSource, said: Set[str]) -> Terms:
    """The terms where some of the candidates were `said` in sessions, by their ids: those name
    them, and they are clean.
    """

    def handle(observation: Observation) -> str:
        is_said = observation.id in said
        return sessions.handle(observation) if is_said else terms.handle(observation)

    def clean(observation: Observation) -> Observation:
        return observation if observation.id in said else terms.clean(observation)

    return terms._replace(handle=handle, clean=clean)


def _beside(said: Sequence[Candidate], room: int) -> int:
    """The room for memories, in characters, beside what was said in sessions."""
    return room - min(int(room * _SAID_SHARE), sum(len(it.observation.content) for it in said))


def _touched(sessions: SessionSource, request: RecallRequest, gone: Gone) -> Touched:
    """What sessions touched, where something says what is asked for."""
    if not request.text.strip():
        return NOTHING_TOUCHED
    return Touched(sessions.files(), sessions.likeness(request), gone)


def rank(
    offers: CandidateSource,
    request: RecallRequest,
    now: datetime,
    room: int,
    weights: Mapping[str, float] | None = None,
) -> list[Ranked]:
    """The memories that a request brings up, best first, of a pool of `room` characters or so.

    They are as they stand: what is told of them is to be cleaned. Raises as `recall`.
    """
    profile = profile_named(request.profile, weights)
    candidates = offers.candidates(request, room, filtered=profile.filtered or request.own)
    return _ranked(candidates, request, profile, now)


def plan(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    terms: Terms,
    now: datetime,
    touched: Touched | None = NOTHING_TOUCHED,
    choose: Choice | None = None,
) -> Recall:
    """The recall of given candidates: ranked, weeded, packed and worded. Pure.

    `touched` are the files of earlier sessions; None tells no files at all. What `choose` does not
    name is muted, and not listed.
    """
    profile, limits, counter, handle, clean = terms
    room = terms.room
    ranked = _ranked(candidates, request, profile, now)
    chosen = choose(ranked) if choose else {it.observation.id for it in ranked}
    if choose and not chosen:
        return _nothing(terms, request)
    request = _muting(request, ranked, chosen)
    out = kept_out(ranked, request, handle, compared(ranked, room) if profile.fills else 0)
    ranked, pinned, leading = pins_first(ranked, request, room)
    packable = [it for it in ranked if it.observation.id not in out]
    files = _files(touched, ranked, request, clean)
    extras = extras_for(files, request, limits, counter)
    worded = terms._replace(clean=with_caveats(clean, request, amendments(ranked, handle)))
    packed, scale = pack_counted(
        lambda by: pack(packable, worded._replace(counter=by), pinned, extras), counter, limits
    )
    told = scored(_listed(ranked, request, packed, chosen), clean, packed, out, leading, pinned)
    tokens, counts = by_category(told)
    return Recall(
        candidates=told,
        text=packed.text,
        tokens=packed.tokens,
        tokens_by_category=tokens,
        count_by_category=counts,
        packaging=packed.packaging,
        left_out=len(packable) - len(packed.costs),
        counter=counter.name,
        scale=scale,
        profile=profile.name,
        channel=request.channel,
        budget=limits.tokens if request.budget is None else request.budget,
        limits=limits,
        files=tuple(files[: max(0, len(extras.files) - 1)]) if packed.text else (),
    )


def _nothing(terms: Terms, request: RecallRequest) -> Recall:
    """The recall that tells nothing."""
    return Recall(
        profile=terms.profile.name,
        channel=request.channel,
        counter=terms.counter.name,
        limits=terms.limits,
    )


def _listed(
    ranked: Sequence[Ranked], request: RecallRequest, packed: Packed, chosen: Collection[str]
) -> list[Ranked]:
    """Those that the plan lists: for it each is cleaned, which takes long where texts are new."""
    wanted = packed.costs if request.told_only else chosen
    return [it for it in ranked if it.observation.id in wanted]


def _muting(
    request: RecallRequest, ranked: Sequence[Ranked], chosen: Collection[str]
) -> RecallRequest:
    """The request with every candidate muted that was not chosen."""
    beside = {it.observation.id for it in ranked}.difference(chosen)
    return request._replace(muted=request.muted | beside)


def _ranked(
    candidates: Sequence[Candidate], request: RecallRequest, profile: Profile, now: datetime
) -> list[Ranked]:
    """The candidates that a profile looks at, best first; the same in whatever order they come."""
    candidates = on_one_scale(sorted(candidates, key=_newest_first))
    if profile.fills:
        candidates = with_amendments(with_captured(candidates))
    return profile.rank([it for it in candidates if profile.admits(it, request)], request, now)


def _newest_first(candidate: Candidate) -> tuple[float, str]:
    observation = candidate.observation
    return -observation.timestamp.timestamp(), observation.id


def _files(
    touched: Touched | None, ranked: Sequence[Ranked], request: RecallRequest, clean: Clean
) -> list[FileHint]:
    """The files that the task may touch, by sessions and by memories of sessions not kept; none
    where nothing says what it is about.
    """
    if touched is None or not request.text.strip():
        return []
    files, likeness, gone = touched

    def told_by(ranked: Sequence[Ranked]) -> list[FileHint]:
        remembered = files_remembered(ranked, files.sessions)
        return files_to_touch(files, likeness, remembered, request.text, gone=gone)

    found = told_by(ranked)
    named = {_name(name) for it in found for name in (it.path, *it.why)}
    naming = [it for it in ranked if not named.isdisjoint(map(_name, subjects_of(it.observation)))]
    # Of those that name none of these it makes no difference, and to clean all takes long.
    if all(clean(it.observation) == it.observation for it in naming):
        return found
    return told_by([it._replace(observation=clean(it.observation)) for it in ranked])


def _name(path: str) -> str:
    """The last part of a path, also of one that a file is told `with`."""
    return path.rpartition("/")[2].removeprefix("with ")
