"""Markers beside the files being written: whose they are, and when they may be broken."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from store.backends.files import markers
from store.backends.files.locks import StoreLock
from store.backends.files.markers import (
    STALE_AFTER,
    Marker,
    break_if_left,
    holder_of,
    judge,
    read_marker,
)
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


def test_a_marker_is_published_whole_and_gone_after(file: Path) -> None:
    lock = StoreLock(file.parent)
    marker = file.with_name("issue-29.json.lock")
    with lock.marked(file):
        content = json.loads(marker.read_text())
        lock.check(file)
    assert {"pid", "timestamp", "created", "agent"} <= content.keys()
    assert content["pid"] == os.getpid()
    assert {path.name for path in file.parent.iterdir()} == {".lock"}


@pytest.mark.parametrize(
    ("stated", "taken"), [(0.0, False), (STALE_AFTER - 5, False), (STALE_AFTER + 5, True)]
)
def test_a_foreign_marker_counts_by_the_time_it_states(
    file: Path, stated: float, taken: bool
) -> None:
    _mark(file, {"pid": 1, "timestamp": int((time.time() - stated) * 1000), "agent": "other"})
    assert _taken(file) is taken


def test_a_marker_from_the_future_counts_by_its_file(file: Path) -> None:
    now = time.time()
    marker = _mark(file, {"pid": 1, "timestamp": int((now + 9_000) * 1000), "agent": "other"})
    judged = [judge(marker, now + later) for later in (0, STALE_AFTER + 5)]
    assert [item and item.breakable for item in judged] == [False, True]


def test_an_unreadable_marker_is_broken_only_when_it_has_not_changed_for_long(file: Path) -> None:
    marker = _mark(file, "{cut")
    judged = [judge(marker, time.time() + later) for later in (0, STALE_AFTER + 5)]
    assert [item and item.breakable for item in judged] == [False, True]
    assert not _taken(file)


def test_ours_left_by_a_dead_process_is_broken_at_once(file: Path) -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    _mark(file, {"pid": child.pid, "agent": "memtui", "memtui": 1, "started": "1"})
    assert _taken(file)


def test_ours_left_by_this_process_is_broken_at_once(file: Path) -> None:
    lock = StoreLock(file.parent)
    with lock.marked(file):
        token = file.with_name("issue-29.json.lock").read_text()
    _mark(file, token)
    assert _taken(file)


def test_ours_of_a_living_process_is_waited_for(file: Path) -> None:
    started = Path(f"/proc/{os.getppid()}/stat")
    if not started.exists():
        pytest.skip("needs /proc")
    ticks = started.read_text().rsplit(") ", 1)[1].split()[19]
    _mark(file, {"pid": os.getppid(), "agent": "memtui", "memtui": 1, "started": ticks})
    assert not _taken(file)


def test_while_a_foreign_marker_is_waited_for_others_may_write(file: Path) -> None:
    foreign = _mark(file, {"pid": 1, "timestamp": int(time.time() * 1000), "agent": "other"})

    def write() -> None:
        with StoreLock(file.parent).marked(file):
            pass

    waiting = threading.Thread(target=write)
    waiting.start()
    for _ in range(20):
        with StoreLock(file.parent, timeout=1).marked(file.with_name("issue-30.json")):
            assert waiting.is_alive()
    foreign.unlink()
    waiting.join(5)
    assert not waiting.is_alive()


def test_the_error_names_the_file_and_the_holder(file: Path) -> None:
    _mark(file, {"pid": 4711, "timestamp": int(time.time() * 1000), "agent": "engineer"})
    with (
        pytest.raises(LockTimeout, match=r"issue-29\.json\.lock .* engineer \(process 4711\)"),
        StoreLock(file.parent, timeout=0.05).marked(file),
    ):
        pass


def test_a_marker_counts_from_its_last_change_of_any_kind(file: Path) -> None:
    marker = _mark(file, "{cut", age=STALE_AFTER + 5)  # its modification time alone is old
    judged = judge(marker, time.time())
    assert judged is not None
    assert not judged.breakable


def test_a_marker_that_was_replaced_since_it_was_judged_is_put_back(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = _mark(file, {"pid": 1, "agent": "newer"})
    monkeypatch.setattr(markers, "judge", lambda path, now: Marker("older", True, b"{}"))
    assert break_if_left(marker)
    assert json.loads(marker.read_text()) == {"pid": 1, "agent": "newer"}
    assert list(file.parent.iterdir()) == [marker]


def test_ours_is_left_over_where_its_process_id_is_another_s_by_now(file: Path) -> None:
    marker = _mark(file, {"pid": os.getppid(), "agent": "memtui", "memtui": 1, "started": "1"})
    judged = judge(marker, time.time())
    assert judged is not None
    assert judged.breakable


@pytest.mark.parametrize(("seconds", "breakable"), [(28, False), (32, True)])
def test_a_foreign_marker_is_left_over_after_half_a_minute(
    file: Path, seconds: int, breakable: bool
) -> None:
    now = time.time()
    marker = _mark(file, {"pid": 1, "created": int((now - seconds) * 1000), "agent": "other"})
    judged = judge(marker, now)
    assert judged is not None
    assert judged.breakable is breakable


def test_what_is_no_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "marker").write_bytes(b"x" * 5_000)
    (tmp_path / "link").symlink_to(tmp_path / "marker")
    said = {name: read_marker(tmp_path / name) for name in ("folder", "link", "gone", "marker")}
    assert said == {"folder": b"", "link": b"", "gone": b"", "marker": b"x" * 4_096}


@pytest.mark.parametrize(
    ("content", "holder"),
    [
        (b'{"agent": "engineer", "pid": 7}', "engineer (process 7)"),
        (b'{"agent": "engineer"}', "engineer"),
        (b'{"agent": "%s", "pid": "7"}' % (b"e" * 70), "e" * 64),
        (b'{"pid": 7}', "another program (process 7)"),
        (b"{", "another program"),
        (b"", "another program"),
    ],
)
def test_who_holds_it_is_named_in_a_few_words(content: bytes, holder: str) -> None:
    assert holder_of(content) == holder


def test_a_marker_of_ours_that_names_no_process_was_left_behind(file: Path) -> None:
    for content in ({"memtui": 1}, {"memtui": 1, "pid": str(os.getpid())}):
        found = judge(_mark(file, content), time.time())
        assert found is not None
        assert (found.breakable, found.ours) == (True, True)


def test_a_link_in_the_place_of_a_marker_holds_nobody(file: Path) -> None:
    theirs = _mark(file, {"pid": 1, "timestamp": int(time.time() * 1000), "agent": "other"})
    kept = theirs.rename(file.with_name("elsewhere"))
    theirs.symlink_to(kept)
    assert judge(theirs, time.time()) == Marker("a symbolic link", True, b"")
    assert _taken(file)
    assert not theirs.is_symlink() and kept.exists()
