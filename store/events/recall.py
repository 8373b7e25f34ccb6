"""A recall that was told: every agent's session begins with one, so that it is loaded alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecalled:
    """Observations were put in front of a session. `total_tokens` is that of the whole text.

    `text` is the name that the text is kept under, empty where it is not; `took` is in
    milliseconds; `details` say what else is known: channel, profile, session.
    """

    name: ClassVar[str] = "memory-recalled"
    agent: str
    issue_number: int
    count: int
    total_tokens: int
    observation_ids: tuple[str, ...]
    timestamp: datetime
    took: float = 0.0
    text: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
