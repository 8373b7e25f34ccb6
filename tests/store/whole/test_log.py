"""What is told of all that happens: each event, and its line in the log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.action import Action
from store.activity.log import ActivityEntry
from store.activity.recorder import Recorder
from store.activity.writer import ActivityWriter
from store.backends.activity import read_activity
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.protocol import Shortened
from store.clarifications.model import Clarification, Entry, Status
from store.errors import WriteFailed
from store.events import (
    ClarificationAnswered,
    ClarificationEscalated,
    ClarificationEvent,
    ClarificationRequested,
    ClarificationResolved,
    ClarificationStale,
    Event,
    MemoryChanged,
    MemoryProblem,
    SessionCaptured,
)
from store.events.bus import EventBus
from store.memory import Memory
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, observation
from tests.store.test_events import EVENTS
from tests.store.whole.plain import as_text

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Filling(MemoryBackend):
    """A memory of which the log has grown with each line; shortening may fail, as may writing."""

    def __init__(self, answer: Shortened | WriteFailed | None, *, full: bool = False) -> None:
        super().__init__(Held("log"))
        self.answer, self.full = answer, full
        self.asked: list[object] = []

    def append_activity(self, entry: Mapping[str, Any]) -> bool:
        if self.full:
            raise WriteFailed("The disk is full.", "Free some.")
        super().append_activity(entry)
        return True

    def settle_activity(self, now: datetime, keep: timedelta, most: int) -> Shortened | None:
        self.asked.append((now, keep, most))
        if isinstance(self.answer, WriteFailed):
            raise self.answer
        return self.answer


def _listening(backend: MemoryBackend) -> tuple[EventBus, list[Event]]:
    bus, heard = EventBus(), list[Event]()
    ActivityWriter(backend, bus, timedelta(days=9), 77)
    for name in {it.name for it in EVENTS}:
        bus.subscribe(name, heard.append)
    return bus, heard


def test_the_line_of_each_event(snapshot: SnapshotAssertion) -> None:
    backend = MemoryBackend(Held("log"))
    bus, _ = _listening(backend)
    many = tuple(f"m{number}" for number in range(51))
    for event in (
        *EVENTS,
        SessionCaptured(
            agent=SECRET,
            issue_number=2,
            session_id=SECRET,
            observation_ids=many,
            timestamp=NOW,
            skipped=2,
            seen_again=3,
            took=1.5,
            operation_id="o",
        ),
        MemoryChanged(kind="undo", operation_id="2", observation_ids=many, timestamp=NOW, count=9),
        MemoryChanged(kind="redo", operation_id="3", observation_ids=(), timestamp=NOW),
        MemoryChanged(kind="restore", operation_id="4", observation_ids=(), timestamp=NOW),
        MemoryChanged(kind="compact", operation_id="5", observation_ids=(), timestamp=NOW),
        MemoryProblem(kind="manifest-rebuilt", message="", timestamp=NOW, took=0.449),
        MemoryProblem(kind="hook stop", message="", timestamp=NOW, took=0.0, is_failure=True),
        MemoryProblem(kind="log-not-written", message="Full.", timestamp=NOW),
        MemoryProblem(kind="log-not-shortened", message="Full.", timestamp=NOW, is_failure=True),
    ):
        bus.emit(event)
    assert "\n".join(map(json.dumps, read_activity(backend)[0])) == snapshot


FAILED = WriteFailed("The disk is full.", "Free some.")


@pytest.mark.parametrize(
    ("answer", "full", "lines", "told"),
    [
        (None, False, ["compact"], []),
        (Shortened(3), False, ["compact", "shortened"], []),
        (FAILED, False, ["compact"], [("log-not-shortened", "The disk is full.")]),
        (None, True, [], [("log-not-written", "The disk is full.")]),
    ],
)
def test_a_log_that_grew_is_shortened(
    answer: Shortened | WriteFailed | None,
    full: bool,
    lines: list[str],
    told: list[tuple[str, str]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    backend = Filling(answer, full=full)
    bus, heard = _listening(backend)
    changed = MemoryChanged(kind="compact", operation_id="5", observation_ids=(), timestamp=NOW)
    bus.emit(changed)
    found, _ = read_activity(backend)
    assert [it["type"] for it in found] == lines
    assert {it.get("count") for it in found} <= {0, 3}
    assert {it["timestamp"] for it in found} <= {"2026-03-01T12:00:00.000Z"}
    assert backend.asked == ([] if full else [(NOW, timedelta(days=9), 77)])
    assert not caplog.records
    problems = [MemoryProblem(kind=it, message=said, timestamp=NOW) for it, said in told]
    assert heard == [changed, *problems] or heard == [*problems, changed]


def test_a_warning_that_the_full_log_does_not_take_is_told_once() -> None:
    backend = Filling(None, full=True)
    bus, heard = _listening(backend)
    problem = MemoryProblem(kind="store-large", message="40", timestamp=NOW)
    bus.emit(problem)
    assert heard == [problem]


def test_the_events_that_are_told(snapshot: SnapshotAssertion) -> None:
    backend, clock = MemoryBackend(Held("log")), Clock()
    bus, heard = _listening(backend)
    recorder = Recorder(backend, bus, clock, timedelta(days=5), 1_000)
    told = [
        observation(id=f"m{at}", agent=agent, issue_number=issue, tokens=tokens)
        for at, (agent, issue, tokens) in enumerate(
            [("a", 1, 3), ("b", 1, 4), ("a", 2, 5), ("a", 1, 6)]
        )
    ]
    clock.pass_by(milliseconds=1_234.56)
    recorder.stored(told, NOW, "op-1")
    recorder.sessions_indexed(4)
    recorder.changed("archive", ("x", "y"), "op-3", Action("archive", {"memories": 2}), 2)
    recorder.problem("lock-timeout", f"Locked by {SECRET}.", took=3.5)
    recorder.failed("hook stop", f"Stopped by {SECRET}.", "s-9")
    for text in ("told", "told", "too long " * 200):
        recorder.recalled(
            text, ["m1", "m2"], agent="a", issue=1, tokens=9, started=NOW, details={"profile": "p"}
        )
    assert as_text([[it.name, it] for it in heard]) == snapshot


QUESTION = Entry(1, "a", "question", "Where?", NOW)
ASKED = Clarification(
    id="CLR-3-001",
    issue=3,
    asker="a",
    asked="b",
    topic="Locks",
    blocking=True,
    status="pending",
    round=2,
    max_rounds=5,
    created=NOW,
    stale_after=NOW,
    thread=(QUESTION,),
)


@pytest.mark.parametrize("status", [*Status, "unheard-of"])
def test_which_changes_of_a_question_are_events(status: str) -> None:
    heard: list[Event] = []
    memory = Memory(MemoryBackend(Held("log")), settings=Settings(), clock=Clock())
    for name in ("requested", "answered", "stale", "resolved", "escalated"):
        memory.events.subscribe(f"clarification-{name}", heard.append)
    tell = memory.clarifications._tell
    after = replace(ASKED, status=status)
    kind = EVENT_OF.get(status)
    told = () if kind is None else (kind(**{**SAID, "operation_id": "op"}),)
    assert tell(None, after, "op") is bool(told)
    assert tell(replace(after, thread=()), after, "op") is bool(told)
    assert not tell(after, after, "op")
    assert heard == [*told, *told]


EVENT_OF: dict[str, type[ClarificationEvent]] = {
    "pending": ClarificationRequested,
    "answered": ClarificationAnswered,
    "stale": ClarificationStale,
    "resolved": ClarificationResolved,
    "escalated": ClarificationEscalated,
}
SAID: dict[str, Any] = {
    "id": "CLR-3-001",
    "issue_number": 3,
    "asker": "a",
    "asked": "b",
    "topic": "Locks",
    "blocking": True,
    "round": 2,
    "timestamp": NOW,
}


def test_the_last_searches_are_kept_in_mind() -> None:
    clock = Clock()
    recorder = Recorder(MemoryBackend(Held("log")), EventBus(), clock, timedelta(days=5), 1_000)
    for number in range(1_001):
        clock.pass_by(seconds=1)
        recorder.searched(clock.now - timedelta(milliseconds=number), "No." * (number % 2))
    told = recorder.searches()
    assert len(told) == 1_000
    assert (told[0], told[-1]) == (
        ActivityEntry("searched", clock.now, took=1_000.0),
        ActivityEntry(
            "failed", NOW + timedelta(seconds=2), problem="search", message="No.", took=1.0
        ),
    )
