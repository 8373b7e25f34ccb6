"""Files that a task may touch: those of the session most about the same, gone ones apart."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from functools import cache
from pathlib import Path

from store.agents.paths import is_test
from store.model import CHANGED, REMOVED, Observation
from store.recall.values import Candidate, FileHint
from store.text.code import paths_in

_MOST = 3
"""The most files of a session that are listed: one that changed more says little of where a task
leads (`tests.bench.swe`)."""

Gone = Callable[[str], bool | None]
"""Says of a file whether it stands no more where it stood; None where that is unknown."""


def none_gone(path: str) -> None:
    """Of no file: where nothing is known of a working tree."""


def files_to_touch(
    sessions: Sequence[Candidate], task: str, gone: Gone = none_gone
) -> tuple[FileHint, ...]:
    """Return the files that the session most like a task changed; none where it changed many, or
    where the task names files itself.

    Tests are left out, since they follow from what they test; so is what is gone, or was removed by
    the last session that had to do with it.
    """
    if not sessions or paths_in(task):
        return ()
    best = max(sessions, key=lambda one: (one.signals.get("bm25", 0.0), one.observation.timestamp))
    newest_first = sorted(
        (one.observation for one in sessions), key=lambda session: session.timestamp, reverse=True
    )

    def is_gone(path: str) -> bool:
        is_missing = gone(path)
        if is_missing is not None:
            return is_missing
        for session in newest_first:
            if _has_removed(session, path):
                return True
            if path in _files(session, CHANGED):
                break
        return False

    changed = sorted(_files(best.observation, CHANGED))
    there = [path for path in changed if not is_test(path) and not is_gone(path)]
    day = f"{best.observation.timestamp.day} {best.observation.timestamp:%b}"
    return tuple(FileHint(path, (day,)) for path in there) if len(there) <= _MOST else ()


def _files(session: Observation, key: str) -> Collection[str]:
    return session.extra.get(key) or ()


def _has_removed(session: Observation, path: str) -> bool:
    """Return whether a session removed a file, or a folder above it."""
    removed = _files(session, REMOVED)
    return any(path == name or path.startswith(f"{name}/") for name in removed)


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
