"""What an index knows of the memory it was built from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from store.model import Problem
from store.platform.stamp import FileStamp, stamp_of
from store.search.seen import Seen, load_seen, save_seen
from tests.store.factories import record, write_issue

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
