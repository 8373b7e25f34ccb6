"""What can happen to memory: the kinds of events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStored:
    """Observations became durable. `total_tokens` sums their tokens."""

    name: ClassVar[str] = "memory-stored"
    agent: str
    issue_number: int
    count: int
    total_tokens: int
    observation_ids: tuple[str, ...]
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecalled:
    """Observations were put in front of a session. `total_tokens` is that of the whole text."""

    name: ClassVar[str] = "memory-recalled"
    agent: str
    issue_number: int
    count: int
    total_tokens: int
    observation_ids: tuple[str, ...]
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCompacted:
    """An agent's conversation was compacted into `summary` (the moment to capture)."""

    name: ClassVar[str] = "context-compacted"
    agent: str
    original_tokens: int
    compacted_tokens: int
    summary: str
    timestamp: datetime
    issue_number: int = 0
    session_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChanged:
    """An operation changed memory; `kind` is the operation's (`compact`, `archive`, `undo` …)."""

    name: ClassVar[str] = "memory-changed"
    kind: str
    operation_id: str
    observation_ids: tuple[str, ...]
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryProblem:
    """Something failed and memory went on.

    `kind` is `capture-failed`, `lock-timeout`, `manifest-rebuilt` and the like; `message` what the
    error said, empty where there was none; `took` is in milliseconds.
    """

    name: ClassVar[str] = "memory-problem"
    kind: str
    message: str
    timestamp: datetime
    took: float | None = None


Event = MemoryStored | MemoryRecalled | ContextCompacted | MemoryChanged | MemoryProblem
"""Any of them."""
