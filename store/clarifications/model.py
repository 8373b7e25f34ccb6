"""The values of clarifications: a question, its thread of rounds, its state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from store.model import Problem


class Status(StrEnum):
    """The state of a clarification. One unknown to us is kept as it is."""

    PENDING = "pending"
    """Waits for its first answer of this round."""
    ANSWERED = "answered"
    STALE = "stale"
    """Was not answered in time and was asked again."""
    ESCALATED = "escalated"
    """Waits for a person."""
    RESOLVED = "resolved"
    ABANDONED = "abandoned"


WAITING = frozenset({Status.PENDING, Status.STALE})
"""Waits for an agent's answer."""
OPEN = WAITING | {Status.ANSWERED}
"""Goes on between the two agents."""
CLOSED = frozenset({Status.RESOLVED, Status.ABANDONED})


class EntryType(StrEnum):
    """The kinds of entries in a thread."""

    QUESTION = "question"
    ANSWER = "answer"
    RESOLUTION = "resolution"
    ESCALATION = "escalation"


class Entry(NamedTuple):
    """An entry of a thread, `by` an agent in a round; `type` may be one unknown to us."""

    round: int
    by: str
    type: str
    body: str
    timestamp: datetime


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question of one agent to another, and what followed.

    `blocking`: who asked can't go on without an answer, which is late after `stale_after`.
    `gave_way_to` is the id of the clarification that this one no longer blocks. `record` is what
    the ledger holds of it, `operation` the one that was just carried out on it.
    """

    id: str
    issue: int
    asker: str
    asked: str
    topic: str
    blocking: bool
    status: str
    round: int
    max_rounds: int
    created: datetime
    stale_after: datetime
    resolved_at: datetime | None = None
    thread: tuple[Entry, ...] = ()
    gave_way_to: str = ""
    record: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    operation: str = field(default="", compare=False)

    @property
    def is_waiting(self) -> bool:
        """An agent's answer is due."""
        return self.status in WAITING

    @property
    def is_blocking(self) -> bool:
        """The asker waits for the answer and does nothing else."""
        return self.blocking and self.is_waiting

    @property
    def is_settled(self) -> bool:
        """Nobody has to do anything more."""
        return self.status in CLOSED

    @property
    def updated(self) -> datetime:
        """The time of the last entry."""
        return self.thread[-1].timestamp if self.thread else self.created

    @property
    def since(self) -> datetime:
        """The time of its state: a question that was asked again waits since it was asked first."""
        if not self.is_waiting:
            return self.updated
        asked = [entry for entry in self.thread if entry.type == EntryType.QUESTION]
        return next((entry.timestamp for entry in asked if entry.round == self.round), self.created)

    @property
    def question(self) -> str:
        """The latest question; the topic, where a ledger of another program has no question."""
        asked = self.last(EntryType.QUESTION)
        return asked.body if asked is not None else self.topic

    def last(self, kind: str) -> Entry | None:
        return next((entry for entry in reversed(self.thread) if entry.type == kind), None)


class Ledgers(NamedTuple):
    """Clarifications, the greatest issue first, and what could not be read of them."""

    clarifications: tuple[Clarification, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def open_first(self) -> tuple[Clarification, ...]:
        """Those that wait for somebody, the longest waiting first; then the settled, newest
        first.
        """
        waiting = [item for item in self.clarifications if not item.is_settled]
        settled = [item for item in self.clarifications if item.is_settled]
        settled.sort(key=lambda item: item.updated, reverse=True)
        return (*sorted(waiting, key=_urgency), *settled)


def _urgency(clarification: Clarification) -> tuple[int, datetime]:
    order = 0 if clarification.status == Status.ESCALATED else 1 if clarification.is_waiting else 2
    return order, clarification.since
