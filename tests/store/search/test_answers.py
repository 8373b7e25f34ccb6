"""What an index answers beyond a query's first page: cut facets, long ids, limits, what lags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.backends.files.activity import append_activity
from store.backends.files.backend import FilesBackend
from store.search.index import LAGS, SearchIndex
from store.search.query import parse_query
from store.search.reader import IndexReader
from tests.store.factories import NOW, record, write_issue
from tests.store.search.sample_index import STALE, index


@pytest.fixture
def reader() -> IndexReader:
    made = index()
    return IndexReader(made.searcher, made.schema, made.tail)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A memory of two, whose log tells of a recall of each."""
    folder = tmp_path / "memory"
    folder.mkdir()
    write_issue(folder, 29, record("a"), record("b", recallCount=4))
    yield folder


def _recalled(folder: Path, name: str, day: int) -> None:
    told = {"type": "recalled", "observationIds": [name]}
    append_activity(folder, {**told, "timestamp": f"2026-02-{day}T00:00:00.000Z"})


def _counts(made: SearchIndex) -> list[int]:
    reader = IndexReader(made.searcher, made.schema, made.tail)
    return [reader.get(name).recall_count for name in ("a", "b")]


def test_recalls_count_once_however_the_index_learns_of_them(folder: Path, tmp_path: Path) -> None:
    made = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    made.catch_up()
    assert _counts(made) == [0, 4]
    _recalled(folder, "a", 10)
    assert made.catch_up_quickly(10**9)
    assert _counts(made) == [1, 4]
    _recalled(folder, "b", 11)
    _recalled(folder, "a", 12)
    made.catch_up()
    assert _counts(made) == [2, 5]
    made.catch_up(recount=True)
    assert (_counts(made), made.tail) == ([2, 5], {})
    _recalled(folder, "a", 13)
    write_issue(folder, 30, record("c", issueNumber=30))
    made.catch_up(recount=True)
    reader = IndexReader(made.searcher, made.schema, made.tail)
    order = reader.ids(parse_query("sort:recalled", NOW), NOW, STALE)
    assert (_counts(made), order) == ([3, 5], ["b", "a", "c"])
    later = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    later.catch_up()
    assert _counts(later) == [3, 5]


def test_an_index_that_lags_goes_on_saying_so_until_it_is_opened_anew(
    folder: Path, tmp_path: Path
) -> None:
    made = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    made.catch_up()
    write_issue(folder, 30, record("c", issueNumber=30))
    assert not made.catch_up_quickly(1)
    for _ in range(2):
        assert not made.catch_up()
        assert (made.notice, made.searcher.num_docs) == (LAGS, 2)
    later = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    assert later.catch_up_quickly(10**9)
    assert (later.notice, later.searcher.num_docs) == (None, 3)
