"""The gate: one writer at a time, in this process and among all."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from store.backends.files import locks, markers
from store.backends.files.locks import StoreLock
from store.backends.files.markers import STALE_AFTER, Marker, break_if_left, judge
from store.errors import LockTimeout, WriteFailed
from store.platform.lock import lock
from tests.open_files import open_below


def test_the_gate_may_be_held_again_by_its_holder(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path)
    with lock.hold(), lock.hold(), StoreLock(tmp_path).marked(tmp_path / "issue-7.json"):
        lock.check()
    with pytest.raises(WriteFailed, match="removed while writing"):
        lock.check()


def test_a_marker_that_was_taken_away_stops_the_write(tmp_path: Path) -> None:
    file = tmp_path / "issue-7.json"
    lock = StoreLock(tmp_path)
    with lock.marked(file):
        lock.check(file)
        (tmp_path / "issue-7.json.lock").write_text('{"agent": "other"}')
        with pytest.raises(WriteFailed, match=r"issue-7\.json was removed"):
            lock.check(file)
    assert (tmp_path / "issue-7.json.lock").exists()


@pytest.mark.parametrize(
    ("content", "holder"),
    [
        (b'{"agent": "a\\u001b[2J", "pid": 7}', "another program (process 7)"),
        (b'{"agent": 7}', "another program"),
        (b"[]", "another program"),
        (b"[" * 4096, "another program"),
        (b'{"timestamp": 1%s, "agent": "x"}' % (b"0" * 400), "x"),
        (b'{"memtui": 1, "pid": 1%s}' % (b"0" * 40), f"another program (process {10**40})"),
    ],
)
def test_a_hostile_holder_is_not_repeated(tmp_path: Path, content: bytes, holder: str) -> None:
    marker = tmp_path / "issue-7.json.lock"
    marker.write_bytes(content)
    judged = judge(marker, 0)
    assert judged is not None
    assert judged.holder == holder


def test_a_fork_holds_nothing_of_what_its_parent_holds(tmp_path: Path) -> None:
    """It leaves the block without letting go, and then waits as any other process does."""
    lock, went_well = StoreLock(tmp_path, timeout=0.05), False
    try:
        with lock.hold():
            child = os.fork()
            if child:
                _, status = os.waitpid(child, 0)
                lock.check()
        if not child:
            with pytest.raises(LockTimeout), lock.hold():
                pass
            with pytest.raises(WriteFailed):
                lock.check()
            went_well = True
    finally:
        if not child:
            os._exit(0 if went_well else 1)
    assert os.waitstatus_to_exitcode(status) == 0
    with lock.hold():
        lock.check()


# Markers beside the files being written: whose they are, and when they may be broken.


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "issue-29.json"


def _mark(file: Path, content: object, age: float = 0) -> Path:
    """A foreign marker, last changed `age` seconds ago by its modification time."""
    marker = file.with_name(f"{file.name}.lock")
    marker.write_text(content if isinstance(content, str) else json.dumps(content))
    os.utime(marker, (time.time() - age,) * 2)
    return marker


def _taken(file: Path) -> bool:
    """Whether the marker can be had at once."""
    try:
        with StoreLock(file.parent, timeout=0.05).marked(file):
            return True
    except LockTimeout:
        return False


def test_an_unreadable_marker_is_broken_only_when_it_has_not_changed_for_long(file: Path) -> None:
    marker = _mark(file, "{cut")
    judged = [judge(marker, time.time() + later) for later in (0, STALE_AFTER + 5)]
    assert [item and item.breakable for item in judged] == [False, True]
    assert not _taken(file)


def test_ours_of_a_living_process_is_waited_for(file: Path) -> None:
    started = Path(f"/proc/{os.getppid()}/stat")
    if not started.exists():
        pytest.skip("needs /proc")
    ticks = started.read_text().rsplit(") ", 1)[1].split()[19]
    _mark(file, {"pid": os.getppid(), "agent": "memtui", "memtui": 1, "started": ticks})
    assert not _taken(file)


def test_a_marker_that_was_replaced_since_it_was_judged_is_put_back(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = _mark(file, {"pid": 1, "agent": "newer"})
    monkeypatch.setattr(markers, "judge", lambda path, now: Marker("older", True, b"{}"))
    assert break_if_left(marker)
    assert json.loads(marker.read_text()) == {"pid": 1, "agent": "newer"}
    assert list(file.parent.iterdir()) == [marker]


def test_a_link_in_the_place_of_a_marker_holds_nobody(file: Path) -> None:
    theirs = _mark(file, {"pid": 1, "timestamp": int(time.time() * 1000), "agent": "other"})
    kept = theirs.rename(file.with_name("elsewhere"))
    theirs.symlink_to(kept)
    assert judge(theirs, time.time()) == Marker("a symbolic link", True, b"")
    assert _taken(file)
    assert not theirs.is_symlink() and kept.exists()


# How long who writes waits, how often it asks, when it rests: by a clock that the tests turn.


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
