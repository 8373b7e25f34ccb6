"""Files that a task may touch: those of the session most about the same, gone ones apart."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from store.agents.paths import is_test
from store.recall.files import paths_in
from store.recall.values import FileHint

_MOST = 3
"""The most files of a session that are listed: one that changed more says little of where a task
leads (`tests.bench.swe`)."""

Gone = Callable[[str], bool | None]
"""Says of a file whether it stands no more where it stood; None where that is unknown."""


def none_gone(path: str) -> None:
    """Of no file: where nothing is known of a working tree."""


class SessionFiles(NamedTuple):
    """The files that one session changed, and the files and folders that were gone when it ended;
    `likeness` is how much (0 to 1) the session is about a task.
    """

    session: str
    ended: datetime
    likeness: float
    changed: Collection[str]
    removed: frozenset[str] = frozenset()

    def has_removed(self, path: str) -> bool:
        """Return whether the session removed a file, or a folder above it."""
        return any(path == name or path.startswith(f"{name}/") for name in self.removed)


def files_to_touch(
    sessions: Sequence[SessionFiles], task: str, gone: Gone = none_gone
) -> tuple[FileHint, ...]:
    """Return the files that the session most like a task changed; none where it changed many, or
    where the task names files itself.

    Tests are left out, since they follow from what they test; so is what is gone, or was removed by
    the last session that had to do with it.
    """
    if not sessions or paths_in(task):
        return ()
    best = max(sessions, key=lambda one: (one.likeness, one.ended, one.session))

    def is_gone(path: str) -> bool:
        is_missing = gone(path)
        if is_missing is not None:
            return is_missing
        related = [one for one in sessions if path in one.changed or one.has_removed(path)]
        return max(related, key=lambda one: one.ended).has_removed(path)

    there = sorted(path for path in best.changed if not is_test(path) and not is_gone(path))
    day = f"{best.ended.day} {best.ended:%b}"
    return tuple(FileHint(path, (day,)) for path in there) if len(there) <= _MOST else ()


def gone_from(trees: Sequence[Path]) -> Callable[[str], bool | None]:
    """Says of a path, relative to a project, whether its file was there and is no more; None where
    that is unknown.

    It was there as far as the folder that the path begins with is: of what sessions saw of other
    places nothing is known, nor of anything without a working tree.
    """
    roots = [os.fspath(tree) for tree in trees]

    @cache
    def exists(path: str) -> bool:
        return any(os.path.lexists(f"{root}/{path}") for root in roots)

    def is_gone(path: str) -> bool | None:
        first, *below = path.split("/")
        if not roots or first in ("", "~", "..") or ".." in below or "\0" in path:
            return None
        if exists(path):
            return False
        return True if not below or exists(first) else None

    return is_gone
