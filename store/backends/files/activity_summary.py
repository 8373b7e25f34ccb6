"""The summary of the parts of the activity log that were set aside."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

from store.backends.expiry import expired_before
from store.backends.files.activity import (
    BLOCK,
    PART,
    Part,
    activity_lines,
    alone,
    begin_part,
    log_parts,
)
from store.backends.files.layout import ACTIVITY_PARTS
from store.backends.log_summary import LogSummary, end_of, entries_of, read_summary, summarise
from store.backends.protocol import Shortened
from store.errors import StoreError, Unreadable
from store.platform.move import remove_file
from store.platform.read import open_to_read, read_bytes
from store.platform.write import replace_derived
from store.records import parse_time

SUMMARY = f"{ACTIVITY_PARTS}/summary"
_SLICE = 16_000_000
"""Bytes of the log after which a summary is written: a run that is stopped goes on there."""
_TELLING = 64_000
"""Bytes of a part in which a time is looked for."""
_LARGE = 4 * PART
"""Bytes from which a part, begun by an earlier version, is cut rather than removed whole."""


def load_summary(folder: Path) -> LogSummary:
    """The summary as it stands; an empty one where there is none, or it can't be read."""
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
    """The summary with about `most` bytes more of the log taken in, all where that is below 0.

    It is kept as far as that works, and where no other program is at it.
    """
    try:
        with alone(folder) as free:
            return _taken_in(folder, most, keep=free)
    except StoreError:  # a disk that can't be written
        return _taken_in(folder, most, keep=False)


def _taken_in(folder: Path, most: int, *, keep: bool) -> LogSummary:
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
    """When the first entry of the log was made."""
    return _time_of(log_parts(folder)[0], folder, last=False)


def set_aside_old(folder: Path, now: datetime, age: timedelta) -> bool:
    """Begin a new part where the log's file was begun so long ago; whether that was done."""
    first = _time_of(log_parts(folder)[-1], folder, last=False)
    return first is not None and now - first > age and begin_part(folder)


def _remove(part: Part, cut: int, folder: Path) -> int:
    """Remove a part up to a byte; how many lines that were."""
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
    try:
        handle = open_to_read(part.path, root)
    except (FileNotFoundError, StoreError):
        return None
    try:
        if not last:
            return _time_in(os.pread(handle, _TELLING, 0).splitlines())
        at = max(0, part.end - part.begin - _TELLING)
        return _time_in(reversed(os.pread(handle, _TELLING, at).splitlines()))
    finally:
        os.close(handle)


def _time_in(lines: Iterable[bytes]) -> datetime | None:
    for entry in entries_of(lines):
        try:
            return parse_time(str(entry.get("timestamp", "")))
        except ValueError:
            continue
    return None
