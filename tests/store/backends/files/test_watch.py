"""Who asks again is told from the kernel's notes; whatever they miss, the stats find."""

from __future__ import annotations

import gc
import json
import mmap
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from store import open_memory
from store.backends.files import stamps, watch
from store.backends.files.stamps import Stamping
from store.backends.protocol import Changes, Stamps
from tests.store.factories import record, records_in, write_issue

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's notes are Linux's")
_FEW = 64
"""Watches that the tests of one process hold at most, of the 128 that a user has."""


class Asked:
    """A memory that is asked again and again, and how often each file's stat was looked at."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.looks = 0
        self.known: Stamps = {}
        self.stamping = Stamping(folder, lambda: self.now)
        look = stamps.changes_since

        def counted(folder: Path, known: Stamps) -> Changes:
            self.looks += 1
            return look(folder, known)

        monkeypatch.setattr(stamps, "changes_since", counted)

    def changed(self) -> set[int]:
        """The issues that changed since this was asked last."""
        found = self.stamping.changes_since(self.known)
        self.known = dict(found.stamps)
        return set(found.issues)


@pytest.fixture(scope="module", autouse=True)
def _watches_left() -> None:
    """A user has 128 watches, and memories of other tests may hold them still, also those that an
    app has put out of the collector's sight.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _ask_for_one(folder: Path) -> None:
    """Leave a test out where other programs of this user hold all the watches there are."""
    made = watch.watch(folder)
    if made is not None:
        made.close()
    elif sum(map(_is_a_watch, Path("/dev/fd").iterdir())) < _FEW:
        pytest.skip("other programs of this user hold all watches that the system gives to one")


