"""The recalls at the end of the log, which the index does not count yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.files.activity import append_activity
from store.backends.files.backend import FilesBackend
from store.search.tail import LONG, RecallTail


@pytest.fixture
def backend(tmp_path: Path) -> FilesBackend:
    """A memory whose log tells of one recall."""
    entry = {"type": "recalled", "observationIds": ["a"]}
    append_activity(tmp_path, {**entry, "timestamp": "2026-03-01T00:00:00.000Z"})
    return FilesBackend(tmp_path)


def test_it_is_read_again_where_the_log_went_on_and_only_there(backend: FilesBackend) -> None:
    tail = RecallTail(backend)
    assert tail.read(0)
    assert list(tail.times) == ["a"]
    assert not tail.read(0)
    entry = {"type": "recalled", "observationIds": ["b"]}
    append_activity(backend.folder, {**entry, "timestamp": "2026-03-02T00:00:00.000Z"})
    assert tail.read(0)
    assert sorted(tail.times) == ["a", "b"]


@pytest.mark.parametrize("start", [LONG - 1_000, LONG + 1_000])
def test_a_log_that_was_shortened_by_much_waits_until_the_index_counts_it(
    backend: FilesBackend, start: int
) -> None:
    tail = RecallTail(backend)
    assert tail.read(start) is (start < LONG)
    assert list(tail.times) == (["a"] if start < LONG else [])
