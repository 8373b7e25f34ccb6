"""What an index has to catch up with, by tables; what it does where that is little, or much."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.search.derived_index import DerivedIndex, load_seen
from store.search.index import LAGS, SearchIndex
from store.search.query import parse_query
from store.search.reader import IndexReader
from store.search.seen import Changes, Seen
from tests.store.factories import NOW, Store, append_activity, make_store, record, write_issue

_IDENTITY = {"store": "here", "version": 1}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    for issue in (1, 2):
        write_issue(store.folder, issue, record(f"m{issue}", issueNumber=issue))
    return store


def _found(index: SearchIndex) -> list[str]:
    reader = IndexReader(index.searcher, index.schema, index.tail, list)
    return sorted(reader.issues_of(["m1", "m2", "m3"]))


@pytest.mark.parametrize(
    ("most", "chosen"),
    [
        (0, []),
        (4, []),
        (9, [9]),
        (10, [7]),
        (14, [7]),
        (15, [7, 9]),
        (29, [7, 9]),
        (34, [7, 9]),
        (35, [7, 8, 9]),
        (5, [9]),
        (20, [8]),
    ],
)
def test_of_what_changed_the_newest_up_to_so_many_bytes(most: int, chosen: list[int]) -> None:
    sizes = {7: 10, 9: 5, 8: 20}
    if most == 20:
        sizes = {8: 20, 7: 1}
    stamps = {issue: f"stamp {issue}" for issue in (7, 8, 9, 1)}
    whole = Changes(frozenset((7, 8, 9, 3)), True, stamps, sizes, Seen(), 400)
    found = whole.newest(most)
    assert sorted(found.issues) == sorted(found.stamps) == sorted(found.sizes) == chosen
    assert (found.recount, found.uncounted) == (False, 0)
    assert whole.size == sum(sizes.values()) + 400


def test_an_index_begun_anew_by_another(store: Store, tmp_path: Path) -> None:
    one, other = (SearchIndex(store, tmp_path / "cache") for _ in range(2))
    one.catch_up()
    other.catch_up()
    other._start_anew()
    assert one.folder is not None
    assert not (one.folder / "seen.json").exists()
    write_issue(store.folder, 3, record("m3", issueNumber=3))
    one.catch_up()
    assert _found(one) == ["m1", "m2", "m3"]
    fresh = SearchIndex(store, tmp_path / "cache")
    fresh.catch_up()
    assert _found(fresh) == ["m1", "m2", "m3"]


@pytest.mark.parametrize(
    "change",
    [
        {"identity": {"store": "elsewhere"}},
        {"stamps": []},
        {"stamps": {"x": "as it was"}},
        {"segments": {"issue-29.json": 7}},
        {"segments": {"issue-29.json": [1]}},
        {"problems": {"x": []}},
        {"problems": {"7": [["one"]]}},
        {"problems": None},
        {"logEnd": "far"},
    ],
)
def test_what_is_damaged_was_never_seen(tmp_path: Path, change: dict[str, object]) -> None:
    made = DerivedIndex(tmp_path, _IDENTITY, Seen)
    made.make(1)
    made.seen.stamps = {29: "as it was"}
    made.save()
    assert load_seen(tmp_path, _IDENTITY, Seen) == (made.seen, {})
    path = tmp_path / "seen.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert load_seen(tmp_path, _IDENTITY, Seen) is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory of two, whose log tells of a recall of each."""
    folder = tmp_path / "memory"
    folder.mkdir()
    write_issue(folder, 29, record("a"), record("b", recallCount=4))
    return folder


def _recalled(folder: Path, name: str, day: int) -> None:
    told = {"type": "recalled", "observationIds": [name]}
    append_activity(folder, {**told, "timestamp": f"2026-02-{day}T00:00:00.000Z"})


def _counts(made: SearchIndex) -> list[int]:
    reader = IndexReader(made.searcher, made.schema, made.tail)
    return [reader.get(name).recall_count for name in ("a", "b")]


def test_recalls_count_once(folder: Path, tmp_path: Path) -> None:
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
    order = reader.ids(parse_query("sort:recalled", NOW), NOW, timedelta(days=90))
    assert (_counts(made), order) == ([3, 5], ["b", "a", "c"])
    later = SearchIndex(FilesBackend(folder), tmp_path / "cache")
    later.catch_up()
    assert _counts(later) == [3, 5]


def test_lag_until_opened_anew(folder: Path, tmp_path: Path) -> None:
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
