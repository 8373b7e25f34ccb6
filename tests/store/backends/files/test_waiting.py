"""How long who writes waits, how often it asks, when it rests: by a clock that the tests turn."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from store.backends.files import locks
from store.backends.files.locks import StoreLock
from store.errors import LockTimeout
from store.platform.lock import lock
from tests.open_files import open_below


class Clock:
    """Time as the tests turn it, what was slept, and how the gate was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []
        self.free_after: float | None = 0.0
        self.time = SimpleNamespace(monotonic=lambda: self.now, sleep=self.sleep, time=time.time)
        monkeypatch.setattr(locks, "time", self.time)
        monkeypatch.setattr(locks, "lock", self.lock)

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds

    def lock(self, path: Path, until: float, poll: float) -> int | None:
        """As the lock that is tried until a time: somebody holds it until `free_after`."""
        if self.free_after is None or self.free_after > until - 1_000:
            self.now = until
            return None
        self.now = max(self.now, 1_000 + self.free_after)
        return lock(path, time.monotonic(), poll)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_gate_is_waited_for_until_its_timeout(tmp_path: Path, clock: Clock) -> None:
    gate = StoreLock(tmp_path, timeout=5)
    clock.free_after = 2.0
    with gate.hold():
        assert clock.now == 1_002
    clock.free_after = None
    with pytest.raises(LockTimeout), gate.hold():
        pass
    assert clock.now == pytest.approx(1_007, abs=0.01)


def test_a_gate_that_is_replaced_while_it_is_waited_for_is_taken_anew(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = clock.lock
    times: list[int | None] = []

    def replaced(path: Path, until: float, poll: float) -> int | None:
        handle = whole(path, until, poll)
        if not times:
            path.unlink()
        times.append(handle)
        return handle

    monkeypatch.setattr(locks, "lock", replaced)
    before = open_below(tmp_path)
    gate = StoreLock(tmp_path)
    with gate.hold():
        gate.check()
        assert len(times) == 2
        assert len(open_below(tmp_path)) == len(before) + 1, "the first one is closed"
        assert gate.is_held()
    assert not gate.is_held()
    assert open_below(tmp_path) == before
