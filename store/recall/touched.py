"""Files that a task may touch: those most changed in sessions about the same, gone ones apart."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from store.recall.files import mention_of_file
from store.recall.values import FileHint

_READ = 0.5
"""What a file counts that a session only read."""
_MOST, _STANDS_OUT = 5, 0.5
"""The most files that are told, and the share of the first one's score that all of them have:
where more have it, none stands out."""

Gone = Callable[[str], bool | None]
"""Says of a file whether it stands no more where it stood; None where that is unknown."""


def none_gone(path: str) -> None:
    """Of no file: where nothing is known of a working tree."""


class SessionFiles(NamedTuple):
    """The files of one session: `changed` and `read` count by path, `removed` are files and folders
    that were gone when it ended.
    """

    session: str
    ended: datetime
    changed: Mapping[str, int]
    read: Mapping[str, int] = MappingProxyType({})
    removed: frozenset[str] = frozenset()

    def removes(self, path: str) -> bool:
        """Return whether the session removed a file, or a folder above it."""
        return any(path == name or path.startswith(f"{name}/") for name in self.removed)


def files_to_touch(
    sessions: Sequence[SessionFiles],
    likeness: Mapping[str, float],
    known: str,
    gone: Gone = none_gone,
) -> tuple[FileHint, ...]:
    """Return the files that a task may touch, the likeliest first, where they clearly lead the
    others.

    `likeness` is how much (0 to 1) each session is about the task. Files that the `known` text
    names are left out; what is gone, or was removed by the last session that had to do with
    it, is not.
    """
    scores: dict[str, float] = defaultdict(float)
    changed: Counter[str] = Counter()
    last: dict[str, SessionFiles] = {}
    about = (one for one in sessions if likeness.get(one.session))
    for session in sorted(about, key=lambda one: (one.ended, one.session)):
        for touched, worth in ((session.changed, 1.0), (session.read, _READ)):
            most = max(touched.values(), default=1)
            for path, number in touched.items():
                scores[path] += likeness[session.session] * worth * number / most
                last[path] = session
        changed.update(session.changed.keys())
        for path in scores:
            if session.removes(path):
                last[path] = session

    def is_gone(path: str) -> bool:
        told = gone(path)
        return last[path].removes(path) if told is None else told

    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    there = [path for path in ranked if not is_gone(path)]
    likely = [path for path in there if scores[path] >= _STANDS_OUT * scores[there[0]]]
    if len(likely) > _MOST:
        return ()
    return tuple(
        FileHint(path, scores[path], _why(changed[path], last[path]))
        for path in likely
        if not mention_of_file(path, known)
    )


def _why(changed: int, last: SessionFiles) -> tuple[str, ...]:
    """Return the reason for a file: in how many of the sessions it was changed, and when last."""
    often = f"{changed}×" if changed else "read"
    return often, f"{last.ended.day} {last.ended:%b}"


def gone_from(trees: Sequence[Path]) -> Callable[[str], bool | None]:
    """Says of a path, relative to a project, whether its file was there and is no more; None where
    that is unknown.

    It was there as far as the folder that the path begins with is: of what sessions saw of other
    places nothing is known, nor of anything without a working tree.
    """
    roots = [os.fspath(tree) for tree in trees]

    @cache
    def stands(path: str) -> bool:
        return any(os.path.lexists(f"{root}/{path}") for root in roots)

    def is_gone(path: str) -> bool | None:
        first, *below = path.split("/")
        if not roots or first in ("", "~", "..") or ".." in below or "\0" in path:
            return None
        if stands(path):
            return False
        return True if not below or stands(first) else None

    return is_gone
