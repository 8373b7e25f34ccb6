"""All kinds of events."""

from __future__ import annotations

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
    ClarificationRequested,
    ClarificationResolved,
    ClarificationStale,
)
from store.events.problem import MemoryProblem
from store.events.recall import MemoryRecalled

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
"""Any of them."""
