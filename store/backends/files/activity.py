"""The activity log as files: `activity.jsonl`, and in `activity/` the parts it was before.

A part is named by where it begins in the whole log, so that a position stays what it is however
often the log is cut. What parts tell of recalls and sessions stays in a summary beside them.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from store.backends.files.layout import ACTIVITY, ACTIVITY_PARTS, GITIGNORE, IGNORE_ALL
from store.backends.log_summary import (
    SILENT,
    LogSummary,
    end_of,
    entries_of,
    read_summary,
    summarise,
)
from store.backends.protocol import LogStamp, Shortened
from store.backends.text_kinds import expired_before
from store.errors import StoreError, Unreadable
from store.platform.read import open_to_read, read_bytes
from store.platform.write import (
    OWN_FILE,
    append_line,
    make_folder,
    move_file,
    remove_file,
    replace_derived,
    write_error,
)
from store.records import parse_time

PART = 1_000_000
"""Bytes from which the log goes on in a new file: reading so much takes 10 ms."""
BLOCK = 1_000_000
"""Bytes read at once."""
_LONGEST = 64_000_000
"""Bytes from which a line is none of ours."""
_NAME = re.compile(r"(?P<begin>[0-9]{16})\.jsonl", re.ASCII)
_GATE = ".lock"


class Part(NamedTuple):
    """A file of the log, and where in the whole it begins and ends."""

    path: Path
    begin: int
    end: int


def append_activity(folder: Path, entry: Mapping[str, Any]) -> bool:
    """Append one entry (`type` and `timestamp` first); whether the log began a new part after it.

    Raises `ReadOnly`, `WriteFailed`.
    """
    line = json.dumps(dict(entry), ensure_ascii=True, separators=(",", ":"))
    if append_line(folder / ACTIVITY, line.encode("ascii"), folder) < PART:
        return False
    try:
        return begin_part(folder)
    except StoreError:  # the entry stands, and the next one tries again
        return False


def begin_part(folder: Path) -> bool:
    """Set the log aside as a part, so that it goes on in a new file; not where another does."""
    with alone(folder) as free:
        if not free:
            return False
        *_, last = log_parts(folder)
        if last.begin == last.end:
            return False
        target = folder / ACTIVITY_PARTS / f"{last.begin:016d}.jsonl"
        handle = open_to_read(last.path, folder)
        try:
            # A program that is appending right now ends its line first; the next finds a new file.
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            move_file(last.path, target, folder)
        finally:
            _close(handle)
    return True


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Hold what was set aside of the log, to change it; yields whether no other program does."""
    place = folder / ACTIVITY_PARTS
    make_folder(place)
    if not (place / GITIGNORE).exists():
        replace_derived(place / GITIGNORE, IGNORE_ALL, folder)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(place / _GATE, flags, OWN_FILE)
    except OSError as error:
        raise write_error(place / _GATE, error) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = True
        except OSError as error:
            # A disk that knows no locks is one that few programs share.
            free = error.errno not in (errno.EAGAIN, errno.EACCES)
        yield free
    finally:
        _close(handle)


def _close(handle: int) -> None:
    """Close what was only locked or read: an error says nothing about what is kept."""
    with suppress(OSError):
        os.close(handle)


def log_parts(folder: Path) -> list[Part]:
    """The files of the log, oldest first, the one it goes on in last. Raises `Unreadable`."""
    parts = []
    place = folder / ACTIVITY_PARTS
    try:
        names = sorted(filter(_NAME.fullmatch, os.listdir(place)))
    except (FileNotFoundError, NotADirectoryError):
        names = []
    except OSError as error:
        raise Unreadable(f"{ACTIVITY_PARTS} can't be read: {error.strerror}.") from error
    begins = [int(name[:16]) for name in names]
    if names:
        begins.append(begins[-1] + os.lstat(place / names[-1]).st_size)
    for name, (begin, end) in zip(names, pairwise(begins), strict=True):
        parts.append(Part(place / name, begin, end))
    begin = parts[-1].end if parts else 0
    path = folder / ACTIVITY
    try:
        size = os.lstat(path).st_size
    except FileNotFoundError:
        size = 0
    except OSError as error:
        raise Unreadable(f"{ACTIVITY} can't be read: {error.strerror}.") from error
    return [*parts, Part(path, begin, begin + size)]


