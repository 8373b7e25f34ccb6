"""MemoryPipeline: the one door to memory, for the app, the command line and every program.

What a stage works with is imported where the stage is asked for, so that each command starts with
no more than it needs: every recall starts an agent's session.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from store.backends import Location
from store.backends.location import find_store, place_to_open
from store.lazy import offered
from store.pipeline.door import MemoryPipeline
from store.pipeline.figures import StoreState
from store.pipeline.opened_store import Clock, NewId
from store.pipeline.operations import OperationInfo
from store.pipeline.related import Related, Relation
from store.pipeline.upkeep import Excess
from store.settings.schema import Settings

if TYPE_CHECKING:
    from store.pipeline.agent_memory import AgentMemory
else:
    __getattr__ = offered(__name__, {"store.pipeline.agent_memory": "AgentMemory"})

__all__ = [
    "AgentMemory",
    "Excess",
    "MemoryPipeline",
    "OperationInfo",
    "Related",
    "Relation",
    "StoreState",
    "open_memory",
]


def open_memory(
    path: Location | None = None,
    *,
    cache: Path | None = None,
    settings: Settings | None = None,
    clock: Clock | None = None,
    new_id: NewId | None = None,
) -> MemoryPipeline:
    """Open the memory at a path or URL, of a project, or the nearest in this folder or above.

    A folder that does not exist yet, or is empty, becomes a memory with its first write. `cache` is
    the folder for derived data (the user's cache folder by default). Raises `NoMemory`.
    """
    location = find_store(Path.cwd()) if path is None else place_to_open(path)
    return MemoryPipeline(location, cache=cache, settings=settings, clock=clock, new_id=new_id)
