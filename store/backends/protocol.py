"""The protocol of backends: the one seam between memtui and files, databases or lists.

Everything outside `store.backends` goes through a `Backend`. Records are those of AgentX's format:
JSON objects in camelCase, and what is not understood of them is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from store.backends.issue_records import IssueRecords, Lookup
from store.backends.log_summary import LogSummary
from store.backends.text_kinds import TextKind
from store.model import Layout
from store.notice import Notice

Stamps = Mapping[int, str]
"""The issues that are there, each with a text that differs once its records differ.

A time and a size for files, a sequence number for a database: only its backend reads it.
"""


class LogStamp(NamedTuple):
    """Where the activity log ends, a text that differs where it was replaced, where it begins.

    `end` grows with the log, about by the bytes of what is appended; `begin` as it is shortened.
    `covered` is where the log's summary ends, where that was found with it.
    """

    end: int = 0
    mark: str = ""
    begin: int = 0
    covered: int | None = None


class Changes(NamedTuple):
    """Which issues differ from the stamps that were known, and all stamps now.

    `sizes` are about how many bytes there are to read of the issues that are there, the one that
    changed last first.
    """

    issues: frozenset[int]
    stamps: Stamps
    sizes: Mapping[int, int]


class Fact(NamedTuple):
    """Something wrong with how a memory is kept, which only its backend can see.

    `kind` is one of the doctor's. `moves` (from, to) set parts aside or in place, and `adopt`
    are records, by id, that belong to the issue: together they are what `repair` describes. `level`
    is whose files these are, of several.
    """

    kind: str
    path: str
    notice: Notice
    repair: Notice | None = None
    moves: tuple[tuple[str, str], ...] = ()
    adopt: Mapping[str, Mapping[str, Any]] = {}
    level: str = ""


class Records(Protocol):
    """The records of one memory.

    Reading raises `Unreadable`, writing `ReadOnly`, `WriteFailed` and `LockTimeout`.
    """

    finds_ids: bool
    """Whether `changing` finds ids that are sought in other issues, too; else the index does."""
    levels: Levels
    """Its levels, where it joins several."""

    @property
    def identity(self) -> str:
        """Names this memory among all: what is derived from it is kept under it."""
        ...

    @property
    def folder(self) -> Path:
        """The folder next to which settings and git are looked for, whether or not it exists."""
        ...

    def issues(self) -> set[int]:
        """Return the issues that have records or an archive."""
        ...

    def read(self, issue: int) -> IssueRecords:
        """The records of an issue and its archive; what can't be read of them is in `problems`."""
        ...

    def read_each(self, issues: Sequence[int]) -> Iterator[IssueRecords]:
        """The records of each of some issues, in their order: as `read`, sooner of a database."""
        ...

    def changing(
        self, issue: int, lookup: Lookup | None = None
    ) -> AbstractContextManager[IssueRecords]:
        """Hold an issue alone, to be changed; what changed is durable when this ends.

        Nothing is written where the block raises. `lookup` is for who only adds, or replaces what
        is found: records with none of its ids or contents may be missing.
        """
        ...

    def changes_since(self, known: Stamps) -> Changes:
        """Find issues that differ from `known`: changed, new or gone ones."""
        ...

    def locked(self) -> AbstractContextManager[None]:
        """Hold the memory alone, for a change to something other than an issue's records."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Have all that is changed within last from one instant on, where that can be had.

        In files each issue changes by itself.
        """
        ...

    def release(self) -> None:
        """Let go of what the system holds for who asks again; whoever does gets it again."""
        ...


class Log(Protocol):
    """The activity log of a memory. Raises as `Records`."""

    earlier: Log | None
    """The log of what was before this one began, where that was in another. Positions, counts and
    what is read are of one log alone; `store.backends.activity` reads both.
    """

    def append(self, entry: Mapping[str, Any]) -> bool:
        """Add one entry, `type` and `timestamp` first; whether `settle` has something to do."""
        ...

    def lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        """Return the entries from a position on, a JSON text each, and the position to go on from.

        About `most` bytes of them, all where it is below 0; at the end the position is the same.
        """
        ...

    def backwards(self) -> Iterator[bytes]:
        """Return the entries, newest first, read as far as they are asked for."""
        ...

    def count(self) -> int:
        """Count the entries that are events."""
        ...

    def summary(self, *, complete: bool = False) -> LogSummary:
        """The summary of the log up to a position: to its end, where it is to be `complete`."""
        ...

    def settle(self, now: datetime, keep: timedelta, most: int) -> int:
        """Take more of the log into its summary, and remove what has expired; how many entries.

        That is what is older than `keep` and, the oldest first, what is beyond `most` bytes. Ends
        after some hundred milliseconds; there may be more to do.
        """
        ...

    def stamp(self) -> LogStamp:
        """Return the end of the log now."""
        ...


