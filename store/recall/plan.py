"""A recall from end to end: candidates, ranked, chosen, packed and worded. It changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from store.model import Category, Observation
from store.recall.candidates import CandidateSource
from store.recall.links import on_one_scale, with_amendments, with_captured
from store.recall.pack import Chosen, Frame, Packed, pack
from store.recall.profiles import Clean, Layout, Profile, Terms, profile_named
from store.recall.reasons import CONTRADICTIONS, Reason, Verdict
from store.recall.render import SECTIONS, head_of, section_of, words_of
from store.recall.request import Moment, RecallRequest
from store.recall.select import Selection, contradicted, refused, select
from store.recall.session_source import SessionSource
from store.recall.touched import Gone, files_to_touch, none_gone
from store.recall.values import (
    Candidate,
    FileHint,
    Kind,
    Limits,
    Ranked,
    Recall,
    ScoredCandidate,
    by_category,
    family_of,
    filling,
    limits_of,
)
from store.recall.words import (
    Asked,
    Spread,
    asked_for,
    goes_on,
    is_question,
    leading,
    sentences,
    telling,
)
from store.records import first_line
from store.text.content_words import content_words
from store.text.tokens import counter_for

_POOL = 60_000
"""Characters of candidates that are judged at least, however small the budget."""
_NOTE_SHARE, _SMALL_NOTE = 6, 150
"""A note takes at most a sixth of the budget where there are many, its share of it where there are
fewer, and half of a small one up to so many tokens."""
_COMPARED_LEAST, _COMPARED_MOST = 20, 150
"""How many of the best a seed's profile compares for contradictions: those that may come in."""
_FEW_TEXTS = 100
"""Texts that are added to those that are known: a few say little of how common a word is."""
_MOST_ASKED, _MOST_ENDED = 120, 300
"""Characters that are told of what a session was asked, and of how it ended."""
_SAYING = 2
"""Words with a meaning that either has at least: `Updated.` tells nobody anything."""
CodeNames = Callable[[Observation], tuple[tuple[str, ...], float]]
"""The names of code in an observation that the working tree no longer has, and their share of all
such names in it."""


def unknown_tree(observation: Observation) -> tuple[tuple[str, ...], float]:
    """No name is gone: where nothing is known of a working tree."""
    return (), 0.0


class Around(NamedTuple):
    """The sources of a recall beside the index of memories."""

    sessions: SessionSource | None = None
    gone: Gone = none_gone
    stale: CodeNames = unknown_tree


_ALONE = Around()


def recall(
    offers: CandidateSource,
    request: RecallRequest,
    now: datetime,
    *,
    weights: Mapping[str, float] | None = None,
    clean: Clean = lambda observation: observation,
    around: Around = _ALONE,
) -> Recall:
    """Plan the text for a session; a request without a budget gets nothing.

    `weights` replace some of the profile's own; memories come in as `clean` leaves them; what
    was said in sessions was cleaned when it was read.
    Raises `InvalidObservation` for an unknown profile.
    """
    profile = profile_named(request.profile, weights)
    limits = profile.within(limits_of(request.channel, request.budget or 0))
    counter = counter_for(family_of(request.channel), exactly=not request.estimated)
    terms = Terms(profile, limits, counter, offers.handle, clean)
    if limits.tokens <= 0:
        return _nothing(terms, request)
    room = max(_POOL, int(limits.tokens * counter.characters_each))
    filtered = profile.filtered or request.own
    candidates = offers.candidates(request, room, filtered=filtered)
    if profile.layout is Layout.BLOCK:
        from store.recall.block import plan_block

        return plan_block(candidates, request, terms, now)
    if not profile.selects:
        return plan(candidates, request, terms, now)
    sessions = around.sessions
    said = _messages(sessions, request) if sessions is not None else []
    if sessions is not None:
        terms = _of_each(terms, sessions, frozenset(each.observation.id for each in said))
    judged = [_against_code(candidate, around.stale) for candidate in candidates]
    spread = _spread(offers, sessions)
    return plan([*judged, *said], request, terms, now, spread, around)


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
    spread: Spread = lambda stem: 0.0,
    around: Around = _ALONE,
) -> Recall:
    """The recall of given candidates: ranked, chosen, packed and worded. Pure but for `around`."""
    profile, limits = terms.profile, terms.limits
    asked = asked_for(request.text, spread)
    ranked = _ranked(candidates, request, profile, now)
    if profile.selects:
        selection = select(ranked, request, asked, terms.handle)
        files = _files(request, selection, around)
    else:
        selection = _as_ranked(ranked, request, terms)
        files = ()
    notes = _Notes(
        request,
        terms,
        now,
        {candidate.observation.id: candidate for candidate in ranked},
        asked if profile.selects else None,
    )
    packed = pack(
        selection.chosen,
        Frame(request.opening, files, request.last),
        notes.line,
        limits,
        terms.counter,
        note_tokens=_note_tokens(limits, len(selection.chosen)) if profile.selects else None,
        goes_past=profile.selects,
        headings=SECTIONS if profile.layout is Layout.SECTIONS else (),
    )
    scored = _scored(ranked, selection, packed, terms.clean, told_only=request.told_only)
    tokens, counts = by_category(scored)
    said = sum(terms.counter.count(text.partition(": ")[2]) for text in packed.told.values())
    return Recall(
        candidates=scored,
        text=packed.text,
        tokens=packed.tokens,
        tokens_by_category=tokens,
        count_by_category=counts,
        packaging=max(0.0, 1 - said / packed.tokens) if packed.tokens else 0.0,
        left_out=len(packed.missing),
        counter=terms.counter.name,
        profile=profile.name,
        channel=request.channel,
        budget=limits.tokens if request.budget is None else request.budget,
        limits=limits,
        files=packed.files,
    )


