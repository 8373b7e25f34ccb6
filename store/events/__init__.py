"""Events of memory, by kind."""

from store.events.change import (
    ContextCompacted,
    MemoryChanged,
    MemoryStored,
    SessionCaptured,
    SessionsTakenIn,
)
from store.events.clarification import (
    ClarificationAnswered,
    ClarificationEscalated,
    ClarificationEvent,
    ClarificationRequested,
    ClarificationResolved,
    ClarificationStale,
)
from store.events.kinds import Event
from store.events.problem import MemoryProblem
from store.events.recall import MemoryRecalled

__all__ = [
    "ClarificationAnswered",
    "ClarificationEscalated",
    "ClarificationEvent",
    "ClarificationRequested",
    "ClarificationResolved",
    "ClarificationStale",
    "ContextCompacted",
    "Event",
    "MemoryChanged",
    "MemoryProblem",
    "MemoryRecalled",
    "MemoryStored",
    "SessionCaptured",
    "SessionsTakenIn",
]