class Texts(Protocol):
    """The named texts of a memory. Raises as `Records`."""

    def keep(
        self, kind: TextKind, name: str, data: bytes, *, durable: bool = True, private: bool = False
    ) -> None:
        """Keep a text, in place of one with that name.

        Not `durable`, it may be lost in a power cut. A `private` one stays on this machine where
        others take part in the memory.
        """
        ...

    def read(self, kind: TextKind, name: str) -> bytes:
        """Return a text. Raises `NotFound`."""
        ...

    def names(self, kind: TextKind) -> list[str]:
        """Return the names of all texts of a kind, in any order."""
        ...

    def stamps(self, kind: TextKind) -> Mapping[str, str]:
        """Return the names of all texts of a kind, each with what differs once the text does."""
        ...

    def remove(self, kind: TextKind, name: str) -> None: ...

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        """Remove texts older than `keep` and, the oldest first, those beyond `most` bytes.

        `newest` was kept just now: its bytes count, and it stays. Ages count as
        `expired_before` says.
        """
        ...


class Files(Protocol):
    """The files of a memory that is kept in some: how records are divided, and their repair."""

    @property
    def layout(self) -> Layout:
        """The layout of files for what is written. Raises `Unreadable`."""
        ...

    def set_layout(self, layout: Layout) -> None:
        """Divide what is written from now on in another way; what is there is read all the same.

        Raises `InvalidObservation` where there is no other.
        """
        ...

    def other_layout(self) -> set[int]:
        """Return the issues that are in another layout than the one that holds.

        `changing` one, without a change, writes it in the one that holds.
        """
        ...

    def examine_issue(self, records: IssueRecords, stamp: str) -> Iterator[Fact]:
        """Find what is wrong with how one issue is kept."""
        ...

    def move(self, source: str, target: str) -> bool:
        """Move a part whole, as a fact asks; whether it was to be moved, and not there already.

        Raises `Conflict` where it is gone or the target exists, and `InvalidObservation` for
        names that no fact gives.
        """
        ...

    def dates(self, issues: Iterable[int]) -> dict[str, str]:
        """Return the times of change that the files of issues give, for those that give one."""
        ...

    def write_merged(self, issue: int) -> list[tuple[str, str]]:
        """Write the parts of an issue that git left in conflict as they are read: merged.

        The moves (from, to) that would have done the same: taking those back brings the old back.
        """
        ...

    def issue_of(self, part: str) -> int | None:
        """Return the issue that a part holds records of."""
        ...

    def set_aside(self) -> Iterator[tuple[str, bytes]]:
        """The parts that were set aside because they could not be read: their names and bytes."""
        ...


class Health(Protocol):
    """The size of a memory, and problems with how it is kept."""

    @property
    def files(self) -> Files | None:
        """Its files, to be divided and repaired; None for a memory that has none."""
        ...

    def size(self) -> int:
        """Bytes that memory takes where it is kept: the records, and all else that is kept."""
        ...

    def is_writable(self) -> bool:
        """Return whether anything may be written, as far as can be known without writing."""
        ...

    def settle(self, issues: Collection[int]) -> bool:
        """Bring what the backend itself derives in step with the issues that were written.

        Whether it was damaged and had to be built anew.
        """
        ...

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        """Find faults of the memory as a whole. `ids` are those of all active observations.

        `stamp` goes into the names of what would be set aside.
        """
        ...


class Backend(Records, Health, Protocol):
    """One memory as it is kept, all of it. Safe to share between threads."""

    @property
    def log(self) -> Log: ...

    @property
    def texts(self) -> Texts: ...


class Levels(dict[str, Backend]):
    """The backends of a memory's levels, by their names: the first has the log and the texts."""

    default: str = ""
    """The level of what is added without one; empty for a memory that is one."""

    def __init__(self, levels: Mapping[str, Backend] = MappingProxyType({})) -> None:
        super().__init__(levels)
        self.away: dict[str, str] = {}
        """Levels that did not answer when they were asked last, and since when: an ISO time."""
