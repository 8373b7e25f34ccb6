"""The typed event bus: what happened to memory, told to whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, TypeVar

_log = logging.getLogger(__name__)


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

    `kind` is `capture-failed`, `lock-timeout`, `manifest-rebuilt` and the like.
    """

    name: ClassVar[str] = "memory-problem"
    kind: str
    message: str
    timestamp: datetime


Event = MemoryStored | MemoryRecalled | ContextCompacted | MemoryChanged | MemoryProblem
E = TypeVar("E", MemoryStored, MemoryRecalled, ContextCompacted, MemoryChanged, MemoryProblem)


class EventBus:
    """Delivers events to listeners, in the order they subscribed."""

    def __init__(self) -> None:
        self._listeners: dict[type[Event], list[Callable[[Event], None]]] = {}

    def subscribe(self, kind: type[E], listener: Callable[[E], None]) -> Callable[[], None]:
        """Call `listener` for each event of this kind; returns the unsubscriber."""
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(listener)  # type: ignore[arg-type]

        def unsubscribe() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    def emit(self, event: Event) -> None:
        """Tell every listener; one that raises is logged and stops nobody."""
        for listener in tuple(self._listeners.get(type(event), ())):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - a listener is foreign code
                _log.exception("a listener of %s failed", event.name)
