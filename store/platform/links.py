"""Links on the way to a file of memory, which is reached through none."""

from __future__ import annotations

import os
from pathlib import Path


def real_path(path: Path) -> Path:
    """A path through all links; where these lead in a circle, as far as they can be followed."""
    return Path(os.path.realpath(path))


def link_on_way(path: Path, root: Path) -> Path | None:
    """Return the link that leads to a path of the memory in `root`: its own, that of a folder on
    the way, or the root's, where that is a project's `.agentx/memory`, or its vault.
    """
    place = path
    while place not in (root, place.parent):
        if place.is_symlink():
            return place
        place = place.parent
    return linked_root(root)


def link_refused(link: Path) -> tuple[str, str]:
    """Return the error for a link that is not followed, with a hint."""
    return (
        f"{link.name} is a symbolic link, which is not followed.",
        "Replace it with a regular file or folder.",
    )


def linked_root(root: Path) -> Path | None:
    """Return the link that a project's memory folder, the `.agentx` around it, or its vault is;
    else `None`.

    A clone brings these; a memory folder of another name was named by who uses it.
    """
    names = root.parts
    ours = [root, root.parent] if names[-2:] == (".agentx", "memory") else []
    ours = [root] if names[-1:] == (".memory",) else ours
    return next((place for place in ours if place.is_symlink()), None)


def is_there(place: Path | str) -> bool:
    return os.path.exists(place)  # a path's own method raises for such names


def is_file(place: Path | str) -> bool:
    return os.path.isfile(place)


def is_folder(place: Path | str) -> bool:
    return os.path.isdir(place)
