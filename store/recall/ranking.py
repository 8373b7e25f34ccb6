"""The ranking of memtui's own profile: five factors, which add up to a candidate's score. Pure.

`docs/bench/recall.md` has what each is worth.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from math import log
from types import MappingProxyType

from store.model import LAYER_OF, Category, Layer
from store.recall.excerpt import terms_in_excerpt, topic_of
from store.recall.files import subjects_of, words_of_path
from store.recall.query_terms import QueryTerms
from store.recall.request import RecallRequest
from store.recall.session_notes import same_request_note
from store.recall.values import Candidate, Kind, weighted
from store.search.relevance import stems_of

ANSWER = "answer"
"""The factor that says how well a candidate answers a prompt."""
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        ANSWER: 0.3,
        "relevance": 0.3,
        "path": 0.8,
        "session": 0.35,
        "recency": 0.3,
    }
)
"""What each factor counts for; `settings.recall_weights` may change any of them."""

_SHARED_BY_CHANCE: Mapping[Kind, float] = MappingProxyType({Kind.MEMORY: 6.2, Kind.SESSION: 18.0})
"""The weight of terms that a candidate may share by chance with a prompt about something else: for
a memory that of one of 500 texts; for a session, which speaks of much, three times that."""
LEAST_ANSWER = 0.165
"""How well (0 to 1) a memory or session must answer a prompt to be injected."""
_TELLING_PROMPT: Mapping[Kind, float] = MappingProxyType({Kind.MEMORY: 3.0, Kind.SESSION: 9.0})
"""The weight of its terms from which a prompt says what it is about: for a memory that of a word of
one in 20 texts, with less it is one such as "can we fix this?"; and from which it may be the same
request as a session's: "commit this please" is asked again and again (`tests.bench.worth`)."""
_RECENT_DAYS = 30.0
"""Days after which `recency` is a half (as in SPEC-29)."""
_DAY = timedelta(days=1)
_HOLDS = 0.1
_AGING = {
    str(category): _HOLDS
    for category, layer in LAYER_OF.items()
    if layer in (Layer.SEMANTIC, Layer.PROCEDURAL)
}
"""What happened fades; what is known holds until something newer contradicts it: its age moves it
little from the middle."""
_MIDDLE = 0.5


def with_answers(candidates: Sequence[Candidate], terms: QueryTerms) -> list[Candidate]:
    """Return the candidates with how well (0 to 1) each answers a prompt of these terms: the share
    of them that its excerpt and that its topic have, times how far its own words stand out from
    the most relevant ones of another session. Of a session, what would be recalled of it is the
    excerpt. A handoff answers no prompt.
    """
    leading = sorted(candidates, key=_own, reverse=True)
    return [
        candidate._replace(signals={**candidate.signals, ANSWER: answer})
        if (answer := _answer(candidate, terms, leading))
        else candidate
        for candidate in candidates
    ]


def _own(candidate: Candidate) -> float:
    return candidate.signals.get("bm25", 0.0)


def _distinctness(candidate: Candidate, leading: Sequence[Candidate]) -> float:
    """Return how relevant a candidate's own words are (0 to 1), as a share of that and of the most
    relevant one of its kind from another session: a half where two are alike.
    """
    session, own = candidate.observation.session_id, _own(candidate)
    others = (
        _own(other)
        for other in leading
        if other.kind is candidate.kind
        and other is not candidate
        and (not session or other.observation.session_id != session)
    )
    return own / (own + next(others, 0.0))


def _is_asked_for(candidate: Candidate, terms: QueryTerms) -> bool:
    """Return whether a few common words ask for it: "run the tests" for a procedure."""
    return candidate.observation.category == Category.PROCEDURE and len(terms.weights) > 1


