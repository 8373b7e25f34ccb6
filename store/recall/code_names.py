"""The names in a project's code, to doubt memories of code that is gone.

An index of the identifiers and paths of the working tree, in the cache. It is built in the
background, within bounds, and only read where a recall asks.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from store.errors import StoreError
from store.model import Observation
from store.platform.bounds import read_regular
from store.platform.git_command import git_command, git_environment
from store.platform.write import replace_derived
from store.recall.files import code_spans, paths_in
from store.search.analyzers import stem
from store.search.relevance import stems_of

_MOST_FILES, _MOST_BYTES, _MOST_NAMES = 20_000, 1_000_000, 300_000
"""The most files of a tree that are read, the bytes of each, and the names that are kept."""
_OURS = ".agentx/"
_PATIENCE = 10.0
"""Seconds that git may take to list the files."""
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")
_IDENTIFIER = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::|->|#))*([A-Za-z_]\w{3,})(\(\))?", re.ASCII)
"""A code span that is one name, perhaps of a part of something: `lock.Wait()`."""
_REMOVING = frozenset(map(stem, ("remove", "delete", "rename", "replace", "drop")))
"""A memory with one of these stems tells itself that something is gone."""


class CodeNames(NamedTuple):
    """The names and files of a working tree; nothing is gone where they are not known."""

    names: Set[str] = frozenset()
    files: Set[str] = frozenset()

    def gone(self, observation: Observation) -> tuple[tuple[str, ...], float]:
        """Return the names of code in a memory that the tree no longer has, and their share of all
        such names in it.
        """
        if not self.names:
            return (), 0.0
        content = observation.content
        named = dict.fromkeys(_identifiers(content))
        paths = dict.fromkeys(path for path in paths_in(content) if "/" in path)
        lost = [name for name in named if name not in self.names]
        lost += [path for path in paths if not self._has_file(path)]
        if not lost or not _REMOVING.isdisjoint(stems_of(content)):
            return (), 0.0
        return tuple(lost), len(lost) / (len(named) + len(paths))

    def _has_file(self, path: str) -> bool:
        """Return whether a file of the tree has this path, or one that ends in it; folders are not
        known, nor files of another place.
        """
        first = path.partition("/")[0]
        return path in self.files or not any(file.startswith(f"{first}/") for file in self.files)


NOTHING_KNOWN = CodeNames()


def _identifiers(text: str) -> Iterator[str]:
    """Yield the names in a text that only code has: in backticks, and with an underscore, a capital
    inside or parentheses behind.
    """
    for span in code_spans(text):
        if found := _IDENTIFIER.fullmatch(span):
            name = found[1]
            if found[2] or "_" in name.strip("_") or name[1:].lower() != name[1:]:
                yield name


def names_stamp(cache: Path, trees: Sequence[Path]) -> tuple[int, ...]:
    """Return the stamp that changes where the names of one of these trees are indexed again."""
    stamps = []
    for tree in trees:
        with suppress(OSError):
            stamps.append(_place(cache, tree).stat().st_mtime_ns)
    return tuple(stamps)


def load_names(cache: Path, trees: Sequence[Path]) -> CodeNames:
    """Return the names of working trees as they were indexed last; none where they never were."""
    names: set[str] = set()
    files: set[str] = set()
    for tree in trees:
        with suppress(OSError, ValueError):
            known, _, listed = read_regular(_place(cache, tree)).decode().partition("\n\n")
            names.update(known.split("\n"))
            files.update(listed.split("\n"))
    return CodeNames(names, files)


def index_names(cache: Path, root: Path) -> bool:
    """Index the names of a git working tree where that changed since; whether it did.

    For the background: it reads each file of the tree.
    """
    listed = _listed(root)
    place = _place(cache, root)
    if not listed or _is_newer(place, root, listed):
        return False
    names: set[bytes] = set()
    for path in listed:
        with suppress(OSError, ValueError, StoreError):
            names.update(_NAME.findall(read_regular(root / path, _MOST_BYTES)))
        if len(names) > _MOST_NAMES:
            return False  # too large a tree: nothing is known, so nothing is doubted
    text = b"\n".join(sorted(names)) + b"\n\n" + "\n".join(listed).encode("utf-8", "replace")
    place.parent.mkdir(parents=True, exist_ok=True)
    with suppress(StoreError):  # it is indexed again the next time
        replace_derived(place, text, place.parent)
        return True
    return False


def _listed(root: Path) -> list[str]:
    """Return the files of a tree that git does not ignore, but for memory's own; none without git,
    or where they are too many.
    """
    command = git_command(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    try:
        environ = git_environment(root, _PATIENCE)
        found = subprocess.run(
            command, capture_output=True, timeout=_PATIENCE, env=environ, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    listed = set(filter(None, found.decode("utf-8", "replace").split("\0")))
    files = sorted(path for path in listed if not path.startswith(_OURS))
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


def _place(cache: Path, root: Path) -> Path:
    name = blake2b(str(root).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return cache / f"{name}-names"
