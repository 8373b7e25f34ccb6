"""Memories of each layer as one text within a budget (evolving memory, context compression). Pure.

No model summarises: what does not fit is left out, the least important first, and `truncated` is
set.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import exp
from typing import NamedTuple

from store.model import Layer, Observation
from store.text.tokens import Counter

WORKING = "## Current Task Context"
EPISODIC = "## Relevant Past Interactions"
SEMANTIC = "## Relevant Knowledge"
_HEADINGS = {
    Layer.WORKING: WORKING,
    Layer.EPISODIC: EPISODIC,
    Layer.SEMANTIC: SEMANTIC,
    Layer.PROCEDURAL: SEMANTIC,
}
TRUNCATED = "Context truncated to fit token budget"


class Retrieved(NamedTuple):
    """A memory that was found: its layer now; its relevance among those found and its importance,
    both 0 to 1. Of two found that contradict each other the newer is in `contradicted_by` of the
    older, whose id is in `contradicts` of the newer.
    """

    observation: Observation
    layer: Layer
    relevance: float
    importance: float
    contradicted_by: str = ""
    contradicts: tuple[str, ...] = ()


class AgentContext(NamedTuple):
    """The text, its tokens, the memories in it, and whether something had to be left out."""

    text: str
    tokens: int
    ids: tuple[str, ...]
    truncated: bool = False


def importance(relevance: float, timestamp: datetime, accesses: int, now: datetime) -> float:
    """`0.4 relevance + 0.3 exp(-hours/24) + 0.3 min(n/10, 1)` (evolving memory, scoring)."""
    hours = max(0.0, (now - timestamp).total_seconds() / 3600)
    return 0.4 * relevance + 0.3 * exp(-hours / 24) + 0.3 * min(accesses / 10, 1.0)


def format_context(found: Sequence[Retrieved], max_tokens: int, counter: Counter) -> AgentContext:
    """Return the memories under their headings, as many as fit: the task's own first, then by
    importance.

    `max_tokens` hold by the counter's count of the whole text.
    """
    order = sorted(
        found,
        key=lambda item: (item.layer is not Layer.WORKING, -item.importance, item.observation.id),
    )
    lines = [(_HEADINGS[item.layer], _line(item)) for item in order]
    within = len(order)
    text = _text(lines)
    tokens = counter.count(text)
    while tokens > max_tokens and within:
        # Each round drops at least one, and as many as the excess makes likely.
        within = min(within - 1, int(within * max_tokens / tokens))
        text = _text(lines[:within])
        tokens = counter.count(text)
    ids = tuple(item.observation.id for item in order[:within])
    return AgentContext(text, tokens, ids, truncated=within < len(order))


def _text(lines: Sequence[tuple[str, str]]) -> str:
    """Return lines under their headings, each given with its own."""
    below = {
        heading: [line for its_heading, line in lines if its_heading == heading]
        for heading in (WORKING, EPISODIC, SEMANTIC)
    }
    parts = ["\n".join((heading, *found)) for heading, found in below.items() if found]
    return "\n\n".join(parts)


def _line(item: Retrieved) -> str:
    summary = " ".join(item.observation.summary.split())
    if item.layer is Layer.EPISODIC:
        return f"- [{item.observation.timestamp:%Y-%m-%d}] {summary}"
    return f"- {summary}"
