"""The activity log, and the recalls it tells of."""

from __future__ import annotations

from pathlib import Path

from store.backends.activity import RecallLog, folded
from store.backends.files.layout import ACTIVITY
from store.backends.files.log import FileLog
from store.backends.log_summary import Recalls
from tests.store.factories import append_activity


def _recall(folder: Path, time: str, *ids: object) -> None:
    append_activity(folder, {"type": "recalled", "timestamp": time, "observationIds": [*ids]})


def test_a_replaced_log_is_read_from_its_beginning(tmp_path: Path) -> None:
    log = RecallLog(FileLog(tmp_path))
    for day in range(1, 4):
        _recall(tmp_path, f"2026-03-0{day}T00:00:00.000Z", "a")
    log.read_on()
    (tmp_path / ACTIVITY).unlink()
    _recall(tmp_path, "2026-03-09T00:00:00.000Z", "b")
    log.read_on()
    assert log.uncounted({"id": "a"}) is None
    assert log.uncounted({"id": "b"}) == Recalls(1, "2026-03-09T00:00:00.000Z")
    (tmp_path / ACTIVITY).write_text("")
    log.read_on()
    assert (log.end, log.uncounted({"id": "b"})) == (0, None)


def test_recalls_count_after_the_last_one_the_record_knows(tmp_path: Path) -> None:
    log = RecallLog(FileLog(tmp_path))
    assert log.uncounted({"id": "a"}) is None
    for day in range(1, 4):
        _recall(tmp_path, f"2026-03-0{day}T00:00:00.000Z", "a", 7, None)
    append_activity(tmp_path, {"type": "recalled", "observationIds": "a"})
    append_activity(tmp_path, {"type": "stored", "observationIds": ["a"]})
    log.read_on()
    assert log.uncounted({"id": "a"}) == Recalls(3, "2026-03-03T00:00:00.000Z")
    counted = {"id": "a", "recallCount": 1, "lastRecalled": "2026-03-01T00:00:00.000Z"}
    assert log.uncounted(counted) == Recalls(2, "2026-03-03T00:00:00.000Z")
    assert folded(counted, log) == {
        "id": "a",
        "recallCount": 3,
        "lastRecalled": "2026-03-03T00:00:00.000Z",
    }
    assert folded({"id": "a", "recallCount": "many"}, log) == {
        "id": "a",
        "recallCount": 3,
        "lastRecalled": "2026-03-03T00:00:00.000Z",
    }
    for nothing in ({"id": "b"}, {"id": 7}, {}, None, "a"):
        assert log.uncounted(nothing) is None
    assert folded({"id": "b"}, log) is None
