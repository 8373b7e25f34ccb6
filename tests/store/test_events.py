"""The event bus: told in order, and nobody is stopped by a listener that fails."""

from __future__ import annotations

import logging

import pytest

from store.events import EventBus, MemoryProblem
from tests.store.factories import NOW

PROBLEM = MemoryProblem(kind="lock-timeout", message="held", timestamp=NOW)


def test_a_listener_that_fails_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
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
