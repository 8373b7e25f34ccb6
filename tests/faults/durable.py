"""What a power cut leaves: of each file its content at its last fsync, of each folder its names.

POSIX promises no more, so this is the strictest disk that is still a disk.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True, eq=False)
class File:
    """A file's content and time (ns) as of its last fsync; once one failed, it is `doomed`."""

    durable: bytes = b""
    changed: int = 0
    doomed: bool = False


@dataclass(slots=True, eq=False)
class Folder:
    """A folder's names as they are, and as they were at its last fsync.

    `moved` holds the renames from or to another folder since then (from, name, to, name): journals
    keep such a rename as one step, so that what syncs one of the folders makes it last in both.
    """

    names: dict[str, Node] = field(default_factory=dict)
    durable: dict[str, Node] = field(default_factory=dict)
    moved: list[tuple[Folder, str, Folder, str]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Link:
    """A symbolic link; durable as soon as its name is."""

    target: str


Node = File | Folder | Link


def scan(folder: Path) -> Folder:
    """The model of a folder at rest: all of it durable."""
    names: dict[str, Node] = {}
    for path in folder.iterdir():
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            names[path.name] = scan(path)
        elif stat.S_ISLNK(mode):
            names[path.name] = Link(str(path.readlink()))
        elif stat.S_ISREG(mode):
            names[path.name] = File(path.read_bytes(), path.stat().st_mtime_ns)
    return Folder(names, dict(names))


def sync_folder(folder: Folder) -> None:
    """Make the names of a folder durable."""
    for source, old, target, new in folder.moved:
        source.durable.pop(old, None)
        if new in target.names:
            target.durable[new] = target.names[new]
    folder.moved.clear()
    folder.durable = dict(folder.names)


def materialise(folder: Folder, place: Path, use_durable_names: bool) -> None:
    """Write what a power cut leaves of a folder: durable content, under durable names or all."""
    names = folder.durable if use_durable_names else folder.names
    for name, node in names.items():
        path = place / name
        if isinstance(node, Folder):
            path.mkdir()
            materialise(node, path, use_durable_names)
        elif isinstance(node, Link):
            path.symlink_to(node.target)
        else:
            path.write_bytes(node.durable)
            os.utime(path, ns=(node.changed, node.changed))
