"""The formulas of the seeds, as their documents give them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import exp

from store.recall.request import RecallRequest
from store.recall.values import Candidate, weighted

AGENTX_WEIGHTS = {"recency": 0.4, "recall": 0.2, "keywords": 0.4}
EVOLVING_WEIGHTS = {"relevance": 0.4, "recency": 0.3, "recall": 0.3}
VAULT_WEIGHTS = {"relevance": 1.0}
"""By what the task says alone; what it says nothing of, the newest first."""
_STOP_WORDS = frozenset(
    """
    a an and are as at be but by for from has have how in is it its of on or so that the this to
    was were what when where which who why will with
    """.split()
)
_WORD = re.compile(r"[\w./-]+")


def agentx(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float],
) -> list[dict[str, float]]:
    """SPEC-29 §5.2: recency `1/(1+days/30)`, recall `min(n/10, 1)`, share of keywords found."""
    words = (word.rstrip("./-") for word in _WORD.findall(request.text.lower()))
    keywords = set(filter(None, words)) - _STOP_WORDS
    return [
        weighted(
            {
                "recency": 1 / (1 + _hours(candidate, now) / 24 / 30),
                "recall": min(candidate.observation.recall_count / 10, 1.0),
                "keywords": _share(keywords, candidate.observation.summary),
            },
            weights,
        )
        for candidate in candidates
    ]


def evolving(
    candidates: Sequence[Candidate],
    request: RecallRequest,
    now: datetime,
    weights: Mapping[str, float],
) -> list[dict[str, float]]:
    """Relevance (BM25, normalised), recency `exp(-hours/24)`, accesses `min(n/10, 1)`."""
    return [
        weighted(
            {
                "relevance": candidate.signals.get("bm25", 0.0),
                "recency": exp(-_hours(candidate, now) / 24),
                "recall": min(candidate.observation.recall_count / 10, 1.0),
            },
            weights,
        )
        for candidate in candidates
    ]


def _hours(candidate: Candidate, now: datetime) -> float:
    """Return the age in hours; 0 for a timestamp in the future."""
    return max(0.0, (now - candidate.observation.timestamp).total_seconds() / 3600)


def _share(keywords: set[str], summary: str) -> float:
    """Return the share of the keywords that are in a summary as whole words."""
    text = summary.lower()
    found = (re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in keywords)
    return sum(match is not None for match in found) / len(keywords) if keywords else 0.0
