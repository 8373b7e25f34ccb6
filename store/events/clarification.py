"""Events of questions between agents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


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
