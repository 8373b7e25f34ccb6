"""The names in a project's code.

An index of the identifiers and paths of the working tree, in the cache. It is built in the
background, within bounds. Prose is left out: what changed is named there for ever.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from contextlib import suppress
from pathlib import Path

from store.errors import StoreError
from store.platform.bounds import read_regular
from store.platform.cached import cached_file, keep_cached
from store.platform.git_command import ask_git

_MOST_FILES, _MOST_BYTES, _MOST_NAMES = 20_000, 1_000_000, 300_000
"""The most files of a tree that are read, the bytes of each, and the names that are kept."""
_KIND = "names"
_OURS = ".agentx/"
_PATIENCE = 10.0
"""Seconds that git may take to list the files."""
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")
_PROSE = (".md", ".mdx", ".rst", ".adoc")
NO_PROSE = tuple(f":(exclude,icase)*{ending}" for ending in _PROSE)
"""For git: all files but prose."""


def names_stamp(cache: Path, trees: Sequence[Path]) -> tuple[int, ...]:
    """Return the stamp that changes where the names of one of these trees are indexed again."""
    stamps = []
    for tree in trees:
        with suppress(OSError):
            stamps.append(cached_file(cache, tree, _KIND).stat().st_mtime_ns)
    return tuple(stamps)


def load_names(cache: Path, trees: Sequence[Path]) -> Set[str]:
    """Return the names of working trees as they were indexed last; none where they never were."""
    names: set[str] = set()
    for tree in trees:
        with suppress(OSError, ValueError):
            data = read_regular(cached_file(cache, tree, _KIND))
            names.update(data.partition(b"\n\n")[0].decode().split("\n"))
    return names


def index_names(cache: Path, root: Path) -> bool:
    """Index the names of a git working tree where that changed since; whether it did.

    For the background: it reads each file of the tree.
    """
    listed = _listed(root)
    place = cached_file(cache, root, _KIND)
    if not listed or _is_newer(place, root, listed):
        return False
    names: set[bytes] = set()
    for path in listed:
        with suppress(OSError, ValueError, StoreError):
            names.update(_NAME.findall(read_regular(root / path, _MOST_BYTES)))
        if len(names) > _MOST_NAMES:
            return False  # too large a tree: nothing is known, so nothing is doubted
    text = b"\n".join(sorted(names)) + b"\n\n" + "\n".join(listed).encode("utf-8", "replace")
    return keep_cached(place, text)


def is_prose(path: str) -> bool:
    return path.lower().endswith(_PROSE)


def _listed(root: Path) -> list[str]:
    """Return the files of a tree that git does not ignore, but for memory's own; none without git,
    or where they are too many.
    """
    asked = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = ask_git(root, asked, seconds=_PATIENCE) or b""
    listed = set(filter(None, found.decode("utf-8", "replace").split("\0")))
    files = sorted(path for path in listed if not path.startswith(_OURS) and not is_prose(path))
    return files if len(files) <= _MOST_FILES else []


def _is_newer(place: Path, root: Path, listed: list[str]) -> bool:
    """Return whether the index is newer than each file, and of the same files."""
    try:
        indexed = place.stat().st_mtime_ns
        known = read_regular(place).decode().partition("\n\n")[2]
    except (OSError, ValueError):
        return False
    if known != "\n".join(listed):
        return False
    for path in listed:
        with suppress(OSError):
            if (root / path).stat().st_mtime_ns > indexed:
                return False
    return True