def _answer(candidate: Candidate, terms: QueryTerms, leading: Sequence[Candidate]) -> float:
    content = candidate.observation.content
    if not _own(candidate) or candidate.observation.category == Category.HANDOFF:
        return 0.0
    total, is_asked_for = terms.weight(terms.weights), _is_asked_for(candidate, terms)
    if total < _TELLING_PROMPT[candidate.kind] and not is_asked_for:
        return 0.0
    enough = 0.0 if is_asked_for else min(_SHARED_BY_CHANCE[candidate.kind], total)
    shared, distinct = terms.shared(content), _distinctness(candidate, leading)
    most = terms.share(shared) * distinct if terms.weight(shared) >= enough else 0.0
    if most < LEAST_ANSWER:
        return most  # as for most: in whichever sentences, it answers too little to be recalled
    in_excerpt = (
        terms.shared(same_request_note(content))
        if candidate.kind is Kind.SESSION
        else terms_in_excerpt(candidate.observation, terms)
    )
    in_topic = terms.shared(topic_of(content))
    if terms.weight(in_excerpt | in_topic) < enough:
        return 0.0
    return (terms.share(in_excerpt) + terms.share(in_topic)) / 2 * distinct


def in_best_shares(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with each signal as a share of the best of its kind."""
    best: dict[tuple[Kind, str], float] = defaultdict(float)
    for candidate in candidates:
        for name, value in candidate.signals.items():
            best[candidate.kind, name] = max(value, best[candidate.kind, name])
    return [
        candidate._replace(
            signals={
                name: value / (best[candidate.kind, name] or 1.0)
                for name, value in candidate.signals.items()
            }
        )
        if candidate.signals
        else candidate
        for candidate in candidates
    ]


def memtui(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float],
) -> list[dict[str, float]]:
    """Return the weighted factors of each candidate, signals included.

    `answer`: how well it answers a prompt. `relevance`: BM25 of the words asked, blended with what
    was said around. `path`: the share of the words of its files' paths that stand in the request,
    rare ones weighing more; the more files, the smaller. `session`: from the last session of the
    issue asked for.
    """
    paths = [
        subjects_of(candidate.observation) if candidate.kind is Kind.MEMORY else ()
        for candidate in candidates
    ]
    last = _last_session(candidates, request)
    return [
        weighted(
            {
                **candidate.signals,
                "path": path,
                "session": float(bool(last) and candidate.observation.session_id == last),
                "recency": _recency(candidate, now),
            },
            weights,
        )
        for candidate, path in zip(candidates, _asked_shares(paths, request.text), strict=True)
    ]


def _asked_shares(subjects: Sequence[Sequence[str]], text: str) -> Iterator[float]:
    """Yield for the paths of each candidate the share (0 to 1) of their words that were asked for,
    by how rare each is.
    """
    asked, known = stems_of(text), {path for paths in subjects for path in paths}
    spread = Counter(word for path in known for word in words_of_path(path))
    rarity = {word: log(1 + len(known) / (number + 0.5)) for word, number in spread.items()}
    for paths in subjects:
        words = frozenset().union(*map(words_of_path, paths))
        shared = sum(map(rarity.__getitem__, words & asked))
        yield shared / sum(map(rarity.__getitem__, words)) if shared else 0.0


def _last_session(candidates: Sequence[Candidate], request: RecallRequest) -> str:
    """Return the session that worked on the issue last; none where no issue is asked for."""
    if not request.issue:
        return ""
    of_issue = [
        candidate.observation
        for candidate in candidates
        if candidate.observation.issue_number == request.issue and candidate.observation.session_id
    ]
    newest = max(of_issue, key=lambda one: one.timestamp, default=None)
    return newest.session_id if newest is not None else ""


def _recency(candidate: Candidate, now: datetime) -> float:
    """From 1 (now) towards 0; of what holds always about a half."""
    days = max(0.0, (now - candidate.observation.timestamp) / _DAY)
    is_session = candidate.kind is Kind.SESSION
    aging = _HOLDS if is_session else _AGING.get(candidate.observation.category, 1.0)
    return _MIDDLE + aging * (1 / (1 + days / _RECENT_DAYS) - _MIDDLE)
