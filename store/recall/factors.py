"""The eight factors of memtui's own profile and their weights.

Relevance decides; the others order what is about as relevant. What each is worth stands in
`docs/bench/recall.md`, measured by `python -m tests.bench.ablation`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import log, log1p
from types import MappingProxyType

from store.model import LAYER_OF, Category, Layer, Observation
from store.recall.files import subjects_of, words_of_path
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Kind, weighted
from store.search.relevance import stems_of

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "relevance": 1.0,
        "path": 0.8,
        "file_frequency": 0.4,
        "issue": 0.5,
        "session": 0.35,
        "recency": 0.3,
        "kind": 0.2,
        "doubt": -0.6,
    }
)
"""What each factor counts for; `settings.recall_weights` may change any of them."""

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
_KINDS: Mapping[str, float] = MappingProxyType(
    {
        Category.DECISION: 1.0,
        Category.LESSON: 1.0,
        Category.PROCEDURE: 1.0,
        Category.ERROR: 1.0,
        Category.PROJECT: 0.8,
        Category.KEY_FACT: 0.8,
        Category.CODE_CHANGE: 0.4,
    }
)
"""How much a category is worth to a later session, from 0 to 1."""
_OTHER_KIND = 0.3
_AMENDED = 0.7
"""How doubtful a memory is that a later statement changes."""


def memtui(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float],
) -> list[dict[str, float]]:
    """The weighted factors of each candidate, rankers' signals included.

    `relevance`: BM25 of the words asked. `path`: the share of the words of its files' paths that
    stand there, rare ones weighing more; the more files, the smaller. `file_frequency`: in how
    many sessions its files were worked on, on average. `issue`: that of the issue asked for;
    `session`: from the last session of that. `kind`: what its category is worth. `doubt`: learned
    on a branch that is not merged, amended later, or naming code that is gone.
    """
    subjects = [
        subjects_of(candidate.observation) if candidate.kind is Kind.MEMORY else ()
        for candidate in candidates
    ]
    files = _Files(candidates, subjects, request)
    last = _last_session(candidates, request)
    found = []
    for candidate, about in zip(candidates, subjects, strict=True):
        observation = candidate.observation
        factors = {
            **candidate.signals,
            "path": files.words_shared(about),
            "file_frequency": files.frequency(about),
            "issue": _issue_closeness(observation, request),
            "session": float(bool(last) and observation.session_id == last),
            "recency": _recency(candidate, now),
            "kind": worth_of(observation) if candidate.kind is Kind.MEMORY else 0.0,
            "doubt": _doubt(candidate, request),
        }
        found.append(weighted(factors, weights))
    return found


class _Files:
    """The files that candidates are about: the words of their paths, how rare each is, and in how
    many sessions each file was worked on.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        subjects: Sequence[Sequence[str]],
        request: RecallRequest,
    ) -> None:
        self._asked = stems_of(request.text)
        sessions: dict[str, set[str]] = defaultdict(set)
        for candidate, about in zip(candidates, subjects, strict=True):
            one = candidate.observation
            session = one.session_id or f"{one.issue_number} {one.agent}"
            for path in about:
                sessions[path].add(session)
        most = log1p(max(map(len, sessions.values()), default=0)) or 1.0
        self._frequency = {path: log1p(len(held)) / most for path, held in sessions.items()}
        spread = Counter(word for path in sessions for word in words_of_path(path))
        self._rarity = {
            word: log(1 + len(sessions) / (number + 0.5)) for word, number in spread.items()
        }

    def words_shared(self, paths: Sequence[str]) -> float:
        """The share (0 to 1) of the words of paths that were asked for."""
        words = frozenset().union(*map(words_of_path, paths))
        shared = words & self._asked
        if not shared:
            return 0.0
        rarity = self._rarity.__getitem__
        return sum(map(rarity, shared)) / sum(map(rarity, words))

    def frequency(self, paths: Sequence[str]) -> float:
        """How often (0 to 1) files were worked on, on average."""
        return sum(map(self._frequency.__getitem__, paths)) / len(paths) if paths else 0.0


def _last_session(candidates: Sequence[Candidate], request: RecallRequest) -> str:
    """The session that worked on the issue last; none where no issue is asked for."""
    if not request.issue:
        return ""
    of_issue = [
        candidate.observation
        for candidate in candidates
        if candidate.observation.issue_number == request.issue and candidate.observation.session_id
    ]
    newest = max(of_issue, key=lambda one: one.timestamp, default=None)
    return newest.session_id if newest is not None else ""


def _doubt(candidate: Candidate, request: RecallRequest) -> float:
    """How doubtful (0 to 1) a memory is."""
    if request.unmerged_branch(candidate.observation):
        return 1.0
    return max(candidate.stale, _AMENDED if candidate.amended_by else 0.0)


def worth_of(observation: Observation) -> float:
    """How much (0 to 1) a memory of its category is worth to a later session."""
    return _KINDS.get(observation.category, _OTHER_KIND)


def _issue_closeness(observation: Observation, request: RecallRequest) -> float:
    """1 for the issue asked for, a quarter for what concerns the whole project."""
    if request.issue is None:
        return 0.0
    if observation.issue_number == request.issue:
        return 1.0 if request.issue else 0.25
    return 0.25 if observation.issue_number == 0 else 0.0


def _recency(candidate: Candidate, now: datetime) -> float:
    """From 1 (now) towards 0; of what holds always about a half."""
    days = max(0.0, (now - candidate.observation.timestamp) / _DAY)
    said = candidate.kind is not Kind.MEMORY
    aging = _HOLDS if said else _AGING.get(candidate.observation.category, 1.0)
    return _MIDDLE + aging * (1 / (1 + days / _RECENT_DAYS) - _MIDDLE)
