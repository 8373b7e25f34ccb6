"""Which session files are still to be read, and in what order."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store.agents.client import SessionFile
from store.errors import Unreadable
from store.sessions.indexing import mark_of, unread
from store.sessions.seen import FileMark, file_key
from store.sessions.session_file import read_file
from tests.store.factories import NOW

OLD, MIDDLE, NEW = (
    SessionFile(Path(name), "claude-code", NOW - timedelta(days=days), 10)
    for name, days in (("a-old", 3), ("b-middle", 2), ("c-new", 1))
)


def test_the_newest_is_read_first() -> None:
    assert unread([MIDDLE, OLD, NEW], {}) == [NEW, MIDDLE, OLD]


def test_a_file_is_read_again_where_its_size_or_its_time_is_another() -> None:
    known = {file_key(file.path): FileMark(*mark_of(file), "s") for file in (OLD, MIDDLE, NEW)}
    longer = MIDDLE._replace(size=11)
    later = NEW._replace(modified=NOW)
    assert unread([OLD, MIDDLE, NEW], known) == []
    assert unread([OLD, longer, later], known) == [later, longer]


def test_a_session_file_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="can't be read: No such file"):
        read_file(tmp_path / "gone.jsonl")