def activity_lines(folder: Path, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
    """Return the whole lines from a position on, and the position to go on from. Raises
    `Unreadable`.

    About `most` bytes of them, all where it is below 0; at the end, the position is `start` again.
    A last line without its end is left for later. A start past the end (the log was replaced)
    reads it from the beginning.
    """
    parts = log_parts(folder)
    if start > parts[-1].end:
        start = 0
    lines: list[bytes] = []
    begin = start
    for part in parts:
        if part.end <= start:
            continue
        at = max(start, part.begin)
        with _reading(part, folder) as handle:
            while handle is not None:
                data, passed = _whole_lines(handle, at - part.begin, part.end - part.begin)
                if not passed:
                    break
                lines += data.splitlines()
                at += passed
                if 0 <= most <= at - begin:
                    return lines, at
        start = at if part is parts[-1] else part.end
    return lines, start


def _whole_lines(handle: int, at: int, end: int) -> tuple[bytes, int]:
    """Return the lines that end within a block from a byte on, and how many bytes to go on.

    One that is longer than any of ours is passed over.
    """
    data, passed = b"", 0
    while chunk := os.pread(handle, min(BLOCK, end - at - passed), at + passed):
        passed += len(chunk)
        data += chunk
        if whole := data.rfind(b"\n") + 1:
            return data[:whole], passed - len(data) + whole
        if len(data) > _LONGEST:
            data = b" "
    return b"", 0


def activity_backwards(folder: Path) -> Iterator[bytes]:
    """The whole lines, newest first, read as far as they are asked for. Raises `Unreadable`."""
    for part in reversed(log_parts(folder)):
        with _reading(part, folder) as handle:
            if handle is not None:
                yield from _backwards(handle, part.end - part.begin)


def _backwards(handle: int, size: int) -> Iterator[bytes]:
    rest = b""
    for begin in reversed(range(0, size, BLOCK)):
        data = os.pread(handle, min(BLOCK, size - begin), begin) + rest
        # What stands behind the last end of a line: one that is being written, or is none of ours.
        data = data[: data.rfind(b"\n") + 1]
        if begin:
            first, newline, data = data.partition(b"\n")
            rest = first + newline if len(first) < _LONGEST else b""
        yield from reversed(data.splitlines())


def count_lines(folder: Path) -> int:
    """Count the lines of the log that are events. Raises `Unreadable`."""
    number = 0
    for part in log_parts(folder):
        with _reading(part, folder) as handle:
            size = 0 if handle is None else part.end - part.begin
            for at in range(0, size, BLOCK):
                data = os.pread(handle or 0, min(BLOCK, size - at), at)
                number += data.count(b"\n") - data.count(SILENT)
    return number


def activity_stamp(folder: Path) -> LogStamp:
    """Return the log's end and beginning in bytes, and its last change. Raises `Unreadable`."""
    first, *_, last = [*log_parts(folder)] * 2
    try:
        info = last.path.stat()
    except FileNotFoundError:
        return LogStamp(last.end, "", first.begin)
    except OSError as error:
        raise Unreadable(f"{ACTIVITY} can't be read: {error.strerror}.") from error
    return LogStamp(last.end, f"{info.st_mtime_ns} {info.st_ctime_ns} {info.st_ino}", first.begin)


@contextmanager
def _reading(part: Part, root: Path) -> Iterator[int | None]:
    """A part opened to be read; None where it is gone."""
    try:
        handle = open_to_read(part.path, root)
    except FileNotFoundError:
        yield None
        return
    try:
        yield handle
    except OSError as error:
        raise Unreadable(f"{part.path.name} can't be read: {error.strerror}.") from error
    finally:
        os.close(handle)


SUMMARY = f"{ACTIVITY_PARTS}/summary"
_SLICE = 16_000_000
"""Bytes of the log after which a summary is written: a run that is stopped goes on there."""
_TELLING = 64_000
"""Bytes of a part in which a time is looked for."""
_LARGE = 4 * PART
"""Bytes from which a part, begun by an earlier version, is cut rather than removed whole."""


def load_summary(folder: Path) -> LogSummary:
    """Return the summary as it stands; an empty one where there is none, or it can't be read."""
    try:
        return read_summary(read_bytes(folder / SUMMARY, folder))
    except FileNotFoundError:
        return LogSummary()
    except Unreadable:
        return LogSummary(is_damaged=True)


def is_behind(folder: Path) -> bool:
    """Return whether something that was set aside of the log is not in the summary yet."""
    *parts, live = log_parts(folder)
    if not parts and live.end < _LARGE:
        return False
    try:
        handle = open_to_read(folder / SUMMARY, folder)
    except (FileNotFoundError, Unreadable):
        return bool(live.end)
    try:
        return end_of(os.pread(handle, BLOCK, 0)) < live.begin
    finally:
        os.close(handle)


def bring_up(folder: Path, most: int = -1) -> LogSummary:
    """Return the summary with about `most` bytes more of the log taken in, all where that is below
    0.

    It is kept as far as that works, and where no other program is at it.
    """
    try:
        with alone(folder) as free:
            return _extended(folder, most, keep=free)
    except StoreError:  # a disk that can't be written
        return _extended(folder, most, keep=False)


def _extended(folder: Path, most: int, *, keep: bool) -> LogSummary:
    summary, parts = load_summary(folder), log_parts(folder)
    # Where the log was taken away, what is in the summary stays, and goes on from its end.
    begun = start = min(max(summary.until, parts[0].begin), parts[-1].end)
    if start < summary.until:
        summary = summarise(summary, (), start)
        if keep:
            replace_derived(folder / SUMMARY, summary.text, folder)
    while most < 0 or start - begun < most:
        lines, end = activity_lines(folder, start, _SLICE if most < 0 else most)
        if end == start:
            break
        summary, start = summarise(summary, lines, end), end
        if keep:
            replace_derived(folder / SUMMARY, summary.text, folder)
    return summary


def shorten(folder: Path, now: datetime, keep: timedelta, most: int) -> Shortened | None:
    """Remove entries older than `keep` and, the oldest first, those beyond `most` bytes.

    Only whole parts that the summary covers; what they told of recalls and sessions stays in it.
    Age counts from the last use before today: a clock that is ahead removes nothing.
    """
    with alone(folder) as free:
        if not free:
            return None
        *parts, live = log_parts(folder)
        until = load_summary(folder).until
        ends = {part: _time_of(part, folder, last=True) for part in parts}
        before = expired_before(now, (time for time in ends.values() if time is not None), keep)
        number, left = 0, live.end - live.begin + sum(part.end - part.begin for part in parts)
        for part in parts:
            time = ends[part]
            is_old = time is not None and before is not None and time < before
            if part.end > until or not (is_old or left > most):
                break
            size = part.end - part.begin
            cut = size if is_old or size < _LARGE else min(size, left - most)
            if part is parts[-1] and cut == size:
                break  # its end says where the log goes on: without it, positions begin anew
            number += _remove(part, cut, folder)
            left -= cut
    return Shortened(number) if number else None


def begins(folder: Path) -> datetime | None:
    return _time_of(log_parts(folder)[0], folder, last=False)


def set_aside_old(folder: Path, now: datetime, age: timedelta) -> bool:
    """Begin a new part where the log's file was begun so long ago; whether that was done."""
    first = _time_of(log_parts(folder)[-1], folder, last=False)
    return first is not None and now - first > age and begin_part(folder)


def _remove(part: Part, cut: int, folder: Path) -> int:
    handle = open_to_read(part.path, folder)
    try:
        size = os.fstat(handle).st_size
        number = sum(
            os.pread(handle, min(BLOCK, cut - at), at).count(b"\n") for at in range(0, cut, BLOCK)
        )
        if cut < size:
            tail = os.pread(handle, BLOCK, cut)
            cut += tail.find(b"\n") + 1
            number += 1
            rest = b"".join(os.pread(handle, BLOCK, at) for at in range(cut, size, BLOCK))
            target = folder / ACTIVITY_PARTS / f"{part.begin + cut:016d}.jsonl"
            replace_derived(target, rest, folder)
    finally:
        os.close(handle)
    remove_file(part.path, folder)
    return number


def _time_of(part: Part, root: Path, *, last: bool) -> datetime | None:
    at = max(0, part.end - part.begin - _TELLING) if last else 0
    with suppress(StoreError), _reading(part, root) as handle:
        if handle is not None:
            lines = os.pread(handle, _TELLING, at).splitlines()
            return _time_in(reversed(lines) if last else lines)
    return None


def _time_in(lines: Iterable[bytes]) -> datetime | None:
    for entry in entries_of(lines):
        try:
            return parse_time(str(entry.get("timestamp", "")))
        except ValueError:
            continue
    return None
