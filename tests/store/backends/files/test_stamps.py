"""Stamps tell which issues changed, whatever changed them."""

from __future__ import annotations

import os
from itertools import zip_longest
from pathlib import Path

import pytest

from store.backends.files import stamps
from store.backends.files.stamps import changes_since, stamp_of_records
from tests.store.factories import record, write_issue


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_issue(tmp_path, 29, record("a"))


def _old(path: Path) -> int:
    """A time at which the file's stat can be trusted."""
    return max(path.stat().st_mtime_ns, path.stat().st_ctime_ns) + 3_000_000_000


def test_an_issue_that_is_gone_has_changed(file: Path) -> None:
    known = changes_since(file.parent, {}).stamps
    file.unlink()
    found = changes_since(file.parent, known)
    assert found.issues == {29}
    assert not found.stamps
    file.parent.rmdir()
    assert changes_since(file.parent, known) == found


def test_a_fresh_file_is_compared_by_its_content(file: Path) -> None:
    """An edit that leaves size, times and inode the same is seen none the less."""
    info = file.stat()
    known = changes_since(file.parent, {}, info.st_mtime_ns).stamps
    assert len(known[29].split(" ")) == 6
    assert not changes_since(file.parent, known).issues
    head, _, trusted = known[29].rpartition(" ")
    assert changes_since(file.parent, {29: f"{head} {trusted[::-1]}"}).issues == {29}


def test_a_file_thatis_fresh_no_more_is_read_once_more_and_never_again(file: Path) -> None:
    now = file.stat().st_mtime_ns
    fresh = changes_since(file.parent, {}, now).stamps
    still = changes_since(file.parent, fresh, now)
    assert still.stamps == fresh
    assert not still.issues
    settled = changes_since(file.parent, fresh, now + 60_000_000_000)
    assert not settled.issues
    assert len(settled.stamps[29].split(" ")) == 5
    assert not changes_since(file.parent, settled.stamps).issues


@pytest.mark.parametrize(
    ("grain", "age_ns", "trusted"),
    [
        (1, 49_000_000, False),
        (1, 51_000_000, True),
        (1_000_000_000, 1_900_000_000, False),
        (1_000_000_000, 2_100_000_000, True),
    ],
)
def test_how_long_a_stat_is_too_fresh_depends_on_the_clock_of_the_disk(
    file: Path, grain: int, age_ns: int, trusted: bool
) -> None:
    later = _old(file) // grain * grain + (0 if grain > 1 else 7)
    os.utime(file, ns=(later, later))
    [stamp] = changes_since(file.parent, {}, later + age_ns).stamps.values()
    assert (len(stamp.split(" ")) == 5) is trusted


def test_a_fresh_folder_of_memories_is_compared_by_what_was_written_last(tmp_path: Path) -> None:
    place = tmp_path / "issue-29"
    place.mkdir()
    for name in ("a", "b"):
        (place / f"{name}.json").write_text("one")
    (place / "notes.md").write_text("no memory")

    def trusted() -> str:
        """What the stamp of the fresh folder ends in."""
        for path in place.iterdir():
            os.utime(path, ns=(0, 0))
        now = max(it.stat().st_ctime_ns for it in place.iterdir())
        (stamp,) = changes_since(tmp_path, {}, now).stamps.values()
        assert not changes_since(tmp_path, {29: stamp}, now).issues
        assert stamp.startswith("issue-29 6 0 ")
        return stamp.rpartition(" ")[2]

    first = trusted()
    assert len(first) == 32
    (place / "notes.md").write_text("still none")
    assert trusted() == first
    (place / "b.json").write_text("two")
    second = trusted()
    (place / "b.json").write_text("one")
    (place / "b.json").rename(place / "c.json")
    assert len({first, second, trusted()}) == 3


_FILES = [("a.json", 5, 10, 20, 1), ("b.json", 6, 90, 95, 2), ("c.json", 7, 30, 40, 3)]


@pytest.mark.parametrize("file", range(3))
@pytest.mark.parametrize(
    "changed",
    [("d.json",), ("", 4), ("", 0, 11), ("", 0, 0, 21), ("", 0, 0, 0, 9)],
    ids=["name", "size", "written", "changed", "inode"],
)
def test_whatever_differs_in_one_file_of_a_folder_its_stamp_does(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: int,
    changed: tuple[str | int, ...],
) -> None:
    """Also in one that is not the newest: of a clock that was set back, the times tell nothing."""
    monkeypatch.setattr(stamps, "_stats", lambda folder: list(_FILES))
    before = stamp_of_records(tmp_path / "issue-29")
    assert before is not None
    assert before[:3] == (18, 90, 95)
    other = tuple(new or old for new, old in zip_longest(changed, _FILES[file]))
    monkeypatch.setattr(
        stamps, "_stats", lambda folder: [*_FILES[:file], other, *_FILES[file + 1 :]]
    )
    assert stamp_of_records(tmp_path / "issue-29") != before
    monkeypatch.setattr(stamps, "_stats", lambda folder: list(_FILES))
    assert stamp_of_records(str(tmp_path / "issue-29")) == before
