"""The headless store of agents' memory: `from store import open_memory, Observation`."""

from typing import TYPE_CHECKING

from store.lazy import offered
from store.model import Observation

__all__ = ["MemoryPipeline", "Observation", "open_memory"]

if TYPE_CHECKING:
    from store.pipeline import MemoryPipeline, open_memory
else:
    __getattr__ = offered(__name__, {"store.pipeline": "MemoryPipeline open_memory"})
