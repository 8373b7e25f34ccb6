"""The activity log as values."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.action import Action
from store.activity.log import (
    ActivityEntry,
    ActivityLog,
    CaptureHealth,
    activity_entry,
    read_log,
)
from store.backends.files.activity import append_activity
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import ACTIVITY
from store.errors import Unreadable
from store.model import InjectedCounts


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 10, 0, tzinfo=UTC)


def write(folder: Path, type: str, at: int, /, **more: Any) -> None:  # noqa: ANN401
    append_activity(folder, {"type": type, "timestamp": day(at).isoformat(), **more})


def test_no_log_is_an_empty_one(tmp_path: Path) -> None:
    assert read_log(FilesBackend(tmp_path), 10) == ActivityLog()


def test_newest_first_and_no_more_than_asked_for(tmp_path: Path) -> None:
    for number in range(1, 8):
        write(tmp_path, "stored", number, count=number)
    log = read_log(FilesBackend(tmp_path), 3)
    assert [item.count for item in log.entries] == [7, 6, 5]
    assert (log.total, log.entries[0].time) == (7, day(7))


def test_a_log_is_read_again_only_where_it_changed(tmp_path: Path) -> None:
    write(tmp_path, "stored", 1)
    log = read_log(FilesBackend(tmp_path), 10)
    assert read_log(FilesBackend(tmp_path), 10, log) is log
    write(tmp_path, "undone", 2)
    assert [item.kind for item in read_log(FilesBackend(tmp_path), 10, log).entries] == [
        "undone",
        "stored",
    ]


def test_broken_lines_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "stored", 1)
    with (tmp_path / ACTIVITY).open("ab") as file:
        file.write(b'{"type": "cut\n[1]\n\x00\xff\n{"type": "undone"}\n{"type": "half')
    assert [item.kind for item in read_log(FilesBackend(tmp_path), 10).entries] == [
        "undone",
        "stored",
    ]


def test_lines_that_tell_nothing_take_the_place_of_none_that_do(tmp_path: Path) -> None:
    for number in range(1, 5):
        write(tmp_path, "stored", number, count=number)
        with (tmp_path / ACTIVITY).open("ab") as file:
            file.write(b'{"type": "cut\n[1]\n')
    log = read_log(FilesBackend(tmp_path), 2)
    assert [item.count for item in log.entries] == [4, 3]
    assert log.total >= 4
    assert read_log(FilesBackend(tmp_path), 0).entries == ()


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / ACTIVITY).mkdir()
    with pytest.raises(Unreadable):
        read_log(FilesBackend(tmp_path), 10)


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


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ({"text": "00ff", "count": 7, "messages": 2, "sessions": 1}, InjectedCounts(4, 2, 1)),
        ({"text": "00ff", "count": 2, "messages": 2, "sessions": 3}, InjectedCounts(0, 2, 3)),
        ({"text": "00ff", "count": "7", "messages": True}, InjectedCounts()),
        ({"text": "", "count": 7}, InjectedCounts()),
        ({"count": 7, "messages": 2}, InjectedCounts()),
    ],
)
def test_only_an_injected_text_tells_memories_messages_and_sessions(
    said: dict[str, Any], counts: InjectedCounts
) -> None:
    entry = activity_entry({"type": "recalled", **said})
    assert (entry.injected, entry.more) == (counts, {})


def test_every_field_of_a_line_is_told_by_its_own_name() -> None:
    line = {
        "type": "failed", "timestamp": "2026-03-01T11:00:00+01:00", "agent": "a", "issueNumber": 0,
        "sessionId": "s", "count": 3, "totalTokens": 4, "observationIds": ["x"], "operation": "o",
        "kind": "lock-timeout", "message": "m", "tookMs": 1.5,
        "action": {"kind": "add", "figures": {"memories": 2}},
        "profile": "p", "client": ["c"],
    }  # fmt: skip
    assert activity_entry(line) == ActivityEntry(
        "failed", day(1), "a", 0, "s", 3, 4, ("x",), Action("add", {"memories": 2}), "o",
        problem="lock-timeout", message="m", took=1.5, more={"profile": "p", "client": ["c"]},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("title", "told"),
    [("Compacted", "Compacted"), ("", None), (7, None), (["x"], None), ({"a": 1}, None)],
)
def test_an_earlier_versions_sentence_is_told_and_nothing_else(
    title: object, told: str | None
) -> None:
    action = activity_entry({"type": "operation", "title": title}).action
    assert (action and action.title) == told


def test_capture_that_works(tmp_path: Path) -> None:
    write(tmp_path, "failed", 1, kind="capture-failed", message="Once.")
    write(tmp_path, "captured", 2, count=0)
    write(tmp_path, "failed", 3, kind="hook session-start", message="Something else.")
    write(tmp_path, "stored", 4, note="captured")
    assert read_log(FilesBackend(tmp_path), 1).capture == CaptureHealth(day(2))


def test_capture_that_fails_since_it_worked_last(tmp_path: Path) -> None:
    write(tmp_path, "captured", 2)
    for number in (3, 4, 5):
        write(tmp_path, "failed", number, kind="hook stop", message=f"Failed {number}.")
    health = read_log(FilesBackend(tmp_path), 0).capture
    assert health == CaptureHealth(day(2), day(3), "Failed 5.")


def test_capture_that_never_worked(tmp_path: Path) -> None:
    write(tmp_path, "failed", 3, kind="capture-failed", message="No transcript.")
    assert read_log(FilesBackend(tmp_path), 0).capture == CaptureHealth(
        None, day(3), "No transcript."
    )


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
_FIELDS = ("type", "timestamp", "count", "observationIds", "tookMs", "issueNumber", "message")


@given(st.dictionaries(st.sampled_from(_FIELDS) | st.text(), _JSON, max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_object_is_an_entry(entry: dict[str, Any]) -> None:
    made = activity_entry(json.loads(json.dumps(entry)))
    assert isinstance(made.kind, str)
    assert made.took is None or isinstance(made.took, float)


@pytest.mark.parametrize(
    ("said", "took"),
    [
        (0, 0.0),
        (1.5, 1.5),
        (-1, None),
        (1e12, None),
        (1e12 - 1, 1e12 - 1),
        (True, None),
        ("9", None),
    ],
)
def test_a_time_that_nothing_takes_is_none(said: object, took: float | None) -> None:
    assert activity_entry({"type": "stored", "tookMs": said}).took == took
