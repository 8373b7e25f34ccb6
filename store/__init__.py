"""The headless store of agents' memory: `from store import open_memory, Observation`."""

from typing import TYPE_CHECKING

from store.model import Observation

if TYPE_CHECKING:
    from store.evolving.agent_memory import AgentMemory
    from store.memory import Memory, MemoryPipeline, open_everywhere, open_memory

__all__ = [
    "AgentMemory",
    "Memory",
    "MemoryPipeline",
    "Observation",
    "open_everywhere",
    "open_memory",
]


def __getattr__(name: str) -> object:
    """Load what opens memory when it is asked for: each of our modules imports this package."""
    if name == "AgentMemory":
        from store.evolving.agent_memory import AgentMemory

        return AgentMemory
    if name in __all__:
        from store import memory

        return getattr(memory, name)
    raise AttributeError(f"module 'store' has no attribute {name!r}")