def _nothing(terms: Terms, request: RecallRequest) -> Recall:
    """The recall that tells nothing."""
    return Recall(
        profile=terms.profile.name,
        channel=request.channel,
        counter=terms.counter.name,
        limits=terms.limits,
    )


def _note_tokens(limits: Limits, notes: int) -> int:
    return max(limits.tokens // min(_NOTE_SHARE, notes or 1), min(limits.tokens // 2, _SMALL_NOTE))


def _messages(sessions: SessionSource, request: RecallRequest) -> list[Candidate]:
    """The messages that a prompt brings up; the last sessions where it or a start goes on."""
    moment = request.moment
    if moment is Moment.START or (moment is Moment.PROMPT and goes_on(request.task)):
        return [*sessions.newest(request)]
    if moment is Moment.PROMPT:
        return [*sessions.candidates(request)]
    return []


def _of_each(terms: Terms, sessions: SessionSource, said: frozenset[str]) -> Terms:
    """The terms where some of the candidates were `said` in sessions, by their ids: those name
    them, and they are clean.
    """

    def handle(observation: Observation) -> str:
        is_said = observation.id in said
        return sessions.handle(observation) if is_said else terms.handle(observation)

    def clean(observation: Observation) -> Observation:
        return observation if observation.id in said else terms.clean(observation)

    return terms._replace(handle=handle, clean=clean)


def _against_code(candidate: Candidate, stale: CodeNames) -> Candidate:
    gone, share = stale(candidate.observation)
    return candidate._replace(gone=gone, stale=share) if gone else candidate


def _spread(offers: CandidateSource, sessions: SessionSource | None) -> Spread:
    """In how much of all memories and messages a word stands."""
    total = offers.number + (sessions.number if sessions is not None else 0) + _FEW_TEXTS

    def spread(stem: str) -> float:
        said = sessions.having(stem) if sessions is not None else 0
        return (offers.having(stem) + said + 1) / total

    return spread


def _ranked(
    candidates: Sequence[Candidate], request: RecallRequest, profile: Profile, now: datetime
) -> list[Ranked]:
    """The candidates that a profile looks at, best first; the same in whatever order they come."""
    candidates = on_one_scale(sorted(candidates, key=_newest_first))
    if profile.selects:
        candidates = with_captured(with_amendments(candidates))
    admitted = [candidate for candidate in candidates if profile.admits(candidate, request)]
    return profile.rank(admitted, request, now)


def _newest_first(candidate: Candidate) -> tuple[float, str]:
    observation = candidate.observation
    return -observation.timestamp.timestamp(), observation.id


def _as_ranked(ranked: Sequence[Ranked], request: RecallRequest, terms: Terms) -> Selection:
    """All that a seed's profile ranks, pins first, without what is refused or contradicted."""
    out = {
        candidate.observation.id: reason
        for candidate in ranked
        if (reason := refused(candidate.observation, request))
    }
    standing = [candidate for candidate in ranked if candidate.observation.id not in out]
    lengths = (len(candidate.observation.content) for candidate in standing[:_COMPARED_MOST])
    room = terms.limits.tokens * terms.counter.characters_each
    best = standing[: max(_COMPARED_LEAST, filling(lengths, room))]
    undone = contradicted(best, request, terms.handle)
    out |= {
        identifier: reason
        for identifier, reason in undone.items()
        if reason.verdict in CONTRADICTIONS
    }
    standing.sort(key=lambda each: not request.is_pinned(each.observation))
    in_sections = terms.profile.layout is Layout.SECTIONS
    chosen = [
        Chosen(
            candidate.observation,
            Reason(
                Verdict.PINNED if request.is_pinned(candidate.observation) else Verdict.RELEVANT
            ),
            section_of(candidate.observation) if in_sections else "",
        )
        for candidate in standing
        if candidate.observation.id not in out
    ]
    return Selection(chosen, out)


class _Notes:
    """Wordings of memories: whole, or by their first sentences."""

    def __init__(
        self,
        request: RecallRequest,
        terms: Terms,
        now: datetime,
        ranked: Mapping[str, Ranked],
        asked: Asked | None,
    ) -> None:
        self._terms, self._ranked, self._asked = terms, ranked, asked
        self._head = partial(
            head_of, agent=request.agent or request.client, issue=request.issue, now=now
        )
        self._request = request

    def line(self, choice: Chosen, most: int | None) -> str:
        """The line of a note in at most so many tokens; empty where nothing of it fits them."""
        observation = choice.observation
        each = self._ranked[observation.id]
        clean = self._terms.clean(observation)
        text = clean.content
        counter = self._terms.counter
        room = int((most or self._terms.limits.tokens) * counter.characters_each)
        if choice.words:
            text = choice.words
        elif each.kind is Kind.SESSION:
            text = _digest_in_short(text)
        elif self._asked is not None and not choice.whole:
            text = telling(text, self._asked)
        if most is not None and counter.count(text) > most:
            text = leading(sentences(text), room)
        if not text:
            return ""
        mark = "".join(f"({mark}) " for mark in self._marks(each, clean))
        head = self._head(clean, self._terms.handle(observation))
        return f"{head} {words_of(mark + text)}"

    def _marks(self, ranked: Ranked, clean: Observation) -> list[str]:
        """Marks of doubt before a memory; names as its clean text has them."""
        marks = []
        if branch := self._request.unmerged_branch(ranked.observation):
            marks.append(f"on branch {branch}, not merged")
        newer = self._ranked.get(ranked.amended_by)
        if newer is not None:
            day = newer.observation.timestamp
            handle = self._terms.handle(newer.observation)
            marks.append(f"amended {day.day} {day:%b} by {handle}")
        if gone := [name for name in ranked.gone if name in clean.content]:
            marks.append(f"names {', '.join(gone[:2])}: gone from the code")
        return marks


def _digest_in_short(digest: str) -> str:
    """A session's request and end, a sentence or two each."""
    lines = dict(line.partition(": ")[::2] for line in digest.splitlines())
    asked = lines.get("asked", "").partition(" ## ")[0]
    title = asked.partition("# ")[2] or asked
    told = (
        ("asked", first_line(title, _MOST_ASKED)),
        ("ended", leading(sentences(lines.get("ended", "")), _MOST_ENDED)),
    )
    return "; ".join(
        f"{name}: {text}" for name, text in told if len(content_words(text)) >= _SAYING
    )


def _files(request: RecallRequest, selection: Selection, around: Around) -> tuple[FileHint, ...]:
    """The files that a task is likely to touch and nothing that is told names; none for a question,
    or where something is to be run.
    """
    is_task = request.moment is Moment.PROMPT and not is_question(request.task)
    if not is_task or around.sessions is None or not selection.session:
        return ()
    notes = [choice.observation for choice in selection.chosen]
    if notes and notes[0].category == Category.PROCEDURE:
        return ()
    known = "\n".join([request.task, *(note.content for note in notes)])
    sessions = around.sessions.files([selection.session])
    return files_to_touch(sessions, {selection.session: 1.0}, known, around.gone)


def _scored(
    ranked: Sequence[Ranked],
    selection: Selection,
    packed: Packed,
    clean: Clean,
    *,
    told_only: bool,
) -> tuple[ScoredCandidate, ...]:
    """Candidates as the plan lists them: those that are told first, as they stand in the text."""
    chosen = {choice.observation.id: choice.reason for choice in selection.chosen}
    scored = []
    for candidate in ranked:
        identifier = candidate.observation.id
        is_told = identifier in packed.costs
        if told_only and not is_told:
            continue
        if is_told:
            reason = chosen[identifier]
        else:
            reason = (
                packed.missing.get(identifier)
                or selection.out.get(identifier)
                or Reason(Verdict.NOT_ABOUT)
            )
        scored.append(
            ScoredCandidate(
                clean(candidate.observation),
                candidate.score,
                candidate.factors,
                is_told,
                reason,
                packed.costs.get(identifier, 0),
                packed.told.get(identifier, "").partition(": ")[2],
                candidate.kind,
            )
        )
    shown = list(packed.costs)
    fits = selection.fits
    scored.sort(
        key=lambda row: (
            shown.index(row.observation.id) if row.included else len(shown),
            -fits.get(row.observation.id, 0.0),
        )
    )
    return tuple(scored)
