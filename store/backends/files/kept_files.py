"""What stands beside the records in a folder of files: the lock, the log, and the named texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store.backends.activity import RecallLog
from store.backends.files import activity, activity_summary, texts
from store.backends.files.locks import StoreLock
from store.backends.log_summary import COUNTED, LogSummary
from store.backends.protocol import LogStamp, Shortened
from store.backends.text_kinds import TextKind
from store.errors import StoreError
from store.records import format_time

_PART_AGE = timedelta(days=30)
"""How long the log's file is written to, so that entries can expire by age."""
_AT_ONCE = 8_000_000
"""Bytes of the log that are taken into its summary at once, where a session may be waiting."""


class KeptFiles:
    """The half of a backend that keeps log and texts as files of one folder."""

    finds_ids = False

    def __init__(self, folder: Path, clock: Callable[[], datetime] | None = None) -> None:
        self._folder = folder
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lock = StoreLock(folder)
        self._recalls = RecallLog(self)
        self._has_looked = False

    def together(self) -> AbstractContextManager[None]:
        """Each issue by itself: its files change in one instant."""
        return nullcontext()

    def tell_counted(self, counted: Mapping[str, str]) -> None:
        """Say in the log up to when records count its recalls, for its summary.

        Where that fails the records stand all the same, and count rightly as long as the log does.
        """
        line = {"type": COUNTED, "timestamp": format_time(self._clock()), "counted": counted}
        with suppress(StoreError):
            self.append_activity(line)

    def append_activity(self, entry: Mapping[str, Any]) -> bool:
        """Append one line to the log; its file is set aside once it is large or old."""
        begun = activity.append_activity(self._folder, entry)
        if self._has_looked:
            return begun
        self._has_looked = True
        try:
            old = activity_summary.set_aside_old(self._folder, self._clock(), _PART_AGE)
            return begun or old or activity_summary.is_behind(self._folder)
        except StoreError:  # the entry stands; settling meets what is wrong, and says so
            return True

    def activity_lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        """The log's whole lines from a byte of all that was ever written on."""
        return activity.activity_lines(self._folder, start, most)

    def activity_backwards(self) -> Iterator[bytes]:
        """The log's whole lines, newest first."""
        return activity.activity_backwards(self._folder)

    def activity_count(self) -> int:
        """How many lines of the log tell of what happened."""
        return activity.count_lines(self._folder)

    def activity_stamp(self) -> LogStamp:
        """The log's size, and its other marks."""
        return activity.activity_stamp(self._folder)

    def activity_summary(self, *, complete: bool = False) -> LogSummary:
        """The summary of what was set aside of the log, read again where it was replaced."""
        if complete:
            return activity_summary.bring_up(self._folder)
        return activity_summary.load_summary(self._folder)

    def settle_activity(self, now: datetime, keep: timedelta, most: int) -> Shortened | None:
        """Bring the summary of the log up, and remove its old parts."""
        activity_summary.bring_up(self._folder, _AT_ONCE)
        return activity_summary.shorten(self._folder, now, keep, most)

    def keep(
        self,
        kind: TextKind,
        name: str,
        data: bytes,
        *,
        durable: bool = True,
        private: bool = False,
    ) -> None:
        """Keep a text as a file."""
        texts.keep(self._folder, kind, name, data, durable=durable, private=private)

    def keep_newest(
        self,
        kind: TextKind,
        name: str,
        data: bytes,
        between: tuple[str, str],
        *,
        durable: bool = True,
    ) -> bool:
        """Keep a text where the greatest name of its kind is between two."""
        since, before = between
        if not since <= self.newest(kind) < before:
            return False
        self.keep(kind, name, data, durable=durable)
        return True

    def kept(self, kind: TextKind, name: str) -> bytes:
        """The text of a file."""
        return texts.kept(self._folder, kind, name)

    def names(self, kind: TextKind) -> list[str]:
        """The names of the files of a kind, without their endings."""
        return texts.names(self._folder, kind)

    def newest(self, kind: TextKind) -> str:
        """The greatest name of a kind, which stands in a file of its own."""
        return texts.newest(self._folder, kind)

    def text_stamps(self, kind: TextKind) -> Mapping[str, str]:
        """The names of the files of a kind, with their stats."""
        return texts.text_stamps(self._folder, kind)

    def forget(self, kind: TextKind, name: str) -> None:
        """Remove a text's file."""
        texts.forget(self._folder, kind, name)

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        """Remove files of a kind by their times and sizes."""
        texts.expire(self._folder, kind, now, keep, most, newest)

    def set_aside(self) -> Iterator[tuple[str, bytes]]:
        """The files in quarantine that can be read."""
        return texts.set_aside(self._folder)
