"""A recall from end to end: candidates, ranked, packed and worded. It changes nothing."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from store.model import Observation
from store.recall.beside import told_beside
from store.recall.candidates import CandidateSource
from store.recall.counted import pack_counted
from store.recall.injector import Clean, Handle, Packed, pack
from store.recall.links import on_one_scale, with_amendments, with_captured
from store.recall.overlaps import giving_way
from store.recall.pins import pins_first
from store.recall.profiles import Layout, Profile, profile_named
from store.recall.reasons import Reason, Verdict
from store.recall.request import RecallRequest
from store.recall.session_source import SessionSource, offered_by_sessions
from store.recall.touched import (
    NO_FILES,
    FilesOfSessions,
    files_remembered,
    files_to_touch,
)
from store.recall.values import (
    NO_SIGNALS,
    Candidate,
    Choice,
    FileHint,
    Kind,
    Limits,
    Ranked,
    Recall,
    ScoredCandidate,
    family_of,
    filling,
    limits_of,
)
from store.text.tokens import Counter, counter_for

_COMPARED_LEAST, _COMPARED_MOST = 20, 150
"""How many of the best are looked at for repeats and contradictions: those that may come in."""
_POOL = 90_000
"""Characters of candidates that are judged at least, however small the budget: on later sessions a
pool that shrank with a budget of 1,500 tokens cost 7.8 points of the files found."""


class Touched(NamedTuple):
    """The files of earlier sessions, and how much (0 to 1) each session is about the task."""

    files: FilesOfSessions = NO_FILES
    likeness: Mapping[str, float] = NO_SIGNALS


NOTHING_TOUCHED = Touched()


def recall(
    offers: CandidateSource,
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float] | None = None,
    clean: Clean = lambda observation: observation,
    sessions: SessionSource | None = None,
    choose: Choice | None = None,
) -> Recall:
    """What would be put in front of a session; a request without a budget gets nothing.

    `weights` replace some of the profile's own; memories come in as `clean` leaves them, what was
    said in `sessions` was cleaned when it was read. With `choose`, only what it names is told.
    Raises `InvalidObservation` for an unknown profile.
    """
    profile = profile_named(request.profile, weights)
    limits = profile.within(limits_of(request.channel, request.budget or 0))
    counter = counter_for(family_of(request.channel), exactly=not request.estimated)
    if limits.tokens <= 0:
        return _nothing(profile, request, limits, counter)
    room = max(_POOL, limits.room(counter.characters_each))
    candidates = offers.candidates(request, room, filtered=profile.filtered or request.own)
    if profile.layout is Layout.BLOCK and choose is None:
        from store.recall.block import plan_block

        return plan_block(candidates, request, profile, limits, counter, now, clean)
    if not profile.fills or sessions is None:
        touched = NOTHING_TOUCHED if profile.fills else None
        return plan(
            candidates, request, profile, limits, counter, offers.handle, now, clean, touched,
            choose=choose,
        )  # fmt: skip
    candidates = [*candidates, *offered_by_sessions(sessions, request, candidates)]
    others = {it.observation.id for it in candidates if it.kind is not Kind.MEMORY}

    def handle(observation: Observation) -> str:
        return (sessions if observation.id in others else offers).handle(observation)

    def cleaned(observation: Observation) -> Observation:
        return observation if observation.id in others else clean(observation)

    def shortened(it: Observation) -> Observation:
        return sessions.shortened(it, request) if it.id in others else it

    touched = _touched(sessions, request)
    return plan(
        candidates, request, profile, limits, counter, handle, now, cleaned, touched, shortened,
        choose,
    )  # fmt: skip


def _touched(sessions: SessionSource, request: RecallRequest) -> Touched:
    """What sessions touched, where something says what is asked for."""
    if not request.text.strip():
        return NOTHING_TOUCHED
    return Touched(sessions.files(), sessions.likeness(request))


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
    profile: Profile,
    limits: Limits,
    counter: Counter,
    handle: Handle,
    now: datetime,
    clean: Clean = lambda observation: observation,
    touched: Touched | None = NOTHING_TOUCHED,
    shortened: Clean = lambda observation: observation,
    choose: Choice | None = None,
) -> Recall:
    """The recall of given candidates: ranked, weeded, packed and worded. Pure.

    `touched` are the files of earlier sessions; None tells no files at all. What is told in short
    is the summary that `shortened` leaves. What `choose` does not name is muted, and not listed.
    """
    room = limits.room(counter.characters_each)
    ranked = _ranked(candidates, request, profile, now)
    chosen = choose(ranked) if choose else {it.observation.id for it in ranked}
    if choose and not chosen:
        return _nothing(profile, request, limits, counter)
    request = _muting(request, ranked, chosen)
    out = _kept_out(ranked, request, handle, _compared(ranked, room) if profile.fills else 0)
    ranked, pinned, leading = pins_first(ranked, request, room)
    packable = [it for it in ranked if it.observation.id not in out]
    files = [] if touched is None else _files(touched, ranked, request)
    beside = told_beside(files, request, limits, counter)
    worded = _wording(clean, request, _amendments(ranked, handle))
    packed, scale = pack_counted(
        lambda by: pack(packable, profile, limits, by, handle, pinned, worded, *beside),
        counter,
        limits,
    )
    scored = tuple(_scored(it, clean, packed, out, leading, pinned) for it in _only(ranked, chosen))
    tokens, counts = _by_category(scored)
    return Recall(
        candidates=scored,
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
        files=tuple(files[: max(0, len(beside.files) - 1)]) if packed.text else (),
    )


def _nothing(profile: Profile, request: RecallRequest, limits: Limits, counter: Counter) -> Recall:
    """The recall that tells nothing."""
    return Recall(
        profile=profile.name, channel=request.channel, counter=counter.name, limits=limits
    )


def _only(ranked: Sequence[Ranked], chosen: Collection[str]) -> list[Ranked]:
    """Those that the plan lists: for it each is cleaned, which takes long where texts are new."""
    return [it for it in ranked if it.observation.id in chosen]


def _muting(
    request: RecallRequest, ranked: Sequence[Ranked], chosen: Collection[str]
) -> RecallRequest:
    """The request with every candidate muted that was not chosen."""
    beside = {it.observation.id for it in ranked}.difference(chosen)
    return request._replace(muted=request.muted | beside)


def _ranked(
    candidates: Sequence[Candidate], request: RecallRequest, profile: Profile, now: datetime
) -> list[Ranked]:
    """The candidates that a profile looks at, best first."""
    candidates = on_one_scale(candidates)
    if profile.fills:
        candidates = with_amendments(with_captured(candidates))
    return profile.rank([it for it in candidates if profile.admits(it, request)], request, now)


def _files(touched: Touched, ranked: Sequence[Ranked], request: RecallRequest) -> list[FileHint]:
    """The files that the task may touch, by sessions and by memories of sessions not kept; none
    where nothing says what it is about.
    """
    if not request.text.strip():
        return []
    remembered = files_remembered(ranked, touched.files.sessions)
    return files_to_touch(touched.files, touched.likeness, remembered, request.text)


def _compared(ranked: Sequence[Ranked], room: int) -> int:
    """How many of the best could come into the text."""
    lengths = (len(it.observation.content) for it in ranked[:_COMPARED_MOST])
    return max(_COMPARED_LEAST, filling(lengths, room))


def _kept_out(
    ranked: Sequence[Ranked], request: RecallRequest, handle: Handle, compared: int
) -> dict[str, Reason]:
    """Why some stay out whatever the room: muted, told already, or giving way to a newer one."""
    out: dict[str, Reason] = {}
    memories = {it.observation.id: it.observation for it in ranked}
    standing: list[Observation] = []
    for it in ranked:
        observation = it.observation
        if request.is_muted(observation):
            out[observation.id] = Reason(Verdict.MUTED)
        elif observation.id in request.given:
            out[observation.id] = Reason(Verdict.INJECTED)
        elif request.session_id and observation.session_id == request.session_id:
            out[observation.id] = Reason(Verdict.OWN)
        elif it.kept_as:
            out[observation.id] = Reason(Verdict.KEPT_AS, handle(memories[it.kept_as]))
        else:
            standing.append(observation)
    pinned = {it.id for it in standing if request.is_pinned(it)}
    for identifier, (why, newer) in giving_way(standing[:compared]).items():
        if identifier not in pinned:
            out[identifier] = Reason(why, handle(newer))
    return out


def _scored(
    it: Ranked,
    clean: Clean,
    packed: Packed,
    out: Mapping[str, Reason],
    leading: frozenset[str],
    pinned: frozenset[str],
) -> ScoredCandidate:
    observation = clean(it.observation)
    identifier = observation.id
    included = identifier in packed.costs
    crowded = Reason(Verdict.PINS_FULL) if identifier in pinned - leading else None
    full = packed.reasons.get(identifier, Reason(Verdict.BUDGET_FULL))
    reason = out.get(identifier) or crowded or full
    if included:
        reason = Reason(Verdict.PINNED if identifier in leading else Verdict.RELEVANT)
    return ScoredCandidate(
        observation=observation,
        score=it.score,
        factors=it.factors,
        included=included,
        reason=reason,
        tokens=packed.costs.get(identifier, 0),
        text=packed.told.get(identifier, ""),
        kind=it.kind,
    )


def _amendments(ranked: Sequence[Ranked], handle: Handle) -> dict[str, str]:
    """For the id of each that another candidate amends: when, and how that one is named."""
    known = {it.observation.id: it.observation for it in ranked}
    found = {}
    for it in ranked:
        newer = known.get(it.amended_by)
        if newer is not None:
            day = newer.timestamp
            found[it.observation.id] = f"amended {day.day} {day:%b} by {handle(newer)}"
    return found


def _wording(clean: Clean, request: RecallRequest, amends: Mapping[str, str]) -> Clean:
    """Cleans an observation, and marks it."""
    return lambda it: _marked(clean(it), request, amends.get(it.id, ""))


def _marked(observation: Observation, request: RecallRequest, amended: str) -> Observation:
    """An observation that says where it was learned, where that branch is not merged, and that it
    was amended.
    """
    branch = request.unmerged_branch(observation)
    marks = [
        mark for mark in (f"on branch {branch}, not merged" if branch else "", amended) if mark
    ]
    if not marks:
        return observation
    said = f"({'; '.join(marks)}) "
    return observation._replace(
        content=said + observation.content, summary=said + observation.summary
    )


def _by_category(scored: Sequence[ScoredCandidate]) -> tuple[dict[str, int], dict[str, int]]:
    """The tokens, and the number, of what is told, by category."""
    tokens: Tally[str] = Tally()
    counts: Tally[str] = Tally()
    for it in scored:
        if it.included:
            tokens[it.observation.category] += it.tokens
            counts[it.observation.category] += 1
    return dict(tokens), dict(counts)
