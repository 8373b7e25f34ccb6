"""Memories that were stored, captured or changed, and conversations that were compacted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from store.action import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStored:
    """Observations became durable. `total_tokens` sums their tokens; `took` is in milliseconds.

    `operation_id` names the operation that takes them back, where there is one.
    """

    name: ClassVar[str] = "memory-stored"
    agent: str
    issue_number: int
    count: int
    total_tokens: int
    observation_ids: tuple[str, ...]
    timestamp: datetime
    took: float = 0.0
    operation_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCaptured:
    """A session was looked at, and left these observations, or none.

    `skipped` counts what is not worth one, `seen_again` those held already; `took` is in
    milliseconds.
    """

    name: ClassVar[str] = "session-captured"
    agent: str
    issue_number: int
    session_id: str
    observation_ids: tuple[str, ...]
    timestamp: datetime
    skipped: int = 0
    seen_again: int = 0
    took: float = 0.0
    operation_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsTakenIn:
    """So many sessions were read, and their digests kept."""

    name: ClassVar[str] = "sessions-taken-in"
    count: int
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCompacted:
    """An agent's conversation was compacted into `summary` (the moment to capture).

    Tokens are 0 where they are not known; `folder` is where the session runs.
    """

    name: ClassVar[str] = "context-compacted"
    agent: str
    original_tokens: int
    compacted_tokens: int
    summary: str
    timestamp: datetime
    issue_number: int = 0
    session_id: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChanged:
    """An operation changed memory; `kind` is the operation's (`compact`, `archive`, `undo` …).

    `action` is what it did, in `count` changes.
    """

    name: ClassVar[str] = "memory-changed"
    kind: str
    operation_id: str
    observation_ids: tuple[str, ...]
    timestamp: datetime
    action: Action | None = None
    count: int = 0
