"""What an index knows of the memory it was built from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.search.seen import Seen, load_seen, save_seen
from tests.store.factories import record, write_issue

NAME = "issue-29.json"
IDENTITY = {"store": "here", "version": 1}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_issue(tmp_path, 29, record("a"))


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
