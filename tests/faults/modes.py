"""The ways a disk, or the process that uses it, can fail, and the calls they strike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum


class Killed(BaseException):
    """The process has died: nothing may catch this, as nothing catches a kill -9."""


class Forbidden(AssertionError):
    """A write that goes around the calls which the simulated disk can break."""


class Kind(Enum):
    """What a call does to the disk."""

    READ = "read"
    CREATE = "create"
    WRITE = "write"
    SYNC = "sync"
    NAME = "name"
    CLOSE = "close"
    LOCK = "lock"


class Mode(StrEnum):
    """The ways in which a disk, or the process that uses it, can fail at one call."""

    KILLED = "killed"
    TORN_WRITE = "torn write"
    SHORT_WRITE = "short write"
    DISK_FULL = "ENOSPC"
    IO_ERROR = "EIO"
    NO_PERMISSION = "EACCES"
    DATA_LOST = "power loss, unsynced data gone"
    NAMES_LOST = "power loss, unsynced names gone"
    KILLED_TWICE = "killed again during recovery"
    KILLED_THEN_CUT = "killed, then power loss after recovery"

    @property
    def ends_the_process(self) -> bool:
        """Whether the operation dies at the call; otherwise it goes on, or reports an error."""
        return self not in _SURVIVED

    @property
    def cuts_power(self) -> bool:
        """Whether the power goes in the end, and with it what was not synced."""
        return self in _POWER_CUTS

    def applies_to(self, kind: Kind) -> bool:
        """Whether a call of this kind can fail in this way."""
        return kind in _KINDS[self]


_SURVIVED = frozenset({Mode.SHORT_WRITE, Mode.DISK_FULL, Mode.IO_ERROR, Mode.NO_PERMISSION})
_POWER_CUTS = frozenset({Mode.DATA_LOST, Mode.NAMES_LOST, Mode.KILLED_THEN_CUT, Mode.IO_ERROR})
_CHANGES = frozenset({Kind.CREATE, Kind.WRITE, Kind.SYNC, Kind.NAME, Kind.CLOSE})
_KINDS = {
    Mode.KILLED: _CHANGES,
    Mode.TORN_WRITE: frozenset({Kind.WRITE}),
    Mode.SHORT_WRITE: frozenset({Kind.WRITE}),
    Mode.DISK_FULL: frozenset({Kind.CREATE, Kind.WRITE}),
    Mode.IO_ERROR: frozenset(Kind),
    Mode.NO_PERMISSION: frozenset({Kind.READ, Kind.CREATE, Kind.NAME}),
    Mode.DATA_LOST: _CHANGES,
    Mode.NAMES_LOST: _CHANGES,
    Mode.KILLED_TWICE: _CHANGES,
    Mode.KILLED_THEN_CUT: _CHANGES,
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call that reached the disk: the function's name, the path below the root, its kind."""

    name: str
    path: str
    kind: Kind

    def __str__(self) -> str:
        return f"{self.name}({self.path})"


@dataclass(frozen=True, slots=True)
class Fault:
    """Fail in this mode at the call with this number, counted from 0."""

    point: int
    mode: Mode
