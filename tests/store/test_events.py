"""The event bus: told in order, and nobody is stopped by a listener that fails."""

from __future__ import annotations

import logging

import pytest

from store.events import EventBus, MemoryChanged, MemoryProblem
from tests.store.factories import NOW

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
