"""The gate: one writer at a time, in this process and among all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.backends.files.locks import StoreLock
from store.backends.files.markers import judge
from store.errors import LockTimeout, ReadOnly, WriteFailed


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


def test_a_gate_that_can_not_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ReadOnly, match=r"\.lock could not be written"), StoreLock(tmp_path).hold():
        pass


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
