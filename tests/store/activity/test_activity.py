"""The activity log: what is written to it, what reads it, and how it is shortened."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory
from store.activity.log import CaptureHealth, read_log
from store.activity.writer import ActivityWriter
from store.backends.files.backend import FilesBackend
from store.backends.files.layout import ACTIVITY
from store.backends.memory.backend import Held, MemoryBackend
from store.events import (
    EventBus,
    MemoryProblem,
    MemoryStored,
)
from tests.store.exchange.keys import made_up_key
from tests.store.factories import NOW, Clock, append_activity, logged, make_memory, observation


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


def test_capture_that_fails_since_it_worked_last(tmp_path: Path) -> None:
    write(tmp_path, "captured", 2)
    for number in (3, 4, 5):
        write(tmp_path, "failed", number, kind="hook stop", message=f"Failed {number}.")
    health = read_log(FilesBackend(tmp_path), 0).capture
    assert health == CaptureHealth(day(2), day(3), "Failed 5.")


# The lines of the log: what of each event stands in one, and what of a problem with the log.


MANY = tuple(f"obs-{at}" for at in range(60))
COUNTED: dict[str, Any] = {
    "agent": "qa",
    "issue_number": 7,
    "count": 60,
    "total_tokens": 5,
    "observation_ids": MANY,
    "timestamp": NOW,
    "took": 1.5,
}


class World:
    """A log, and what is told beside it."""

    def __init__(self) -> None:
        self.backend = MemoryBackend(Held("m"), Clock())
        self.events = EventBus()
        self.told: list[tuple[str, str]] = []
        ActivityWriter(self.backend, self.events, timedelta(days=9), 900)
        self.events.subscribe(MemoryProblem, lambda it: self.told.append((it.kind, it.message)))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.backend.log.lines()[0]]


@pytest.fixture
def world() -> World:
    return World()


# How searches and injections went, by the log and in this run, and what a screen says of it.


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    memory = make_memory(tmp_path, clock)
    memory.store([observation("The lock waits."), observation("It ends.", archived=True)])
    return memory


def test_failures_are_logged_without_secrets(memory: Memory) -> None:
    secret = made_up_key()
    memory.record_failure("capture-failed", f"No room at {secret}.", "s")
    memory.record_failure("hook stop", "No room.")
    memory._store.recorder.problem("not-settled", f"It lags: {secret}", took=12.345)
    failed, other, warned = logged(memory.path)[-3:]
    assert (failed["type"], failed["kind"], failed["sessionId"]) == (
        "failed",
        "capture-failed",
        "s",
    )
    assert failed["message"].startswith("No room at [redacted")
    assert "sessionId" not in other
    assert (warned["type"], warned["kind"], warned["tookMs"]) == ("warning", "not-settled", 12.3)
    assert secret not in (memory.path / "activity.jsonl").read_text()
    assert memory.activity().capture.message == "No room."


@pytest.mark.parametrize(
    ("grown", "shortened", "lines"),
    [(False, 3, ["stored"]), (True, 3, ["stored", "shortened"]), (True, 0, ["stored"])],
)
def test_a_log_that_has_grown_is_shortened_and_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch, grown: bool, shortened: int, lines: list[str]
) -> None:
    append, asked = world.backend.log.append, list[tuple[object, ...]]()

    def appended(line: Any) -> bool:  # noqa: ANN401
        append(line)
        return grown

    def settle(*given: object) -> int:
        asked.append(given)
        return shortened

    monkeypatch.setattr(world.backend.log, "append", appended)
    monkeypatch.setattr(world.backend.log, "settle", settle)
    world.events.emit(MemoryStored(**COUNTED))
    assert [it["type"] for it in world.lines()] == lines
    assert asked == ([(NOW, timedelta(days=9), 900)] if grown else [])
    if len(lines) > 1:
        assert world.lines()[1] == {
            "type": "shortened",
            "timestamp": "2026-03-01T12:00:00.000Z",
            "count": 3,
        }
