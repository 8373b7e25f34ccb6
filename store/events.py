"""Events of memory, by kind, and the bus that delivers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, TypeVar, overload

from store.action import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStored:
    """Observations became durable. `total_tokens` sums their tokens; `took` is in milliseconds.

    `operation_id` names the operation that undo takes back, where there is one.
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

    `skipped` counts what is not worth one, `seen_again` those held already, `waiting` what is to be
    approved first, `kept_back` those that a rule was to give to the team and that stayed the
    user's; `took` is in milliseconds.
    """

    name: ClassVar[str] = "session-captured"
    agent: str
    issue_number: int
    session_id: str
    observation_ids: tuple[str, ...]
    timestamp: datetime
    skipped: int = 0
    seen_again: int = 0
    waiting: int = 0
    kept_back: int = 0
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecalled:
    """Observations were put in front of a session. `total_tokens` is that of the whole text.

    `text` is the name that the text is kept under, empty where it is not; `took` is in
    milliseconds; `details` are what else is known: channel, profile, session.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryProblem:
    """Something failed and memory went on.

    `kind` is `capture-failed`, `lock-timeout`, `manifest-rebuilt` and the like; `message` is the
    error's, empty where there was none; `took` is in milliseconds. `is_failure`: a task, perhaps of
    a session, was not done.
    """

    name: ClassVar[str] = "memory-problem"
    kind: str
    message: str
    timestamp: datetime
    took: float | None = None
    is_failure: bool = False
    session_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarificationEvent:
    """The fields of all events of clarifications."""

    id: str
    issue_number: int
    asker: str
    asked: str
    topic: str
    blocking: bool
    round: int
    timestamp: datetime
    operation_id: str = ""


class ClarificationRequested(ClarificationEvent):
    """An agent asked another: for the first time, or in a further round (ADR-1)."""

    __slots__ = ()
    name: ClassVar[str] = "clarification-requested"


class ClarificationAnswered(ClarificationEvent):
    """A question was answered."""

    __slots__ = ()
    name: ClassVar[str] = "clarification-answered"


class ClarificationStale(ClarificationEvent):
    """A question was not answered in time, and was asked again."""

    __slots__ = ()
    name: ClassVar[str] = "clarification-stale"


class ClarificationResolved(ClarificationEvent):
    """A clarification was settled by its answer."""

    __slots__ = ()
    name: ClassVar[str] = "clarification-resolved"


class ClarificationEscalated(ClarificationEvent):
    """A clarification was put to a person."""

    __slots__ = ()
    name: ClassVar[str] = "clarification-escalated"


Event = (
    MemoryStored
    | MemoryRecalled
    | SessionCaptured
    | SessionsTakenIn
    | ContextCompacted
    | MemoryChanged
    | MemoryProblem
    | ClarificationRequested
    | ClarificationAnswered
    | ClarificationStale
    | ClarificationResolved
    | ClarificationEscalated
)

E = TypeVar("E", bound=Event)


class EventBus:
    """Delivers events to listeners, in the order they subscribed."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Callable[[Any], None]]] = {}

    @overload
    def subscribe(self, kind: type[E], listener: Callable[[E], None]) -> Callable[[], None]: ...

    @overload
    def subscribe(self, kind: str, listener: Callable[[Any], None]) -> Callable[[], None]: ...

    def subscribe(
        self, kind: type[Any] | str, listener: Callable[[Any], None]
    ) -> Callable[[], None]:
        """Call `listener` for each event of a kind, or of a kind's name; returns the unsubscriber.

        By its name a kind need not be imported before something happens.
        """
        name = kind if isinstance(kind, str) else kind.name
        listeners = self._listeners.setdefault(name, [])
        listeners.append(listener)

        def unsubscribe() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return unsubscribe

    def emit(self, event: Event) -> None:
        """Tell every listener; one that raises is logged and stops nobody."""
        for listener in tuple(self._listeners.get(event.name, ())):
            try:
                listener(event)
            except Exception:  # foreign code: its failure is logged, the write is done
                import logging  # with `traceback`, for what hardly ever happens

                logging.getLogger(__name__).exception("a listener of %s failed", event.name)
