"""Indexing the sessions that lie on disk: newest first, in small steps, resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from store.agents.client import SessionFile
from store.operations.plan import TextChange
from store.sessions.seen import FileMark, file_key

STEP = 16_000_000
"""Bytes of session files that are read before what came of them is kept and can be found."""

GoesOn = Callable[[int, int], bool]
"""Told how many files are read, and of how many; False stops before the next."""


class IndexReport(NamedTuple):
    """The result of indexing sessions.

    `taken` were read and kept, `known` had not changed since, `left` could not be read: each with
    a sentence. `unfinished`: it was stopped before the end.
    """

    taken: int = 0
    known: int = 0
    left: tuple[str, ...] = ()
    unfinished: bool = False


@dataclass(slots=True)
class Run:
    """A run under way: the files that wait, how many are done, what came of them."""

    waiting: list[SessionFile]
    ask: GoesOn | None
    done: int = 0
    stopped: bool = False
    left: list[str] = field(default_factory=list)
    texts: list[TextChange] = field(default_factory=list)

    def goes_on(self) -> bool:
        """Begin with the next file, unless the run is to stop."""
        if self.ask is not None and not self.ask(self.done, len(self.waiting)):
            self.stopped = True
            return False
        self.done += 1
        return True

    def ended(self, files: int) -> IndexReport:
        """The report of a finished run over so many files."""
        total = len(self.waiting)
        if self.ask is not None and total:
            self.ask(self.done, total)
        taken = self.done - len(self.left)
        return IndexReport(taken, files - total, tuple(self.left), self.done < total)


def mark_of(file: SessionFile) -> tuple[int, int]:
    """Mark of a session file's state: its size and its time."""
    return file.size, round(file.modified.timestamp() * 1_000)


def unread(files: Sequence[SessionFile], known: Mapping[str, FileMark]) -> list[SessionFile]:
    """The files that were not read yet, or have changed since, newest first."""
    fresh = [file for file in files if not _is_known(file, known.get(file_key(file.path)))]
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
