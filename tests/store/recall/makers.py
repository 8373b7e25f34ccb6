"""Observations for the tests of recall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from store.model import Observation

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def aged(content: str, number: int = 1, *, days: float = 0, **fields: Any) -> Observation:  # noqa: ANN401
    """An observation with an id of its own, so many days old."""
    values: dict[str, Any] = {
        "id": f"obs-engineer-29-1709035200000-a{number:05d}",
        "agent": "engineer",
        "issue_number": 29,
        "category": "decision",
        "content": content,
        "summary": content[:240],
        "timestamp": NOW - timedelta(days=days),
        "session_id": "s1",
    }
    return Observation(**{**values, **fields})
