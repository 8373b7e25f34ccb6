"""What an index saw last of each file."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store.errors import StoreError
from store.model import Problem
from store.search.stamps import (
    Seen,
    Stamp,
    is_changed,
    load_seen,
    save_seen,
    stamp_of,
    stamps_of,
    with_hash,
)
from tests.store.factories import record, write_issue

NAME = "issue-29.json"
IDENTITY = {"store": "here", "version": 1}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_issue(tmp_path, 29, record("a"))


def _stamp(file: Path) -> Stamp:
    stamp = stamp_of(file)
    assert stamp is not None
    return stamp


def test_only_record_files_are_stamped(file: Path) -> None:
    (file.parent / "manifest.json").write_text("{}")
    assert stamps_of(file.parent) == {NAME: _stamp(file)}
    assert stamp_of(file.parent / "nothing") is None


def test_a_link_to_nothing_has_a_stamp_of_its_own(tmp_path: Path) -> None:
    (tmp_path / NAME).symlink_to("nothing")
    assert stamps_of(tmp_path)[NAME].inode == (tmp_path / NAME).lstat().st_ino


@pytest.mark.parametrize("field", ["size", "mtime", "ctime", "inode"])
def test_a_file_whose_stat_differs_has_changed(file: Path, field: str) -> None:
    now = _stamp(file)
    other: dict[str, Any] = {field: 7}
    assert is_changed(NAME, None, now, file.parent)
    assert not is_changed(NAME, now, now, file.parent)
    assert is_changed(NAME, now._replace(**other), now, file.parent)


def test_a_fresh_file_is_compared_by_its_content(file: Path) -> None:
    """An edit that leaves size, times and inode the same is seen none the less."""
    seen = with_hash(NAME, _stamp(file), file.parent, _stamp(file).mtime)
    assert seen.fresh
    assert not is_changed(NAME, seen, _stamp(file), file.parent)
    file.write_bytes(file.read_bytes().replace(b"plain", b"stone"))
    assert is_changed(NAME, seen, seen._replace(fresh=""), file.parent)


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
    time = 1_772_000_000_123_456_789 // grain * grain
    os.utime(file, ns=(time, time))
    stamp = _stamp(file)._replace(ctime=time)
    assert bool(with_hash(NAME, stamp, file.parent, time + age_ns).fresh) is not trusted


def test_a_file_that_can_not_be_read_has_a_hash_too(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    seen = with_hash(NAME, _stamp(tmp_path / NAME), tmp_path, _stamp(tmp_path / NAME).mtime)
    assert seen.fresh
    assert not is_changed(NAME, seen, _stamp(tmp_path / NAME), tmp_path)


def test_what_was_seen_is_kept(file: Path) -> None:
    seen = Seen(
        files={NAME: _stamp(file)},
        log_offset=5,
        problems={29: [Problem(NAME, "odd")], 7: [Problem("issue-7.json", "worse")], 8: []},
    )
    path = file.parent / "seen.json"
    save_seen(path, seen, IDENTITY)
    loaded = load_seen(path, IDENTITY)
    assert loaded == replace(seen, problems={n: p for n, p in seen.problems.items() if p})
    assert [problem.message for problem in seen.all_problems()] == ["worse", "odd"]
    assert load_seen(path, {**IDENTITY, "version": 2}) is None
    assert load_seen(path, {**IDENTITY, "store": "elsewhere"}) is None


@pytest.mark.parametrize(
    "change",
    [
        {"format": 99},
        {"files": []},
        {"files": {NAME: 7}},
        {"files": {NAME: [1]}},
        {"problems": {"x": []}},
        {"problems": {"7": [["one"]]}},
        {"problems": None},
        {"logOffset": "far"},
    ],
)
def test_what_is_damaged_was_never_seen(file: Path, change: dict[str, object]) -> None:
    path = file.parent / "seen.json"
    save_seen(path, Seen(files={NAME: _stamp(file)}), IDENTITY)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert load_seen(path, IDENTITY) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", "\ud800", "[" * 5000])
def test_what_is_no_such_file_was_never_seen(tmp_path: Path, text: str) -> None:
    path = tmp_path / "seen.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert load_seen(path, IDENTITY) is None


def test_where_it_can_not_be_kept_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"seen\.json could not be written"):
        save_seen(tmp_path / "nowhere" / "seen.json", Seen(), IDENTITY)
