"""The five factors of memtui's own profile and their weights.

Relevance decides; the others order what is about as relevant. What each is worth stands in
`docs/bench/recall.md`, measured by `python -m tests.bench.ablation`. What answers a prompt is
judged by what would be told of it (`store/recall/select.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import log, log1p
from types import MappingProxyType

from store.model import LAYER_OF, Layer
from store.recall.files import subjects_of, words_of_path
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Kind, weighted
from store.search.relevance import stems_of

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "relevance": 1.0,
        "path": 0.8,
        "file_frequency": 0.4,
        "session": 0.35,
        "recency": 0.3,
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


def memtui(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float],
) -> list[dict[str, float]]:
    """The weighted factors of each candidate, rankers' signals included.

    `relevance`: BM25 of the words asked. `path`: the share of the words of its files' paths that
    stand there, rare ones weighing more; the more files, the smaller. `file_frequency`: in how
    many sessions its files were worked on, on average. `session`: from the last session of the
    issue asked for.
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
            "session": float(bool(last) and observation.session_id == last),
            "recency": _recency(candidate, now),
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
        """Average frequency (0 to 1) of work on some files."""
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


def _recency(candidate: Candidate, now: datetime) -> float:
    """From 1 (now) towards 0; of what holds always about a half."""
    days = max(0.0, (now - candidate.observation.timestamp) / _DAY)
    said = candidate.kind is not Kind.MEMORY
    aging = _HOLDS if said else _AGING.get(candidate.observation.category, 1.0)
    return _MIDDLE + aging * (1 / (1 + days / _RECENT_DAYS) - _MIDDLE)
