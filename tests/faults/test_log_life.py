"""The activity log loses no entry and counts none twice, wherever its settling dies."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store.backends.activity import RecallLog
from store.backends.files import log as module
from store.backends.files.log import FileLog
from store.backends.log_summary import entries_of
from store.records import format_time
from tests.faults.modes import Mode
from tests.faults.steps import at_each_call
from tests.store.factories import NOW

HELD = 24
MODES = [
    Mode.KILLED,
    Mode.TORN_WRITE,
    Mode.SHORT_WRITE,
    Mode.DISK_FULL,
    Mode.IO_ERROR,
    Mode.NO_PERMISSION,
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 600)


def recall(log: FileLog, number: int) -> bool:
    return log.append(
        {
            "type": "recalled",
            "timestamp": format_time(NOW),
            "count": number,
            "sessionId": "s",
            "observationIds": ["a"],
        }
    )


def prepare(folder: Path) -> None:
    log = FileLog(folder, lambda: NOW)
    for number in range(HELD):
        if recall(log, number):
            log.settle(NOW, timedelta(days=365), 10**9)


def settle(folder: Path) -> None:
    """What a recall does whose line makes the log so large that it is set aside and shortened."""
    log = FileLog(folder, lambda: NOW)
    recall(log, HELD)
    log.begin_part()
    log.settle(NOW, timedelta(days=365), 900)


def counted(folder: Path) -> int:
    log = RecallLog(FileLog(folder))
    log.read_on(complete=True)
    found = log.uncounted({"id": "a"})
    return 0 if found is None else found.count


def numbers(folder: Path) -> list[int]:
    lines, _ = FileLog(folder).lines()
    return [entry["count"] for entry in entries_of(lines)]


def test_settling_counts_what_it_shortens(tmp_path: Path) -> None:
    prepare(tmp_path)
    settle(tmp_path)
    assert counted(tmp_path) == HELD + 1
    assert 0 < len(numbers(tmp_path)) < 12


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("mode", MODES, ids=[mode.name.lower() for mode in MODES])
def test_settling_survives_faults(tmp_path: Path, mode: Mode, every: int) -> None:
    def check(folder: Path, where: str) -> None:
        before = counted(folder)
        assert before in (HELD, HELD + 1), where
        left = numbers(folder)
        assert left == list(range(left[0], before)), where
        if recall(FileLog(folder, lambda: NOW), before):
            FileLog(folder).settle(NOW, timedelta(days=365), 10**9)
        assert counted(folder) == before + 1, where
        assert numbers(folder)[-1] == before, where

    assert at_each_call(tmp_path, prepare, settle, check, every, [mode], is_derived=False)