def _is_a_watch(handle: Path) -> bool:
    with suppress(OSError):  # the one that lists them is closed again
        return "inotify" in str(handle.readlink())
    return False


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two issues, on a file system that counts as local wherever the tests run."""
    monkeypatch.setattr(watch, "is_local", lambda folder: True)
    place = tmp_path / "memory"
    place.mkdir()
    _ask_for_one(place)
    write_issue(place, 1, record("a"))
    write_issue(place, 2, record("b"))
    return place


@pytest.fixture
def asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """A memory that was asked so often that it is watched."""
    made = Asked(folder, monkeypatch)
    assert [made.changed() for _ in range(3)] == [{1, 2}, set(), set()]
    assert made.looks == 2
    return made


def _in_place(folder: Path) -> None:
    with (folder / "issue-1.json").open("r+b") as file:
        file.seek(-30, os.SEEK_END)
        file.write(b" ")


def _same_times(folder: Path) -> None:
    path = folder / "issue-1.json"
    before = path.stat()
    _in_place(folder)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(folder: Path) -> None:
    (folder / "new").write_bytes((folder / "issue-1.json").read_bytes() + b"\n")
    (folder / "new").replace(folder / "issue-1.json")


def _archived(folder: Path) -> None:
    write_issue(folder, 1, record("c"), archived=True)


def _recovered(folder: Path) -> None:
    (folder / "issue-1.recovered.json").write_text("{}")


WRITES: list[Callable[[Path], object]] = [
    _in_place,
    _same_times,
    _replaced,
    _archived,
    _recovered,
    lambda folder: (folder / "issue-1.json").unlink(),
    lambda folder: (folder / "issue-1.json").rename(folder.parent / "away"),
    lambda folder: os.truncate(folder / "issue-1.json", 20),
]


@pytest.mark.parametrize("write", WRITES)
def test_whatever_writes_is_seen_at_once(
    asked: Asked, folder: Path, write: Callable[[Path], object]
) -> None:
    write(folder)
    assert asked.changed() == {1}
    assert asked.changed() == set()
    _in_place_of_2(folder)
    assert asked.changed() == {2}
    assert asked.changed() == set()


def _in_place_of_2(folder: Path) -> None:
    with (folder / "issue-2.json").open("ab") as file:
        file.write(b"\n")


def test_a_write_is_looked_at_alone(asked: Asked, folder: Path) -> None:
    for number in range(4):
        _in_place(folder)
        write_issue(folder, 3, record(f"c{number}"))
        assert asked.changed() == {1, 3}
    assert asked.looks == 2
    assert not Stamping(folder).changes_since(asked.known).issues


@pytest.mark.parametrize("other", [
    "archive/issue-1-archived.json", "issue-1.recovered.json", "pending/issue-1.json",
    "issue-1/a.json", "archive/issue-1/a.json",
])  # fmt: skip
def test_what_else_an_issue_has_stays_known_where_one_file_of_it_is_written(
    asked: Asked, folder: Path, other: str
) -> None:
    (folder / other).parent.mkdir(parents=True, exist_ok=True)
    (folder / other).write_text("{}")
    assert [asked.changed() for _ in range(3)] == [{1}, set(), set()]
    looks = asked.looks
    _in_place(folder)
    assert asked.changed() == {1}
    assert asked.looks == looks
    assert not Stamping(folder).changes_since(asked.known).issues


def test_what_is_no_record_is_no_change(asked: Asked, folder: Path) -> None:
    for name in ("manifest.json", "activity.jsonl", "issue-1.json.lock", "notes.txt"):
        (folder / name).write_text("x")
    assert asked.changed() == set()
    assert asked.looks == 2


def test_the_stats_are_looked_at_every_few_seconds_all_the_same(asked: Asked, folder: Path) -> None:
    path = folder / "issue-1.json"
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        asked.changed()
        mapped[0:1] = b" "
        mapped.flush()
        asked.now += 2.1
        assert asked.changed() == {1}
    assert asked.looks == 3


def test_another_folder_in_its_place_is_looked_at(asked: Asked, folder: Path) -> None:
    folder.rename(folder.parent / "old")
    folder.mkdir()
    write_issue(folder, 7, record("z"))
    assert asked.changed() == {1, 2, 7}
    assert asked.changed() == set()
    write_issue(folder, 7, record("y"))
    assert asked.changed() == {7}


def test_a_fork_takes_nothing_of_what_its_parent_was_told(asked: Asked, folder: Path) -> None:
    _in_place(folder)
    if not (child := os.fork()):
        os._exit(0 if asked.changed() == {1} else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asked.changed() == {1}


def test_who_was_told_something_else_is_answered_by_the_stats(asked: Asked, folder: Path) -> None:
    known = dict(asked.known)
    _in_place(folder)
    assert asked.changed() == {1}
    assert set(asked.stamping.changes_since(known).issues) == {1}


def test_more_than_the_kernel_notes_is_looked_at(
    asked: Asked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = watch._EVENT.pack(-1, 0x4000, 0, 0)
    answers = [lost]
    monkeypatch.setattr(watch, "_notes", lambda handle: answers.pop())
    assert asked.changed() == set()
    assert asked.looks == 3


def test_who_asks_once_is_not_watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "watch", lambda folder: pytest.fail("watched"))
    Asked(folder, monkeypatch).changed()


def test_a_disk_that_other_machines_write_is_not_watched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "is_local", lambda folder: False)
    made = Asked(folder, monkeypatch)
    assert [made.changed() for _ in range(3)] == [{1, 2}, set(), set()]
    assert made.looks == 3
    _in_place(folder)
    assert made.changed() == {1}


def test_a_system_without_notes_is_asked_by_the_stats(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.backends.files.watch.sys.platform", "darwin")
    made = Asked(folder, monkeypatch)
    assert [made.changed() for _ in range(3)] == [{1, 2}, set(), set()]
    assert made.looks == 3


def test_a_memory_that_is_closed_is_watched_no_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[watch.Watch] = []
    monkeypatch.setattr(watch.Watch, "close", lambda self: ended.append(self))
    with open_memory(folder, cache=folder.parent / "cache") as memory:
        for _ in range(3):
            memory.index.refresh()
        assert not ended
    assert len(ended) == 1
    assert memory.search("").total == 2


def test_a_file_each_is_watched_in_the_folder_of_its_issue(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        path = folder / f"issue-{number}.json"
        held = records_in(path)[0]
        path.unlink()
        (folder / f"issue-{number}").mkdir()
        (folder / f"issue-{number}" / "a.json").write_text(json.dumps(held))
    asked = Asked(folder, monkeypatch)
    assert [asked.changed() for _ in range(3)] == [{1, 2}, set(), set()]
    (folder / "issue-1" / "a.json").write_text(json.dumps(record("a", content="In place")))
    assert asked.changed() == {1}
    (folder / "issue-2" / "b.json").write_text(json.dumps(record("b")))
    assert asked.changed() == {2}
    assert asked.looks == 2
    (folder / "issue-3").mkdir()
    (folder / "issue-3" / "c.json").write_text(json.dumps(record("c")))
    assert asked.changed() == {3}
    monkeypatch.setattr(watch, "_MOST_FOLDERS", 3)
    assert watch.watch(folder) is None


def test_what_can_not_be_watched_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch.watch(tmp_path / "gone") is None
    monkeypatch.setattr(watch, "_MOST_FOLDERS", 1)
    assert watch.watch(tmp_path) is None


@pytest.mark.parametrize(
    ("kinds", "local"),
    [(("ext4",), True), (("nfs4",), False), (("ext4", "nfs4"), False), ((), False)],
)
def test_a_disk_is_local_where_all_that_is_mounted_of_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kinds: tuple[str, ...], local: bool
) -> None:
    """One that is not in the list of what is mounted may be anything."""
    device = tmp_path.stat().st_dev
    own = f"{os.major(device)}:{os.minor(device)}"
    mounts = [f"36 35 {own} / /a rw - {kind} /dev/a rw" for kind in kinds]
    told = "\n".join(["short", "36 35 9999:1 / /b rw - nfs4 b:/ rw", *mounts])
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: told)
    assert watch.is_local(tmp_path) is local


@pytest.mark.parametrize("moved", ["project", "project/.agentx", "project/.agentx/memory"])
def test_a_folder_above_that_makes_room_for_another_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: str
) -> None:
    monkeypatch.setattr(watch, "is_local", lambda folder: True)
    place = tmp_path / "project" / ".agentx" / "memory"
    write_issue(place, 1, record("a"))
    _ask_for_one(place)
    asked = Asked(place, monkeypatch)
    assert [asked.changed() for _ in range(3)] == [{1}, set(), set()]
    (tmp_path / moved).rename(tmp_path / "away")
    write_issue(place, 7, record("z"))
    assert asked.changed() == {1, 7}
    write_issue(place, 7, record("y"))
    assert asked.changed() == {7}
