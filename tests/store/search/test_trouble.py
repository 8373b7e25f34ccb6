"""Why an index can't be written, and that finding out leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import open_memory
from store.errors import Unreadable, WriteFailed
from store.home import NOWHERE
from store.notice import notice
from store.search import folder
from store.search.trouble import Trouble, is_damage, reason_of, trouble_of, unwritable
from tests.store.factories import observation


def test_asking_a_folder_whether_it_can_be_written_leaves_nothing_in_it(tmp_path: Path) -> None:
    assert reason_of(ValueError("it failed"), tmp_path) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_written_says_why(tmp_path: Path) -> None:
    said = ValueError("An IO error occurred: 'No space left on device (os error 28)'")
    assert reason_of(said, tmp_path) == "the disk is full"
    assert reason_of(ValueError("Os { code: 30, kind: Other }"), None) == "the disk is read-only"
    assert reason_of(ValueError("it failed"), None) == ""


class PanicException(BaseException):
    """As the one that tantivy panics with, which no module offers."""


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (PanicException("index out of bounds"), True),
        (ValueError("it failed"), True),
        (UnicodeEncodeError("utf-8", "x", 0, 1, "it is no text"), False),
        (KeyboardInterrupt(), False),
        (OSError(28, "No space left on device"), False),
    ],
)
def test_a_panic_and_what_tantivy_refuses_are_damage(error: BaseException, is_told: bool) -> None:
    assert is_damage(error) is is_told


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (ValueError("it failed"), Trouble.DAMAGED),
        (ValueError("os error 28"), Trouble.UNWRITABLE),
        (OSError(28, "No space left on device"), Trouble.UNWRITABLE),
        (WriteFailed("It can't be written.", ""), Trouble.UNWRITABLE),
        (Unreadable("A record can't be read.", ""), None),
        (UnicodeEncodeError("utf-8", "x", 0, 1, "it is no text"), None),
        (KeyError("a mistake of ours"), None),
    ],
)
def test_what_an_error_says_of_the_index(
    tmp_path: Path, error: Exception, trouble: Trouble | None
) -> None:
    assert trouble_of(error, tmp_path) is trouble


def test_a_new_index_that_can_not_be_read_back_is_made_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(index: object) -> None:
        raise ValueError("Failed to open file for read: 'IoError { io_error: Os { code: 5, ... }'")

    monkeypatch.setattr(folder, "make_ready", failing)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        (stored,) = memory.store([observation("The lock waits.")])
        assert [hit.entry.id for hit in memory.search("lock").hits] == [stored]
        assert memory.search("in:sessions lock").total == 0


@pytest.mark.parametrize("stale", [True, False])
def test_what_is_told_of_an_index_that_can_not_be_written(tmp_path: Path, stale: bool) -> None:
    kind = "index-stale" if stale else "index-in-memory"
    at = notice(kind, folder=str(tmp_path), why="it is full")
    assert unwritable(tmp_path / "index", "it is full", stale=stale) == at
    nowhere = notice(f"{kind}-nowhere", why="it is full")
    for folder_of_it in (None, NOWHERE / "cache"):
        assert unwritable(folder_of_it, "it is full", stale=stale) == nowhere
