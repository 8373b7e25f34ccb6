"""Markers beside the files being written: whose they are, and when they may be broken."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from store.backends.files import markers
from store.backends.files.locks import StoreLock
from store.backends.files.markers import STALE_AFTER, Marker, break_if_left, judge
from store.errors import LockTimeout


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
