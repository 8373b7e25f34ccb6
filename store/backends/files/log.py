"""The activity log as files: `activity.jsonl`, and in `activity/` the parts it was before.

A part is named by where it begins in the whole log, so that a position stays what it is however
often the log is cut. The recalls and sessions of parts that are gone stay in a summary.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from store.backends.files.layout import ACTIVITY, ACTIVITY_PARTS, GITIGNORE, IGNORE_ALL
from store.backends.log_summary import (
    SILENT,
    LogSummary,
    entries_of,
    read_summary,
    summarise,
)
from store.backends.protocol import Log, LogStamp
from store.backends.text_kinds import expired_before
from store.errors import StoreError, Unreadable
from store.platform.bounds import MAX_BYTES
from store.platform.lock import lock, unlock
from store.platform.read import open_to_read, read_bytes
from store.platform.write import (
    NOT_KNOWN,
    append_line,
    make_folder,
    move_file,
    remove_file,
    replace_derived,
    write_error,
)
from store.records import time_or_none

SUMMARY = f"{ACTIVITY_PARTS}/summary"
_GATE = f"{ACTIVITY_PARTS}/.lock"
_NAME = re.compile(r"(?P<begin>[0-9]{16})\.jsonl", re.ASCII)
PART = 1_000_000
"""Bytes from which the log goes on in a new file: reading so much takes 10 ms."""
_PART_AGE = timedelta(days=30)
"""How long one file is written to, so that entries can expire by age."""
_AT_ONCE = 8_000_000
"""Bytes of the log that are taken into its summary at once, where a session may be waiting."""
_SLICE = 16_000_000
"""Bytes of the log after which a summary is written: a run that is stopped goes on there."""


class Part(NamedTuple):
    """A file of the log, and where in the whole it begins and ends."""

    path: Path
    begin: int
    end: int


class FileLog:
    """The activity log in one folder. Safe to share between threads."""

    earlier: Log | None = None

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], datetime] | None = None,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """`prepare` is called before an entry is appended; what it can't do stops none."""
        self._folder = folder
        self._clock = clock or (lambda: datetime.now(UTC))
        self._prepare = prepare
        self._is_new = True

    def append(self, entry: Mapping[str, Any]) -> bool:
        """Append one entry; whether something was set aside that `settle` takes into the summary.

        The first entry of a program looks for what others left. No entry begins a memory. Raises
        `ReadOnly`, `WriteFailed`.
        """
        if not self._folder.is_dir():
            return False
        with suppress(StoreError):
            self._prepare()
        line = json.dumps(dict(entry), ensure_ascii=True, separators=(",", ":"))
        size = append_line(self._folder / ACTIVITY, line.encode("ascii"), self._folder)
        is_first, self._is_new = self._is_new, False
        try:
            is_begun = size >= PART and self.begin_part()
            if is_first:
                return is_begun or (self._is_old() and self.begin_part()) or self._is_behind()
            return is_begun
        except StoreError:  # the entry is kept; settling meets what is wrong, and reports it
            return is_first

    def lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        """Return the whole lines from a position on, and the position to go on from.

        At least about `most` bytes of them, to the end of a file; all where it is below 0. A start
        past the end (the log was replaced) reads it from the beginning. Raises `Unreadable`.
        """
        parts = self.parts()
        begin = at = start if start <= parts[-1].end else 0
        found: list[bytes] = []
        for part in parts:
            if part.end > at and not 0 <= most <= at - begin:
                data = self._data(part, at)
                found += data.splitlines()
                # A last line without its end is being written still, or was left by a crash.
                at = max(at, part.begin) + len(data) if part is parts[-1] else part.end
        return found, at

    def backwards(self) -> Iterator[bytes]:
        """The whole lines, newest first, read as far as they are asked for. Raises `Unreadable`."""
        for part in reversed(self.parts()):
            yield from reversed(self._data(part).splitlines())

    def count(self) -> int:
        """Count the lines that are events. Raises `Unreadable`."""
        texts = map(self._data, self.parts())
        return sum(data.count(b"\n") - data.count(SILENT) for data in texts)

    def stamp(self) -> LogStamp:
        """Return the log's end and beginning in bytes, and its last change. Raises `Unreadable`."""
        parts = self.parts()
        begin, end = parts[0].begin, parts[-1].end
        try:
            info = parts[-1].path.stat()
        except FileNotFoundError:
            return LogStamp(end, "", begin)
        except OSError as error:
            raise Unreadable(f"{ACTIVITY} can't be read: {error.strerror}.") from error
        return LogStamp(end, f"{info.st_mtime_ns} {info.st_ctime_ns} {info.st_ino}", begin)

    def summary(self, *, complete: bool = False) -> LogSummary:
        """Return the summary as it was kept, or `complete` to the end of the log.

        An empty one where there is none, or it can't be read.
        """
        if complete:
            return self.summarise()
        try:
            return read_summary(read_bytes(self._folder / SUMMARY, self._folder))
        except FileNotFoundError:
            return LogSummary()
        except Unreadable:
            return LogSummary(is_damaged=True)

    def summarise(self, most: int = -1) -> LogSummary:
        """Return the summary with about `most` bytes more of the log in it, all below 0.

        It is kept as far as that works, and where no other program is at it.
        """
        try:
            with self.alone() as is_free:
                return self._extended(most, keep=is_free)
        except StoreError:  # a disk that can't be written
            return self._extended(most, keep=False)

    def settle(self, now: datetime, keep: timedelta, most: int) -> int:
        """Take more of the log into its summary, and remove what has expired; how many entries.

        Only whole parts that the summary covers go, where no other program is at them. Age counts
        from the last use before today: a clock that is ahead removes nothing.
        """
        self.summarise(_AT_ONCE)
        with self.alone() as is_free:
            if not is_free:
                return 0
            parts, until = self.parts(), self.summary().until
            ends = {part: self._time_in(part, last=True) for part in parts[:-1]}
            before = expired_before(now, (time for time in ends.values() if time), keep)
            removed, left = 0, parts[-1].end - parts[0].begin
            # The last one's end is where the log goes on: without it, positions begin anew.
            for part in parts[:-2]:
                time = ends[part]
                is_old = time is not None and before is not None and time < before
                if part.end > until or not (is_old or left > most):
                    break
                removed += len(self._data(part).splitlines())
                remove_file(part.path, self._folder)
                left -= part.end - part.begin
        return removed

    def parts(self) -> list[Part]:
        """The files of the log, oldest first, the one it goes on in last. Raises `Unreadable`."""
        place, live = self._folder / ACTIVITY_PARTS, self._folder / ACTIVITY
        try:
            names = sorted(filter(_NAME.fullmatch, os.listdir(place)))
        except (FileNotFoundError, NotADirectoryError):
            names = []
        except OSError as error:
            raise Unreadable(f"{ACTIVITY_PARTS} can't be read: {error.strerror}.") from error
        begins = [int(name[:16]) for name in names]
        begins.append(begins[-1] + os.lstat(place / names[-1]).st_size if names else 0)
        parts = [
            Part(place / name, begin, end)
            for name, (begin, end) in zip(names, pairwise(begins), strict=True)
        ]
        try:
            size = os.lstat(live).st_size
        except FileNotFoundError:
            size = 0
        except OSError as error:
            raise Unreadable(f"{ACTIVITY} can't be read: {error.strerror}.") from error
        return [*parts, Part(live, begins[-1], begins[-1] + size)]

    def begun(self) -> datetime | None:
        """Return when the oldest entry was made; None where it has no time."""
        return self._time_in(self.parts()[0], last=False)

    def begin_part(self) -> bool:
        """Set the log's file aside, so that it goes on in a new one; not where another does."""
        with self.alone() as is_free:
            live = self.parts()[-1]
            if not is_free or live.begin == live.end:
                return False
            handle = open_to_read(live.path, self._folder)
            try:
                # Who is appending right now ends its line first; the next finds a new file.
                with suppress(OSError):
                    fcntl.flock(handle, fcntl.LOCK_EX)
                target = self._folder / ACTIVITY_PARTS / f"{live.begin:016d}.jsonl"
                move_file(live.path, target, self._folder)
            finally:
                with suppress(OSError):  # it was only locked
                    os.close(handle)
        return True

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold what was set aside of the log, to change it; yields whether no other program does.

        A disk that knows no locks is one that few programs share. Raises `ReadOnly`, `WriteFailed`.
        """
        place = self._folder / ACTIVITY_PARTS
        make_folder(place)
        if not (place / GITIGNORE).exists():
            replace_derived(place / GITIGNORE, IGNORE_ALL, self._folder)
        handle, is_free = None, True
        try:
            handle = lock(self._folder / _GATE, until=0, poll=0)
            is_free = handle is not None
        except OSError as error:
            if error.errno not in NOT_KNOWN | {errno.ENOLCK}:
                raise write_error(self._folder / _GATE, error) from error
        try:
            yield is_free
        finally:
            if handle is not None:
                unlock(handle)

    def _is_old(self) -> bool:
        first = self._time_in(self.parts()[-1], last=False)
        return first is not None and self._clock() - first > _PART_AGE

    def _is_behind(self) -> bool:
        """Something that was set aside of the log is not in the summary yet."""
        return self.summary().until < self.parts()[-1].begin

    def _extended(self, most: int, *, keep: bool) -> LogSummary:
        summary, parts = self.summary(), self.parts()
        # Where the log was taken away, what is in the summary stays, and goes on from its end.
        begun = start = min(max(summary.until, parts[0].begin), parts[-1].end)
        if start < summary.until:
            summary = summarise(summary, (), start)
            if keep:
                replace_derived(self._folder / SUMMARY, summary.text, self._folder)
        while most < 0 or start - begun < most:
            lines, end = self.lines(start, _SLICE if most < 0 else most)
            if end == start:
                break
            summary, start = summarise(summary, lines, end), end
            if keep:
                replace_derived(self._folder / SUMMARY, summary.text, self._folder)
        return summary

    def _data(self, part: Part, start: int = 0) -> bytes:
        """Return the whole lines of a part from a position on; none of one that is gone, or is too
        large to be one of ours. Raises `Unreadable`.
        """
        if part.end - part.begin > MAX_BYTES:
            return b""
        try:
            handle = open_to_read(part.path, self._folder)
        except FileNotFoundError:
            return b""
        at, chunks = max(start, part.begin), []
        try:
            while chunk := os.pread(handle, part.end - at, at - part.begin):
                chunks.append(chunk)
                at += len(chunk)
        except OSError as error:
            raise Unreadable(f"{part.path.name} can't be read: {error.strerror}.") from error
        finally:
            os.close(handle)
        data = b"".join(chunks)
        return data[: data.rfind(b"\n") + 1]

    def _time_in(self, part: Part, *, last: bool) -> datetime | None:
        """Return the time of the first entry of a part that has one, or of the last."""
        try:
            lines = self._data(part).splitlines()
        except StoreError:
            return None
        entries = entries_of(reversed(lines) if last else lines)
        times = (time_or_none(entry.get("timestamp")) for entry in entries)
        return next((time for time in times if time is not None), None)
