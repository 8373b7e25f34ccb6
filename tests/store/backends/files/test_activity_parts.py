"""The activity log in parts: begun anew by size and age, summed up, shortened."""

from __future__ import annotations

import fcntl
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store.activity.log import read_log
from store.backends.activity import RecallLog, session_entries
from store.backends.files import activity
from store.backends.files.activity import (
    SUMMARY,
    append_activity,
    begin_part,
    bring_up,
    load_summary,
    log_parts,
)
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import ACTIVITY
from store.backends.log_summary import Recalls
from store.records import format_time
from tests.store.factories import NOW

DAY = timedelta(days=1)
YEAR = 365 * DAY


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "PART", 600)
    monkeypatch.setattr(activity, "BLOCK", 170)
    monkeypatch.setattr(activity, "_LARGE", 2_400)


def recalled(folder: Path, number: int, *ids: str, days: float = 0, session: str = "s") -> bool:
    entry = {
        "type": "recalled",
        "timestamp": format_time(NOW - days * DAY),
        "count": number,
        "sessionId": session,
        "observationIds": [*ids],
    }
    return append_activity(folder, entry)


def numbers(folder: Path) -> list[int]:
    return [it.count for it in read_log(FilesBackend(folder), 1_000).entries][::-1]


def parts(folder: Path) -> list[Path]:
    return [part.path for part in log_parts(folder)]


def sizes(folder: Path) -> list[int]:
    return [path.stat().st_size for path in parts(folder) if path.exists()]


def test_the_log_goes_on_in_a_new_file_and_positions_stay_what_they_are(tmp_path: Path) -> None:
    ends = [0]
    begun = []
    for number in range(1, 31):
        begun.append(recalled(tmp_path, number, "a"))
        ends.append(FilesBackend(tmp_path).activity_stamp().end)
    assert sum(begun) > 3
    assert len(parts(tmp_path)) == sum(begun) + 1
    assert max(sizes(tmp_path)) < 900
    assert ends == sorted(set(ends))
    for number, start in enumerate(ends):
        lines, end = FilesBackend(tmp_path).activity_lines(start)
        assert [json.loads(line)["count"] for line in lines] == list(range(number + 1, 31))
        assert end == ends[-1]
    assert numbers(tmp_path) == list(range(1, 31))
    assert read_log(FilesBackend(tmp_path), 3).total == 30


def test_a_program_that_appends_while_the_log_is_set_aside_writes_to_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recalled(tmp_path, 1)
    locked, once = fcntl.flock, [True]

    def overtaken(handle: Any, how: int) -> None:  # noqa: ANN401 - as flock's
        if how == fcntl.LOCK_SH and once:
            once.clear()
            assert begin_part(tmp_path)
        locked(handle, how)

    monkeypatch.setattr(fcntl, "flock", overtaken)
    recalled(tmp_path, 2)
    assert numbers(tmp_path) == [1, 2]
    assert [path.read_bytes().count(b"\n") for path in parts(tmp_path)] == [1, 1]


def test_what_a_session_was_told_is_known_however_long_the_log(tmp_path: Path) -> None:
    recalled(tmp_path, 1, "first", session="mine")
    for number in range(2, 60):
        if recalled(tmp_path, number, "b", session="other"):
            bring_up(tmp_path)
    recalled(tmp_path, 60, "last", session="mine")
    entries = session_entries(FilesBackend(tmp_path), "mine")
    assert [it["observationIds"] for it in entries] == [["first"], ["last"]]
    assert session_entries(FilesBackend(tmp_path), "nobody") == []


def test_recalls_are_counted_alike_before_and_after_the_log_is_summed_up(tmp_path: Path) -> None:
    backend = FilesBackend(tmp_path, lambda: NOW)
    for number in range(1, 30):
        recalled(tmp_path, number, "a", *("b" for _ in range(number % 2)), days=30 - number)
    logs = [RecallLog(backend)]
    logs[0].read_on()
    bring_up(tmp_path, 1_500)
    logs.append(RecallLog(backend))
    bring_up(tmp_path)
    logs.append(RecallLog(backend))
    for log in logs:
        log.read_on(complete=True)
        assert log.uncounted({"id": "a"}) == Recalls(29, format_time(NOW - DAY))
        assert log.uncounted({"id": "b"}) == Recalls(15, format_time(NOW - DAY))


def test_a_summary_that_is_damaged_is_built_anew(tmp_path: Path) -> None:
    for number in range(1, 61):
        recalled(tmp_path, number, "a")
    bring_up(tmp_path)
    (tmp_path / SUMMARY).write_bytes(b"\0")
    bring_up(tmp_path)
    assert load_summary(tmp_path).recalls("a")[0].count == 60


def test_a_log_that_was_taken_away_goes_on(tmp_path: Path) -> None:
    for number in range(1, 30):
        recalled(tmp_path, number, "a")
    bring_up(tmp_path)
    (tmp_path / ACTIVITY).unlink(missing_ok=True)
    backend = FilesBackend(tmp_path)
    log = RecallLog(backend)
    log.read_on(complete=True)
    before = log.uncounted({"id": "a"})
    assert before is not None
    recalled(tmp_path, 99, "a")
    log.read_on()
    after = log.uncounted({"id": "a"})
    assert after is not None
    assert after.count == before.count + 1


def test_a_line_that_a_crash_left_without_its_end_is_not_told(tmp_path: Path) -> None:
    for number in (1, 2):
        recalled(tmp_path, number)
    whole = (tmp_path / ACTIVITY).read_bytes()
    for cut in (1, 20, 90):
        (tmp_path / ACTIVITY).write_bytes(whole[:-cut])
        told = list(activity.activity_backwards(tmp_path))
        assert told == activity.activity_lines(tmp_path)[0][::-1] == whole.splitlines()[:1]


def test_what_is_summed_up_of_a_log_that_was_taken_away_is_counted_once(tmp_path: Path) -> None:
    for number in range(1, 30):
        recalled(tmp_path, number, "a")
    bring_up(tmp_path)
    (tmp_path / ACTIVITY).unlink(missing_ok=True)
    recalled(tmp_path, 99, "a")
    end = log_parts(tmp_path)[-1].end
    before = bring_up(tmp_path)
    assert before.until == end
    assert before.recalls("a")[-1].count == 29
    recalled(tmp_path, 100, "a")
    after = bring_up(tmp_path)
    assert after.until == log_parts(tmp_path)[-1].end
    assert after.recalls("a")[-1].count == before.recalls("a")[-1].count + 1
