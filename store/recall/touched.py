"""Files that a task may touch: those of the sessions most about the same, gone ones apart."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache
from math import log
from pathlib import Path
from typing import NamedTuple

from store.agents.paths import is_test
from store.recall.files import mention_of_file
from store.recall.values import FileHint
from store.search.relevance import stems_of

_SHARPNESS = 4
"""The power of a session's likeness by which its files count: what the best ones touched counts,
not what many touched a little. This and the next two: `tests.bench.swe`."""
_NAMED = 0.15
"""What a word of the task counts that is in a file's path, times how rare it is among paths."""
_MOST, _STANDS_OUT = 5, 0.5
"""The most files that are listed, and the least share of the first one's score."""

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
    """Return the files that a task may touch, the likeliest first, at most five.

    Tests are left out, since they follow from what they test, and files that the task names; so is
    what is gone, or was removed by the last session that had to do with it.
    """
    scores: dict[str, float] = defaultdict(float)
    changed: Counter[str] = Counter()
    last: dict[str, SessionFiles] = {}
    for session in sorted(sessions, key=lambda one: (one.ended, one.session)):
        likeness = session.likeness**_SHARPNESS
        for path in session.changed:
            scores[path] += likeness
            last[path] = session
        changed.update(session.changed)
        for path in scores:
            if session.has_removed(path):
                last[path] = session
    _add_named(scores, sessions, stems_of(task))

    def is_gone(path: str) -> bool:
        is_missing = gone(path)
        return last[path].has_removed(path) if is_missing is None else is_missing

    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    there = [path for path in ranked if not is_test(path) and not is_gone(path)][:_MOST]
    return tuple(
        FileHint(path, scores[path], _why(changed[path], last[path]))
        for path in there
        if scores[path] >= _STANDS_OUT * scores[there[0]] and not mention_of_file(path, task)
    )


def _add_named(
    scores: dict[str, float], sessions: Sequence[SessionFiles], words: frozenset[str]
) -> None:
    """Add to each file's score what the words of the task count that are in its path."""
    stems = {path: stems_of(path) & words for path in scores}
    touching: Counter[str] = Counter()
    for session in sessions:
        touching.update(frozenset().union(*(stems[path] for path in session.changed)))
    for path, named in stems.items():
        scores[path] += _NAMED * sum(log(len(sessions) / touching[stem]) for stem in named)


def _why(changed: int, last: SessionFiles) -> tuple[str, ...]:
    """Return the reason for a file: in how many of the sessions it was changed, and when last."""
    return f"{changed}×", f"{last.ended.day} {last.ended:%b}"


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
