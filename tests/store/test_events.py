"""The event bus: told in order, and nobody is stopped by a listener that fails."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, get_args

import pytest

from store.action import Action
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
from tests.store.factories import NOW, make_memory, observation

PROBLEM = MemoryProblem(kind="lock-timeout", message="held", timestamp=NOW)
CHANGED = MemoryChanged(kind="edit", operation_id="1", observation_ids=(), timestamp=NOW)


def test_listeners_hear_their_kind_in_the_order_they_came() -> None:
    bus = EventBus()
    heard: list[tuple[str, str]] = []
    bus.subscribe(MemoryProblem, lambda event: heard.append(("first", event.message)))
    bus.subscribe(MemoryProblem, lambda event: heard.append(("second", event.message)))
    bus.subscribe(MemoryChanged, lambda event: heard.append(("changed", event.kind)))
    bus.emit(PROBLEM)
    bus.emit(CHANGED)
    assert heard == [("first", "held"), ("second", "held"), ("changed", "edit")]


def test_a_listener_that_fails_is_logged_and_stops_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bus = EventBus()
    heard: list[str] = []

    def fail(event: MemoryProblem) -> None:
        raise RuntimeError("a listener's own mistake")

    bus.subscribe(MemoryProblem, fail)
    bus.subscribe(MemoryProblem, lambda event: heard.append(event.message))
    with caplog.at_level(logging.ERROR):
        bus.emit(PROBLEM)
    assert heard == ["held"]
    assert "a listener of memory-problem failed" in caplog.text


CLARIFIED: dict[str, Any] = {
    "id": "CLR-29-001",
    "issue_number": 29,
    "asker": "engineer",
    "asked": "architect",
    "topic": "API",
    "blocking": True,
    "round": 1,
    "timestamp": NOW,
}
EVENTS: tuple[Event, ...] = (
    ClarificationRequested(**CLARIFIED),
    ClarificationAnswered(**CLARIFIED),
    ClarificationStale(**CLARIFIED),
    ClarificationResolved(**CLARIFIED),
    ClarificationEscalated(**CLARIFIED),
    MemoryStored(
        agent="a", issue_number=1, count=1, total_tokens=2, observation_ids=("x",), timestamp=NOW
    ),
    SessionCaptured(
        agent="a", issue_number=1, session_id="s", observation_ids=("x",), timestamp=NOW
    ),
    SessionsTakenIn(count=3, timestamp=NOW),
    MemoryRecalled(
        agent="a", issue_number=1, count=1, total_tokens=2, observation_ids=("x",), timestamp=NOW
    ),
    MemoryChanged(
        kind="archive",
        operation_id="1",
        observation_ids=("x",),
        timestamp=NOW,
        action=Action("archive", {"memories": 1}),
        count=1,
    ),
    PROBLEM,
    MemoryProblem(kind="hook stop", message="No.", timestamp=NOW, is_failure=True, session_id="s"),
)


def test_the_activity_log_hears_every_event(tmp_path: Path) -> None:
    # What tells that a conversation was compacted is heard by capture, which tells what it did.
    assert {type(event) for event in EVENTS} == set(get_args(Event)) - {ContextCompacted}
    with make_memory(tmp_path) as memory:
        memory.store([observation()])
        for event in EVENTS:
            memory.events.emit(event)
        entries = memory.activity().entries[: len(EVENTS)]
    assert [entry.kind for entry in reversed(entries)] == [
        "asked", "answered", "asked-again", "resolved", "escalated",
        "stored", "captured", "taken-in", "recalled", "archived", "warning", "failed",
    ]  # fmt: skip
    assert {entry.time for entry in entries} == {NOW}
    assert (entries[0].problem, entries[0].message, entries[0].session) == ("hook stop", "No.", "s")
