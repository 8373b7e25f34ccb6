"""The lines of the log: what of each event stands in one, and what of a problem with the log."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from store import Memory
from store.action import Action
from store.activity.writer import ActivityWriter
from store.backends.memory.backend import Held, MemoryBackend
from store.events import (
    ClarificationAnswered,
    ClarificationEscalated,
    ClarificationRequested,
    ClarificationResolved,
    ClarificationStale,
    ContextCompacted,
    Event,
    EventBus,
    MemoryChanged,
    MemoryProblem,
    MemoryRecalled,
    MemoryStored,
    SessionCaptured,
    SessionsTakenIn,
)
from tests.store.exchange.keys import made_up_key
from tests.store.factories import NOW, Clock, logged, make_memory, observation

AT = "2026-03-01T12:00:00.000Z"
MANY = tuple(f"obs-{at}" for at in range(60))
ASKED: dict[str, Any] = {
    "id": "CLR-29-001",
    "issue_number": 29,
    "asker": "engineer",
    "asked": "architect",
    "topic": "API",
    "blocking": False,
    "round": 1,
    "timestamp": NOW,
    "operation_id": "op",
}
ASKED_LINE = {"issueNumber": 29, "clarification": "CLR-29-001", "message": "API", "operation": "op"}
COUNTED: dict[str, Any] = {
    "agent": "qa",
    "issue_number": 7,
    "count": 60,
    "total_tokens": 5,
    "observation_ids": MANY,
    "timestamp": NOW,
    "took": 1.5,
}
COUNTED_LINE = {
    "agent": "qa",
    "issueNumber": 7,
    "count": 60,
    "totalTokens": 5,
    "observationIds": [*MANY],
    "tookMs": 1.5,
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
        """The lines of the log."""
        return [json.loads(line) for line in self.backend.log.lines()[0]]


@pytest.fixture
def world() -> World:
    return World()


EVENTS: list[tuple[Event, str, dict[str, Any]]] = [
    (MemoryStored(**COUNTED), "stored", COUNTED_LINE),
    (
        MemoryStored(**COUNTED, operation_id="op"),
        "stored",
        {**COUNTED_LINE, "operation": "op"},
    ),
    (
        MemoryRecalled(**COUNTED, text="0a", details={"channel": "text", "afresh": True}),
        "recalled",
        {**COUNTED_LINE, "text": "0a", "channel": "text", "afresh": True},
    ),
    (
        SessionCaptured(
            agent="qa", issue_number=7, session_id="s", observation_ids=MANY, timestamp=NOW,
            skipped=2, seen_again=3, took=4.5, operation_id="op",
        ),
        "captured",
        {
            "agent": "qa", "issueNumber": 7, "sessionId": "s", "count": 60, "skipped": 2,
            "observationIds": [*MANY[:50]], "seenAgain": 3, "operation": "op", "tookMs": 4.5,
        },
    ),
    (
        SessionCaptured(
            agent="qa", issue_number=0, session_id="s", observation_ids=(), timestamp=NOW,
            skipped=0, seen_again=0, took=0.0, operation_id="",
        ),
        "captured",
        {
            "agent": "qa", "issueNumber": 0, "sessionId": "s", "count": 0, "skipped": 0,
            "observationIds": [], "seenAgain": 0, "tookMs": 0.0,
        },
    ),
    (SessionsTakenIn(count=4, timestamp=NOW), "taken-in", {"count": 4}),
    (ClarificationRequested(**ASKED), "asked", {"agent": "engineer", **ASKED_LINE}),
    (ClarificationAnswered(**ASKED), "answered", {"agent": "architect", **ASKED_LINE}),
    (ClarificationStale(**ASKED), "asked-again", {"agent": "engineer", **ASKED_LINE}),
    (ClarificationResolved(**ASKED), "resolved", {"agent": "engineer", **ASKED_LINE}),
    (ClarificationEscalated(**ASKED), "escalated", {"agent": "engineer", **ASKED_LINE}),
    *(
        (
            MemoryChanged(
                kind=kind, operation_id="op", observation_ids=MANY, timestamp=NOW,
                action=Action("edit", {"memories": 60}), count=60,
            ),
            logged,
            {
                "action": {"kind": "edit", "figures": {"memories": 60}}, "operation": "op",
                "count": 60, "observationIds": [*MANY[:50]],
            },
        )
        for kind, logged in (
            ("undo", "undone"), ("redo", "redone"), ("archive", "archived"),
            ("restore", "restored"), ("edit", "edit"), ("own", "own"),
        )
    ),
]  # fmt: skip
"""Each event, the kind of its line and what else stands there."""


@pytest.mark.parametrize(("event", "kind", "line"), EVENTS)
def test_each_event_is_a_line(world: World, event: Event, kind: str, line: dict[str, Any]) -> None:
    world.events.emit(event)
    (found,) = world.lines()
    action = found.get("action")
    if action is not None:
        found["action"] = {key: action[key] for key in ("kind", "figures")}
    assert found == {"type": kind, "timestamp": AT, **line}


def test_every_kind_of_event_has_its_line() -> None:
    """A problem's is below; of a compacted conversation capture tells what came of it."""
    untold = {ContextCompacted, MemoryProblem}
    assert {type(event) for event, _, _ in EVENTS} == set(get_args(Event)) - untold


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, {"type": "warning"}),
        ({"message": "No.", "took": 2.345}, {"type": "warning", "message": "No.", "tookMs": 2.3}),
        ({"took": 0.0}, {"type": "warning", "tookMs": 0.0}),
        ({"session_id": "s"}, {"type": "warning"}),
        ({"is_failure": True}, {"type": "failed"}),
        (
            {"is_failure": True, "session_id": "s", "message": "No.", "took": 1.0},
            {"type": "failed", "sessionId": "s", "message": "No.", "tookMs": 1.0},
        ),
    ],
)
def test_lines_of_problems(world: World, fields: dict[str, Any], line: dict[str, Any]) -> None:
    world.events.emit(MemoryProblem(kind="some", timestamp=NOW, **{"message": "", **fields}))
    assert world.lines() == [{"kind": "some", "timestamp": AT, **line}]


def test_what_was_named_from_outside_stands_there_without_secrets(world: World) -> None:
    secret = made_up_key()
    world.events.emit(MemoryStored(**{**COUNTED, "agent": f"qa {secret}"}))
    world.events.emit(
        MemoryProblem(
            kind="k", message="", timestamp=NOW, is_failure=True, session_id=f"s {secret}"
        )
    )
    stored, failed = world.lines()
    assert stored["agent"].startswith("qa [redacted")
    assert failed["sessionId"].startswith("s [redacted")


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
        assert world.lines()[1] == {"type": "shortened", "timestamp": AT, "count": 3}


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
