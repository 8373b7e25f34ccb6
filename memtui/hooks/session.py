"""Which memory a hook works on: that of the project which the agent's session runs in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from store.backends.location import FOLDER, named_store, not_linked
from store.project import project_of


def memory_of(folder: Path, environ: Mapping[str, str]) -> Path | None:
    """The memory that a session in `folder` belongs to, None where there is none.

    `MEMTUI_DIR` wins; then the nearest from the folder up to the root of its git repository, a
    linked worktree's being that of the main one. Raises `NoMemory` where `MEMTUI_DIR` is wrong.
    """
    chosen = environ.get("MEMTUI_DIR", "")
    if chosen:
        return named_store(Path(chosen))
    project = project_of(folder)
    linked = project is not None and project.root != project.main_root
    start = project.main_root if project is not None and linked else folder
    for place in (start, *start.parents):
        if (place / FOLDER).is_dir():
            return not_linked(place / FOLDER)
        if project is not None and place == project.main_root:
            return None
    return None


def memory_to_start(folder: Path, home: Path) -> Path | None:
    """Where a memory begins for a session that has none: its repository's root, else its folder.

    None for the home folder and the root of the disk, which are nobody's project.
    """
    project = project_of(folder)
    place = project.main_root if project is not None else folder
    return None if place in (home, Path(place.anchor)) else place / FOLDER
