"""A recall from end to end: candidates, ranked, chosen, packed and worded. It changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from store.model import Observation
from store.recall.amendments import with_amendments
from store.recall.candidates import CandidateSource
from store.recall.notes import NoteWriter
from store.recall.pack import Chosen, Frame, Packed, pack
from store.recall.profiles import Clean, Layout, Profile, Terms, profile_named
from store.recall.query_terms import (
    DocumentShare,
    QueryTerms,
    is_continuation,
    is_question,
    query_terms,
)
from store.recall.ranking import ANSWER, in_best_shares, with_answers
from store.recall.reasons import Reason, Verdict
from store.recall.render import SECTIONS, section_of
from store.recall.request import Moment, RecallRequest
from store.recall.select import Selection, select, uncontradicted
from store.recall.sources import SessionSource, Sources
from store.recall.touched import Gone, files_to_touch
from store.recall.values import (
    Candidate,
    FileHint,
    Kind,
    Limits,
    Recall,
    ScoredCandidate,
    by_category,
    family_of,
    limits_of,
)
from store.text.tokens import counter_for

_NOTE_SHARE, _SMALL_NOTE = 6, 150
"""A note takes at most a sixth of the budget where there are many, its share of it where there are
fewer, and half of a small one up to so many tokens."""
_FEW_TEXTS = 100
"""Texts that are added to those that are known: a few say little of how common a word is."""
_NO_SOURCES = Sources()


def recall(
    offers: CandidateSource,
    request: RecallRequest,
    now: datetime,
    *,
    weights: Mapping[str, float] | None = None,
    clean: Clean = lambda observation: observation,
    sources: Sources = _NO_SOURCES,
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
    candidates = offers.candidates(request, filtered=profile.filtered or request.own)
    if profile.layout is Layout.BLOCK:
        from store.recall.block import plan_block

        return plan_block(candidates, request, terms, now)
    if not profile.selects:
        return plan(candidates, request, terms, now)
    judged = [_against_code(candidate, sources) for candidate in candidates]
    sessions: Sequence[Candidate] = ()
    if sources.sessions is not None:
        sessions = _sessions(sources.sessions, request)
        terms = _with_sessions(terms, sources.sessions, sessions)
    document_share = _document_share(offers, sources.sessions)
    return plan([*judged, *sessions], request, terms, now, document_share, sources)


def rank(
    offers: CandidateSource,
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float] | None = None,
) -> list[Candidate]:
    """Return the memories that have words of a request, best first, as stored: a caller cleans what
    it shows of them. Raises as `recall`.
    """
    profile = profile_named(request.profile, weights)
    found = offers.relevant(request, filtered=profile.filtered or request.own)
    return profile.rank(in_best_shares(found), request, now)


def plan(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    terms: Terms,
    now: datetime,
    document_share: DocumentShare = lambda stem: 0.0,
    sources: Sources = _NO_SOURCES,
) -> Recall:
    """The recall of given candidates: ranked, chosen, packed and worded. Pure but for `sources`."""
    profile, limits = terms.profile, terms.limits
    asked = query_terms(request.text, document_share)
    ranked = _ranked(candidates, request, profile, now, asked)
    if profile.selects:
        selection = select(ranked, request, terms.handle)
        files = _files(request, ranked, sources.gone)
    else:
        selection = _as_ranked(ranked, request, terms)
        files = ()
    packed = pack(
        selection.chosen,
        Frame(request.opening, files, request.last),
        NoteWriter(ranked, request, terms, asked, now).line,
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
    return Recall(
        profile=terms.profile.name,
        channel=request.channel,
        counter=terms.counter.name,
        limits=terms.limits,
    )


def _note_tokens(limits: Limits, notes: int) -> int:
    return max(limits.tokens // min(_NOTE_SHARE, notes or 1), min(limits.tokens // 2, _SMALL_NOTE))


def _sessions(source: SessionSource, request: RecallRequest) -> Sequence[Candidate]:
    """Return the sessions that a prompt brings up; the last ones where it or a start goes on."""
    moment = request.moment
    if moment is Moment.START or (moment is Moment.PROMPT and is_continuation(request.task)):
        return source.newest(request)
    return source.candidates(request) if moment is Moment.PROMPT else ()


def _with_sessions(terms: Terms, source: SessionSource, sessions: Sequence[Candidate]) -> Terms:
    """The terms where some candidates are sessions: the source names them, and they are clean."""
    ids = {session.observation.id for session in sessions}

    def handle(observation: Observation) -> str:
        return (source if observation.id in ids else terms).handle(observation)

    def clean(observation: Observation) -> Observation:
        return observation if observation.id in ids else terms.clean(observation)

    return terms._replace(handle=handle, clean=clean)


def _against_code(candidate: Candidate, sources: Sources) -> Candidate:
    drift = sources.drift(candidate.observation)
    return candidate._replace(drift=drift) if drift.is_drifted else candidate


def _document_share(offers: CandidateSource, sessions: SessionSource | None) -> DocumentShare:
    total = offers.number + (sessions.messages if sessions is not None else 0) + _FEW_TEXTS

    def document_share(stem: str) -> float:
        in_messages = sessions.having(stem) if sessions is not None else 0
        return (offers.having(stem) + in_messages + 1) / total

    return document_share


def _ranked(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    profile: Profile,
    now: datetime,
    asked: QueryTerms,
) -> list[Candidate]:
    """The candidates that a profile looks at, best first; the same in whatever order they come."""
    candidates = in_best_shares(sorted(candidates, key=_newest_first))
    if profile.selects:
        is_prompt = request.moment is Moment.PROMPT
        if is_prompt:
            candidates = with_answers(candidates, asked)
        candidates = with_amendments(candidates)
        if is_prompt and not is_continuation(request.task):
            # The others neither have words of the prompt nor amend what has.
            candidates = [
                one for one in candidates if one.signals or request.is_pinned(one.observation)
            ]
    admitted = [candidate for candidate in candidates if profile.matches(candidate, request)]
    return profile.rank(admitted, request, now)


def _newest_first(candidate: Candidate) -> tuple[float, str]:
    observation = candidate.observation
    return -observation.timestamp.timestamp(), observation.id


def _as_ranked(ranked: Sequence[Candidate], request: RecallRequest, terms: Terms) -> Selection:
    """All that a seed's profile ranks, pins first, without what is refused or contradicted."""
    standing, out = uncontradicted(ranked, request, terms.handle)
    standing.sort(key=lambda candidate: not request.is_pinned(candidate.observation))
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
    ]
    return Selection(chosen, out)


def _files(request: RecallRequest, ranked: Sequence[Candidate], gone: Gone) -> tuple[FileHint, ...]:
    """Return the files that a task is likely to touch; none for a question, or where no session did
    something like it.
    """
    sessions = [candidate for candidate in ranked if candidate.kind is Kind.SESSION]
    is_task = request.moment is Moment.PROMPT and not is_question(request.task)
    is_known = any(ANSWER in session.signals for session in sessions)
    return files_to_touch(sessions, request.task, gone) if is_task and is_known else ()


def _scored(
    ranked: Sequence[Candidate],
    selection: Selection,
    packed: Packed,
    clean: Clean,
    *,
    told_only: bool,
) -> tuple[ScoredCandidate, ...]:
    """Return the candidates of the plan: the injected first, in the order of the text."""
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
                candidate.observation,
                clean,
                candidate.score,
                candidate.factors,
                is_told,
                reason,
                packed.costs.get(identifier, 0),
                packed.told.get(identifier, "").partition(": ")[2],
                candidate.kind,
                candidate.drift,
            )
        )
    order = {identifier: at for at, identifier in enumerate(packed.costs)}
    scored.sort(key=lambda row: order.get(row.id, len(order)))
    return tuple(scored)
