"""The activity log as values."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from store.activity.log import ActivityEntry, CaptureHealth, activity_entry, read_log
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import ACTIVITY
from store.model import InjectedCounts
from tests.store.factories import append_activity


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 10, 0, tzinfo=UTC)


def write(folder: Path, type: str, at: int, /, **more: Any) -> None:  # noqa: ANN401
    append_activity(folder, {"type": type, "timestamp": day(at).isoformat(), **more})


def test_broken_lines_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "stored", 1)
    with (tmp_path / ACTIVITY).open("ab") as file:
        file.write(b'{"type": "cut\n[1]\n\x00\xff\n{"type": "undone"}\n{"type": "half')
    assert [item.kind for item in read_log(FilesBackend(tmp_path), 10).entries] == [
        "undone",
        "stored",
    ]


def test_a_line_in_full() -> None:
    entry = {
        "type": "recalled",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "agent": "engineer",
        "issueNumber": 29,
        "count": 2,
        "totalTokens": 180,
        "observationIds": ["a", "b", 7],
        "text": "00ff",
        "tookMs": 12,
        "sessions": 1,
        "profile": "memtui",
    }
    assert activity_entry(entry) == ActivityEntry(
        "recalled",
        day(1),
        "engineer",
        29,
        count=2,
        tokens=180,
        ids=("a", "b"),
        text="00ff",
        took=12.0,
        injected=InjectedCounts(memories=1, sessions=1),
        more={"profile": "memtui"},
    )


def test_capture_that_fails_since_it_worked_last(tmp_path: Path) -> None:
    write(tmp_path, "captured", 2)
    for number in (3, 4, 5):
        write(tmp_path, "failed", number, kind="hook stop", message=f"Failed {number}.")
    health = read_log(FilesBackend(tmp_path), 0).capture
    assert health == CaptureHealth(day(2), day(3), "Failed 5.")
