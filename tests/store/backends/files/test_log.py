"""The activity log in parts: set aside by size and age, summed up, shortened."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store.backends.activity import RecallLog
from store.backends.files import log as module
from store.backends.files.layout import ACTIVITY
from store.backends.files.log import FileLog
from store.backends.log_summary import Recalls
from store.errors import Unreadable
from store.records import format_time
from tests.store.factories import NOW

DAY = timedelta(days=1)
ENTRY = 120
"""Bytes of each entry here."""


def entry(number: int, days: float | None = 0) -> bytes:
    """A line of the log; of no day at all, one without a time."""
    value = {"type": "recalled", "observationIds": [f"m{number}"], "fill": ""}
    if days is not None:
        value["timestamp"] = format_time(NOW - days * DAY)
    room = ENTRY - 1 - len(json.dumps(value))
    return json.dumps(value | {"fill": "." * room}).encode() + b"\n"


def make_log(folder: Path, *parts: Iterable[float | None]) -> FileLog:
    """A log of parts, each of entries as old as is given; the last is the one it goes on in."""
    log, number = FileLog(folder, lambda: NOW), 0
    for at, days in enumerate(parts):
        if at:
            assert log.begin_part()
        with (folder / ACTIVITY).open("ab") as file:
            for one in days:
                file.write(entry(number, one))
                number += 1
    return log


def sizes(log: FileLog) -> list[tuple[int, int]]:
    """Where the parts begin and end, in entries."""
    return [(part.begin // ENTRY, part.end // ENTRY) for part in log.parts()]


def numbers(log: FileLog) -> list[int]:
    return [int(json.loads(line)["observationIds"][0][1:]) for line in log.lines()[0]]


def recalled(log: FileLog, number: int, *ids: str, session: str = "s", days: float = 0) -> bool:
    time = format_time(NOW - days * DAY)
    told = {"type": "recalled", "timestamp": time, "count": number}
    return log.append({**told, "sessionId": session, "observationIds": [*ids]})


def test_an_append_while_the_log_is_set_aside_goes_to_the_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, other = make_log(tmp_path, [0]), FileLog(tmp_path)
    locked, once = fcntl.flock, [True]

    def overtaken(handle: Any, how: int) -> None:  # noqa: ANN401 - as flock's
        if how == fcntl.LOCK_SH and once:
            once.clear()
            assert other.begin_part()
        locked(handle, how)

    monkeypatch.setattr(fcntl, "flock", overtaken)
    recalled(log, 2, "m1")
    assert numbers(log) == [0, 1]
    assert [part.path.read_bytes().count(b"\n") for part in log.parts()] == [1, 1]


@pytest.mark.parametrize(
    ("parts", "keep", "most", "left"),
    [
        # By age, from the end of the last part, whole parts, the last of them never.
        ([[9] * 2, [5] * 2, [2]], 3, 99, [(2, 4), (4, 5)]),
        ([[9] * 2, [8] * 2, [5], [2]], 3, 99, [(2, 4), (4, 5), (5, 6)]),
        ([[9] * 2, [8] * 2, [4], [2]], 3, 99, [(4, 5), (5, 6)]),
        ([[9] * 2, [5] * 2, [2]], 4, 99, None),
        ([[9, 1], [5] * 2, [2]], 3, 99, None),
        # One that tells no time is not old, and stops those after it.
        ([[None] * 2, [9] * 2, [5], [2]], 3, 99, None),
        ([[20] * 2, [None] * 2, [9], [2]], 3, 99, [(2, 4), (4, 5), (5, 6)]),
        ([[9, None], [5], [2]], 3, 99, [(2, 3), (3, 4)]),
        ([[None] * 2, [None] * 2, [None]], 3, 99, None),
        # By size, the oldest first, to what is left.
        ([[2] * 2, [2] * 2, [2]], 99, 5, None),
        ([[2] * 2, [2] * 2, [2]], 99, 4, [(2, 4), (4, 5)]),
        ([[2] * 2, [2] * 2, [2]], 99, 1, [(2, 4), (4, 5)]),
    ],
)
def test_what_expires(
    tmp_path: Path,
    parts: list[list[float | None]],
    keep: int,
    most: int,
    left: list[tuple[int, int]] | None,
) -> None:
    log = make_log(tmp_path, *parts)
    before = sizes(log)
    gone = 0 if left is None else left[0][0]
    assert log.settle(NOW, keep * DAY, most * ENTRY) == gone
    assert sizes(log) == (before if left is None else left)
    assert numbers(log) == list(range(gone, before[-1][1]))
    assert log.summary().until == before[-1][1] * ENTRY, "it has what went, too"
    assert len(list(log.summary().identifiers())) == before[-1][1]


def test_only_what_is_summed_up_expires_and_only_while_no_other_is_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, other = make_log(tmp_path, [9] * 2, [9] * 2, [7] * 2, [2]), FileLog(tmp_path)
    monkeypatch.setattr(module, "_AT_ONCE", 3 * ENTRY)
    with other.alone():
        assert log.settle(NOW, DAY, 99 * ENTRY) == 0
    assert sizes(log) == [(0, 2), (2, 4), (4, 6), (6, 7)]
    assert log.settle(NOW, DAY, 99 * ENTRY) == 4
    assert sizes(log) == [(4, 6), (6, 7)]


def test_a_log_that_was_taken_away_goes_on_and_counts_once(tmp_path: Path) -> None:
    log = FileLog(tmp_path, lambda: NOW)
    for number in range(1, 30):
        recalled(log, number, "a")
    log.summarise()
    (tmp_path / ACTIVITY).unlink()
    counter = RecallLog(log)
    counter.read_on(complete=True)
    assert (counter.uncounted({"id": "a"}) or Recalls(0, "")).count == 29
    recalled(log, 99, "a")
    end = log.parts()[-1].end
    before = log.summarise()
    assert (before.until, before.recalls("a")[-1].count) == (end, 30)
    recalled(log, 100, "a")
    after = log.summarise()
    assert (after.until, after.recalls("a")[-1].count) == (log.parts()[-1].end, 31)


def test_a_line_that_a_crash_left_without_its_end_is_no_entry(tmp_path: Path) -> None:
    log = make_log(tmp_path, [0, 0])
    whole = (tmp_path / ACTIVITY).read_bytes()
    for cut in (1, 20, 90):
        (tmp_path / ACTIVITY).write_bytes(whole[:-cut])
        assert [*log.backwards()] == log.lines()[0] == whole.splitlines()[:1]


def test_a_file_too_large_to_be_ours_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = make_log(tmp_path, [0] * 9, [0])
    monkeypatch.setattr(module, "MAX_BYTES", 8 * ENTRY)
    assert numbers(log) == [9]
    assert log.summarise().until == 10 * ENTRY


@pytest.mark.parametrize("read", [FileLog.lines, FileLog.count, lambda log: [*log.backwards()]])
def test_a_log_that_the_disk_does_not_give_is_named(
    tmp_path: Path, read: Callable[[FileLog], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = make_log(tmp_path, [0])

    def refuse(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "pread", refuse)
    with pytest.raises(Unreadable, match=r"^activity\.jsonl can't be read: Input/output error\.$"):
        read(log)
