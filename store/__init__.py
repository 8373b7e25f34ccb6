"""The headless store of agents' memory: `from store import open_memory, Observation`."""

from typing import TYPE_CHECKING

from store.lazy import offered
from store.model import Observation

__all__ = ["AgentMemory", "Memory", "MemoryPipeline", "Observation", "open_memory"]

if TYPE_CHECKING:
    from store.evolving.agent_memory import AgentMemory
    from store.memory import Memory, MemoryPipeline, open_memory
else:
    __getattr__ = offered(
        __name__,
        {
            "store.evolving.agent_memory": "AgentMemory",
            "store.memory": "Memory MemoryPipeline open_memory",
        },
    )
