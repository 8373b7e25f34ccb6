"""Observations for the tests of compaction, old enough to be compacted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from store.compaction.compact import plan_compaction
from store.compaction.model import CompactionPlan
from store.model import Observation
from store.records import estimate_tokens
from tests.store.factories import NOW, observation


def note(identifier: str, content: str, days: float = 30, **fields: Any) -> Observation:  # noqa: ANN401
    """An observation of `days` ago; a key fact unless told otherwise."""
    return observation(
        content,
        **{
            "id": identifier,
            "category": "key-fact",
            "summary": content[:240],
            "tokens": estimate_tokens(content),
            "timestamp": NOW - timedelta(days=days),
            **fields,
        },
    )


def planned(*observations: Observation) -> CompactionPlan:
    """The plan for these observations at the tests' time."""
    return plan_compaction(observations, now=NOW)
