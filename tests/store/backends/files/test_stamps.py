"""Stamps tell which issues changed, whatever changed them."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from store.backends.files import stamps
from store.backends.files.stamps import changes_since, stamp_of_records
from tests.store.factories import record, write_issue


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_issue(tmp_path, 29, record("a"))


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
