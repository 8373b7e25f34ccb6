"""What can happen to memory: the kinds of events.

Each is loaded where it happens: a hook tells of one, and starts without the others.
"""

from typing import TYPE_CHECKING

from store.lazy import offered

if TYPE_CHECKING:
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
else:
    __getattr__ = offered(
        __name__,
        {
            "store.events.change": (
                "ContextCompacted MemoryChanged MemoryStored SessionCaptured SessionsTakenIn"
            ),
            "store.events.clarification": (
                "ClarificationAnswered ClarificationEscalated ClarificationEvent "
                "ClarificationRequested ClarificationResolved ClarificationStale"
            ),
            "store.events.kinds": "Event",
            "store.events.problem": "MemoryProblem",
            "store.events.recall": "MemoryRecalled",
        },
    )
