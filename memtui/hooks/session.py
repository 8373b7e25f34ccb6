"""Which memory a hook works on: that of the project which the agent's session runs in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from store.backends import Location
from store.backends.location import chosen_store, nearest_store, place_to_start


def memory_of(folder: Path, environ: Mapping[str, str]) -> Location | None:
    """The memory that a session in `folder` belongs to, by the rule of `find_store`, if any.

    Raises `NoMemory` where `MEMTUI_DIR` is wrong, or the memory is a link.
    """
    return chosen_store(folder, environ) or nearest_store(folder)


def memory_to_start(folder: Path, home: Path, environ: Mapping[str, str]) -> Path | None:
    """Where a memory begins for a session that has none: in the user's data folder, unless the
    user chose the project. Nothing is written in a project that nobody asked for.

    None for the home folder and the root of the disk, which are nobody's project. Raises
    `ReadOnly`, `WriteFailed`, `StoreError`.
    """
    place = place_to_start(folder)
    if place in (home, Path(place.anchor)):
        return None
    from store.backends.placement import MemoryPlace, chosen_place, prepare_place

    return prepare_place(place, chosen_place(environ) or MemoryPlace.USER)
