"""What an index has to catch up with, by tables; what it does where that is little, or much."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store.backends.files.activity import append_activity
from store.backends.protocol import Changes as Differing
from store.backends.protocol import LogStamp
from store.errors import Away, Unreadable
from store.search import index as index_module
from store.search.changes import TAIL, Changes, find_changes, log_stamp
from store.search.index import LAGS, SearchIndex
from store.search.reader import IndexReader
from store.search.seen import Seen, save_seen
from tests.store.factories import Store, make_store, record, write_issue


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
    ("end", "seen", "recount", "changed", "size"),
    [
        (0, 0, False, False, 0),
        (0, 0, True, False, 0),
        (1, 0, False, False, 0),
        (1, 0, True, True, 1),
        (TAIL, 0, False, False, 0),
        (TAIL + 1, 0, False, True, TAIL + 1),
        (TAIL + 5, 5, False, False, 0),
        (5, 6, False, True, 1),
        (5, 6, True, True, 1),
    ],
)
def test_what_the_log_has_to_tell(
    store: Store,
    end: int,
    seen: int,
    recount: bool,
    changed: bool,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "activity_stamp", lambda: LogStamp(end))
    stamps = store.changes_since({}).stamps
    found = find_changes(store, Seen(stamps, seen), recount=recount)
    assert (found.recount, found.size, bool(found)) == (changed, size, changed)
    assert found.log == LogStamp(end)
    whole = find_changes(store, Seen({}, seen), recount=recount)
    assert (whole.recount, sorted(whole.issues), bool(whole)) == (changed, [1, 2], True)
    assert whole.size == store.size() + size


def test_what_was_seen_gets_the_stamps_of_now_where_no_issue_differs(store: Store) -> None:
    first = store.changes_since({}).stamps
    seen = Seen({})
    find_changes(store, seen)
    assert seen.stamps == {}
    later = {issue: f"{stamp} longer" for issue, stamp in first.items()}
    store.changes_since = lambda known: Differing(frozenset(), later, {})  # type: ignore[method-assign]
    find_changes(store, seen := Seen(first))
    assert seen.stamps == later


def test_a_log_that_can_not_be_read_counts_as_empty(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> LogStamp:
        raise Unreadable("activity.jsonl can't be read.")

    monkeypatch.setattr(store, "activity_stamp", refuse)
    assert log_stamp(store) == LogStamp(0, "", 0, None)


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
    assert (found.recount, found.untold) == (False, 0)
    assert whole.size == sum(sizes.values()) + 400


def test_as_much_as_may_be_read_is_read_and_a_byte_more_is_left(
    store: Store, tmp_path: Path
) -> None:
    size = store.size()
    for most, whole in ((size, True), (size - 1, False)):
        index = SearchIndex(store, tmp_path / f"cache{most}")
        assert index.catch_up_quickly(most) is whole
        assert len(_found(index)) == (2 if whole else 1)
        assert index.in_memory is not whole
        assert index.notice == (None if whole else LAGS)
        begun = SearchIndex(store, tmp_path / f"other{most}")
        assert begun.index_newest(most) is not whole
        assert len(_found(begun)) == (0 if whole else 1)
        assert not begun.in_memory
        assert begun.catch_up() is True
        assert _found(begun) == ["m1", "m2"]
        assert begun.index_newest(0) is False
        assert begun.catch_up() is False


def test_an_index_is_asked_for_its_last_commit_while_memory_is_away(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, empty = SearchIndex(store, tmp_path / "cache"), SearchIndex(store, tmp_path / "empty")
    index.catch_up()

    def away(known: object) -> Differing:
        raise Away("The database does not answer.")

    monkeypatch.setattr(store, "changes_since", away)
    for quickly in (False, True):
        assert (index.catch_up_quickly(10**9) if quickly else index.catch_up()) is False
        assert index.notice is not None
        assert (index.notice.kind, dict(index.notice.values)) == (
            "index-away",
            {"why": "The database does not answer."},
        )
        assert _found(index) == ["m1", "m2"]
        with pytest.raises(Away):
            empty.catch_up_quickly(10**9) if quickly else empty.catch_up()
    later = SearchIndex(store, tmp_path / "cache")
    assert later.catch_up() is True, "it was opened"
    assert _found(later) == ["m1", "m2"]


def test_an_index_that_another_began_anew_and_left_is_filled_again(
    store: Store, tmp_path: Path
) -> None:
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


def test_recalls_are_counted_though_another_program_caught_up_meanwhile(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = (SearchIndex(store, tmp_path / "cache") for _ in range(2))
    mine.catch_up()
    recalled = {"type": "recalled", "timestamp": "2026-03-01", "observationIds": ["m1"]}
    append_activity(store.folder, recalled)
    write_issue(store.folder, 3, record("m3", issueNumber=3))

    def find(*given: Any, **named: Any) -> Changes:  # noqa: ANN401 - passed on as they are
        monkeypatch.setattr(index_module, "find_changes", find_changes)
        found = find_changes(*given, **named)
        theirs.catch_up()
        return found

    monkeypatch.setattr(index_module, "find_changes", find)
    mine.catch_up(recount=True)
    assert (_found(mine), mine.tail) == (["m1", "m2", "m3"], {})


def test_what_can_not_be_read_any_more_is_a_change(store: Store, tmp_path: Path) -> None:
    index = SearchIndex(store, tmp_path / "cache")
    index.catch_up()
    write_issue(store.folder, 3, {})
    assert [index.catch_up(), index.catch_up()] == [True, False]
    assert [it.path for it in index.problems] == ["issue-3.json"]


def test_seen_problems_are_told_in_the_order_of_their_issues() -> None:
    from store.model import Problem

    seen = replace(
        Seen(), problems={2: [Problem("b", "")], 1: [Problem("a", ""), Problem("c", "")]}
    )
    assert [it.path for it in seen.all_problems()] == ["a", "c", "b"]


def test_an_index_that_had_to_go_to_memory_goes_on_saying_so(store: Store, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in its place")
    index = SearchIndex(store, tmp_path / "cache")
    for _ in range(2):
        assert index.catch_up_quickly(10**9) is False
        assert index.notice is not None
        assert index.notice.kind == "index-in-memory"
        assert _found(index) == ["m1", "m2"]


def test_an_index_that_turns_out_damaged_is_built_anew_in_its_place(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(*given: Any) -> None:  # noqa: ANN401 - passed on as they are
        monkeypatch.setattr(index_module, "save_seen", save_seen)
        raise ValueError("The index is damaged.")

    monkeypatch.setattr(index_module, "save_seen", save)
    index = SearchIndex(store, tmp_path / "cache")
    index.catch_up()
    assert (_found(index), index.in_memory, index.notice) == (["m1", "m2"], False, None)


def test_an_index_that_lags_answers_as_it_was_left(store: Store, tmp_path: Path) -> None:
    index = SearchIndex(store, tmp_path / "cache")
    index.catch_up()
    write_issue(store.folder, 3, record("m3", issueNumber=3))
    assert index.catch_up_quickly(1) is False
    assert (_found(index), index.in_memory, index.notice) == (["m1", "m2"], False, LAGS)


def test_an_index_in_memory_that_is_built_anew_holds_each_memory_once(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("in its place")
    index = SearchIndex(store, tmp_path / "cache")
    index.catch_up()
    assert index.in_memory
    (store.folder / "issue-1.json").unlink()
    index.rebuild()
    assert _found(index) == ["m2"]
    assert index.searcher.num_docs == 1
