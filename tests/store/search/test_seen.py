"""What an index knows of the memory it was built from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from store.disk.stamp import FileStamp, stamp_of
from store.errors import StoreError
from store.model import Problem
from store.search.folder import SEEN
from store.search.seen import Seen, is_intact, load_seen, save_seen, segments_of
from tests.store.factories import make_memory, observation, record, write_issue

NAME = "issue-29.json"
IDENTITY = {"store": "here", "version": 1}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_issue(tmp_path, 29, record("a"))


def _stamp(file: Path) -> FileStamp:
    stamp = stamp_of(file)
    assert stamp is not None
    return stamp


def test_what_was_seen_is_kept(file: Path) -> None:
    seen = Seen(
        stamps={29: "as it was", 7: "new", 8: "été \udce9.md 7"},
        segments={"a.store": _stamp(file)},
        log_end=5,
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
        {"stamps": []},
        {"stamps": {"x": "as it was"}},
        {"segments": {NAME: 7}},
        {"segments": {NAME: [1]}},
        {"problems": {"x": []}},
        {"problems": {"7": [["one"]]}},
        {"problems": None},
        {"logEnd": "far"},
    ],
)
def test_what_is_damaged_was_never_seen(file: Path, change: dict[str, object]) -> None:
    path = file.parent / "seen.json"
    save_seen(path, Seen(stamps={29: "as it was"}), IDENTITY)
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


def test_an_index_is_intact_while_its_own_files_are_unchanged(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for path in (one, other):
        path.write_bytes(b"as written")
    known = {path.name: _stamp(path) for path in (one, other)}
    assert is_intact(tmp_path, known)
    other.unlink()
    assert is_intact(tmp_path, known)
    one.write_bytes(b"something else")
    assert not is_intact(tmp_path, known)


def test_each_write_notes_the_files_that_the_index_made(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        for content in ("Chose plain files", "Locks go stale"):
            memory.store([observation(content)])
            memory.index.settle()
            index = memory.index.index
            assert index.folder is not None
            kept = json.loads((index.folder / SEEN).read_text())["segments"]
            assert set(segments_of(index.folder, {})) <= kept.keys() != set()
