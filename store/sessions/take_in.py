"""Taking in the sessions that lie on disk: newest first, in small steps, resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from store.agents.client import SessionFile
from store.sessions.seen import FileMark

STEP = 16_000_000
"""Bytes of session files that are read before what came of them is kept and can be found."""

GoesOn = Callable[[int, int], bool]
"""Told how many files are read, and of how many; False stops before the next."""


class TakingIn(NamedTuple):
    """What came of taking sessions in.

    `taken` were read and kept, `known` had not changed since, `left` could not be read: each with
    a sentence. `unfinished`: it was stopped before the end.
    """

    taken: int = 0
    known: int = 0
    left: tuple[str, ...] = ()
    unfinished: bool = False


def mark_of(file: SessionFile) -> tuple[int, int]:
    """What tells one state of a session file from another: its size and its time."""
    return file.size, round(file.modified.timestamp() * 1_000)


def unread(files: Sequence[SessionFile], known: Mapping[str, FileMark]) -> list[SessionFile]:
    """The files that were not read yet, or have changed since, newest first."""
    fresh = [file for file in files if not _is_known(file, known.get(str(file.path)))]
    return sorted(fresh, key=lambda file: (file.modified, str(file.path)), reverse=True)


def in_steps(files: Sequence[SessionFile]) -> Iterator[list[SessionFile]]:
    """The files in groups of about 16 MB, in order."""
    step: list[SessionFile] = []
    size = 0
    for file in files:
        step.append(file)
        size += file.size
        if size >= STEP:
            yield step
            step, size = [], 0
    if step:
        yield step


def _is_known(file: SessionFile, mark: FileMark | None) -> bool:
    return mark is not None and (mark.size, mark.mtime) == mark_of(file)
