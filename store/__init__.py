"""The headless store of agents' memory: `from store import open_memory, Observation`."""

from store.model import Observation
from store.pipeline import MemoryPipeline, open_memory

__all__ = ["MemoryPipeline", "Observation", "open_memory"]
