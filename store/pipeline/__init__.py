"""MemoryPipeline: the one door to memory, for the app, the command line and every program.

What a stage works with is imported where the stage is asked for, so that each command starts with
no more than it needs: every recall starts an agent's session.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from store.backends import Location, is_url
from store.backends.location import find_store, named_store, not_linked
from store.errors import Unreadable
from store.home import expanded
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
    """Open a memory: its path, its project's or its URL, else the nearest above where we are.

    A folder that does not exist yet, or is empty, becomes a memory with its first write. `cache` is
    the folder for derived data (the user's cache folder by default). Raises `NoMemory`.
    """
    location = _location(path)
    return MemoryPipeline(location, cache=cache, settings=settings, clock=clock, new_id=new_id)


def _location(path: Location | None) -> Location:
    """Where the memory that is asked for is kept. Raises `NoMemory`."""
    if path is None:
        return find_store(Path.cwd())
    if is_url(path):
        return named_store(path)
    given = expanded(path).absolute()
    try:
        is_new = not given.exists() or (given.is_dir() and not any(given.iterdir()))
    except OSError as error:
        raise Unreadable(
            f"The folder {given} can't be listed: {error.strerror}.", "Check its permissions."
        ) from error
    return not_linked(given) if is_new else named_store(given)
