"""What is kept of the log, by tables: what is behind, what is taken in at once, what goes."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from store.backends.files import activity
from store.backends.files.activity import (
    SUMMARY,
    activity_backwards,
    activity_lines,
    activity_stamp,
    alone,
    begin_part,
    bring_up,
    count_lines,
    is_behind,
    load_summary,
    log_parts,
    shorten,
)
from store.backends.files.layout import ACTIVITY
from store.backends.protocol import Shortened
from store.errors import Unreadable
from store.records import format_time
from tests.open_files import open_below
from tests.store.factories import NOW

DAY = timedelta(days=1)
ENTRY = 120
"""Bytes of each entry here."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "BLOCK", 170)
    monkeypatch.setattr(activity, "_LARGE", 8 * ENTRY)


def entry(number: int, days: float | None = 0) -> bytes:
    """A line of the log; of no day at all, one without a time."""
    value = {"type": "recalled", "observationIds": [f"m{number}"], "fill": ""}
    if days is not None:
        value["timestamp"] = format_time(NOW - days * DAY)
    room = ENTRY - 1 - len(json.dumps(value))
    return json.dumps(value | {"fill": "." * room}).encode() + b"\n"


def log(folder: Path, *parts: Iterable[float | None]) -> None:
    """A log of parts, each of entries as old as is said; the last is the one it goes on in."""
    number = 0
    for at, days in enumerate(parts):
        if at:
            assert begin_part(folder)
        with (folder / ACTIVITY).open("ab") as file:
            for one in days:
                file.write(entry(number, one))
                number += 1


def sizes(folder: Path) -> list[tuple[int, int]]:
    """Where the parts begin and end, in entries."""
    return [(it.begin // ENTRY, it.end // ENTRY) for it in log_parts(folder)]


def numbers(lines: Iterable[bytes]) -> list[int]:
    return [int(json.loads(line)["observationIds"][0][1:]) for line in lines]


@pytest.mark.parametrize(
    ("parts", "summed", "is_so"),
    [
        ([], None, False),
        ([[0] * 7], None, False),
        ([[0] * 8], None, True),
        ([[0] * 8], 8, False),
        ([[0], []], None, True),
        ([[0], [0]], 1, False),
        ([[0], [0], [0]], 1, True),
        ([[0], [0], [0]], 2, False),
        ([[0] * 9, [0]], 3, True),
    ],
)
def test_what_was_set_aside_and_is_not_summed_up_is_behind(
    tmp_path: Path, parts: list[list[float]], summed: int | None, is_so: bool
) -> None:
    log(tmp_path, *parts)
    if summed is not None:
        with alone(tmp_path):
            (tmp_path / SUMMARY).write_text(
                json.dumps({"format": 1, "until": summed * ENTRY, "bytes": 0}) + "\n"
            )
    before = open_below(tmp_path)
    assert is_behind(tmp_path) is is_so
    assert open_below(tmp_path) == before


@pytest.mark.parametrize(
    ("most", "taken"),
    [(0, 0), (1, 1), (ENTRY, 1), (ENTRY + 1, 2), (2 * ENTRY, 2), (9 * ENTRY, 7), (-1, 7)],
)
def test_so_much_is_taken_in_at_once(tmp_path: Path, most: int, taken: int) -> None:
    log(tmp_path, [3] * 3, [2] * 2, [1] * 2)
    for times in (1, 2, 3):
        found = bring_up(tmp_path, most)
        ids = [f"m{number}" for number in range(min(7, times * taken))]
        assert (found.until, [*found.identifiers()]) == (ENTRY * len(ids), ids)
        assert load_summary(tmp_path) == found


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
        # A large one is cut, at the end of the line that goes past.
        ([[2] * 9, [2]], 99, 9, [(2, 9), (9, 10)]),
        ([[2] * 9, [2]], 99, 3, [(8, 9), (9, 10)]),
        ([[2] * 7, [2]], 99, 3, None),
        ([[2] * 9, [2], [2]], 99, 4, [(8, 9), (9, 10), (10, 11)]),
        ([[9] * 9, [5], [2]], 3, 99, [(9, 10), (10, 11)]),
    ],
)
def test_what_goes(
    tmp_path: Path,
    parts: list[list[float | None]],
    keep: int,
    most: int,
    left: list[tuple[int, int]] | None,
) -> None:
    log(tmp_path, *parts)
    before = sizes(tmp_path)
    bring_up(tmp_path)
    found = shorten(tmp_path, NOW, keep * DAY, most * ENTRY)
    gone = 0 if left is None else left[0][0]
    assert sizes(tmp_path) == (before if left is None else left)
    assert found == (Shortened(gone) if gone else None)
    lines, end = activity_lines(tmp_path)
    assert numbers(lines) == list(range(gone, before[-1][1]))
    assert end == before[-1][1] * ENTRY
    assert load_summary(tmp_path).until == end, "the summary tells of what went too"
    assert len(list(load_summary(tmp_path).identifiers())) == end // ENTRY


def test_only_what_is_summed_up_goes_and_only_where_nobody_else_is_at_it(tmp_path: Path) -> None:
    log(tmp_path, [9] * 2, [9] * 2, [7] * 2, [2])
    bring_up(tmp_path, 4 * ENTRY)
    with alone(tmp_path):
        assert shorten(tmp_path, NOW, DAY, 99 * ENTRY) is None
    assert sizes(tmp_path) == [(0, 2), (2, 4), (4, 6), (6, 7)]
    assert shorten(tmp_path, NOW, DAY, 99 * ENTRY) == Shortened(4)
    assert sizes(tmp_path) == [(4, 6), (6, 7)]


def test_each_look_at_the_log_says_the_same(tmp_path: Path) -> None:
    """Lines, positions, counts and stamps, while it grows, is set aside, cut and taken away."""
    told: list[tuple[int, list[tuple[int, int]]]] = []
    for step in range(9):
        if step in (2, 5):
            assert begin_part(tmp_path)
        if step == 7:
            log_parts(tmp_path)[0].path.unlink()
        with (tmp_path / ACTIVITY).open("ab") as file:
            file.write(entry(step) + (b'{"type":"counted"}\n' + b" " * 100 + b"\n") * (step == 4))
        lines, end = activity_lines(tmp_path)
        stamp = activity_stamp(tmp_path)
        assert [*activity_backwards(tmp_path)] == lines[::-1]
        assert (stamp.begin, stamp.end) == (2 * ENTRY if step > 6 else 0, end)
        assert activity_lines(tmp_path, end) == ([], end)
        assert activity_lines(tmp_path, end + 1) == (lines, end)
        told.append((count_lines(tmp_path), sizes(tmp_path)))
    assert told == [
        (1, [(0, 1)]),
        (2, [(0, 2)]),
        (3, [(0, 2), (2, 3)]),
        (4, [(0, 2), (2, 4)]),
        (6, [(0, 2), (2, 6)]),
        (7, [(0, 2), (2, 6), (6, 7)]),
        (8, [(0, 2), (2, 6), (6, 8)]),
        (7, [(2, 6), (6, 9)]),
        (8, [(2, 6), (6, 10)]),
    ]


@pytest.mark.parametrize(
    "read", [activity_lines, count_lines, lambda it: [*activity_backwards(it)]]
)
def test_a_log_that_the_disk_does_not_give_is_named(
    tmp_path: Path, read: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path, [0])

    def refuse(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "pread", refuse)
    with pytest.raises(Unreadable, match=r"^activity\.jsonl can't be read: Input/output error\.$"):
        read(tmp_path)
