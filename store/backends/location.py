"""Which place memory is opened at: the one named, or the nearest above the working directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from store.backends.files.layout import holds_memory
from store.errors import NoMemory
from store.links import linked_root

FOLDER = Path(".agentx") / "memory"
"""Where a project keeps its memory, below its root."""


def find_store(start: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The memory folder to open: `MEMTUI_DIR`, else the nearest `.agentx/memory` above `start`.

    `MEMTUI_DIR` may name the memory folder itself or a project that holds one.
    Raises `NoMemory` where there is none.
    """
    chosen = environ.get("MEMTUI_DIR", "")
    if chosen:
        return named_store(Path(chosen))
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / FOLDER).is_dir():
            return not_linked(folder / FOLDER)
    raise NoMemory(
        f"There is no memory at {start} or above it.",
        "Try `memtui demo`, or start one with `memtui add`.",
    )


def named_store(path: Path) -> Path:
    """The memory folder a path names: itself, or the `.agentx/memory` inside it.

    Raises `NoMemory` where the path is no folder, an empty one, or one of other things: what memory
    writes beside its issues (a manifest, a .gitignore) would take the place of theirs.
    """
    path = path.expanduser().absolute()
    if (path / FOLDER).is_dir():
        return not_linked(path / FOLDER)
    if not path.is_dir():
        why = ": it is not a folder"
    elif path.parts[-2:] == FOLDER.parts or holds_memory(path):
        return not_linked(path)
    else:
        why = ""
    raise NoMemory(
        f"There is no memory at {path}{why}.", "Name a project or its .agentx/memory folder."
    )


def not_linked(path: Path) -> Path:
    """The memory folder, or `NoMemory` where a project's leads elsewhere by a link.

    A clone may bring such a link, and memory would be written where it leads.
    """
    if link := linked_root(path):
        raise NoMemory(
            f"{link} is a link, and memory is kept behind none.",
            "If it leads where you want, name that folder by MEMTUI_DIR.",
        )
    return path
