"""An issue's records: read, changed under a lock, and never lost."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backends.issue_records import IssueRecords
from store.backends.protocol import Backend
from store.model import Shelf
from tests.store.factories import record


def _put(backend: Backend, *values: dict[str, Any], shelf: Shelf = Shelf.ISSUE) -> None:
    for value in values:
        with backend.changing(value["issueNumber"]) as records:
            records.put(shelf, value)


def _ids(records: IssueRecords, shelf: Shelf = Shelf.ISSUE) -> list[str]:
    return [item.id for item in records.observations(shelf)]


def test_an_empty_memory_has_nothing(backend: Backend) -> None:
    assert backend.issues() == set()
    assert backend.read(29).observations() == []
    assert backend.read(29).problems == []
    assert backend.size() == 0
    assert backend.is_writable()


def test_what_is_put_is_read_by_everybody(backend: Backend, other: Backend) -> None:
    _put(backend, record("a"), record("b"), record("c", issueNumber=7))
    assert other.issues() == {7, 29}
    assert _ids(other.read(29)) == ["a", "b"]
    assert backend.size() > 0


def test_records_keep_what_is_not_understood(backend: Backend, other: Backend) -> None:
    odd = record("a", huge=10**30, nested={"b": [1.5, "\ud800"], "a": None}, tags="no list")
    _put(backend, odd)
    assert other.read(29).find(Shelf.ISSUE, "a") == odd


def test_a_record_is_replaced_dropped_and_put_back_in_its_place(backend: Backend) -> None:
    _put(backend, record("a"), record("b"), record("c"))
    with backend.changing(29) as records:
        records.put(Shelf.ISSUE, record("a", content="Another"))
        assert records.place_of(Shelf.ISSUE, "b") == 1
        gone = records.find(Shelf.ISSUE, "b")
        records.drop(Shelf.ISSUE, "b")
    assert gone is not None
    assert _ids(backend.read(29)) == ["a", "c"]
    assert backend.read(29).observations()[0].content == "Another"
    with backend.changing(29) as records:
        records.put(Shelf.ISSUE, gone, 1)
    assert _ids(backend.read(29)) == ["a", "b", "c"]


def test_the_archive_is_beside_the_issue(backend: Backend) -> None:
    _put(backend, record("a"), record("b"))
    with backend.changing(29) as records:
        value = records.find(Shelf.ISSUE, "a")
        assert value is not None
        records.put(Shelf.ARCHIVE, value)
        records.drop(Shelf.ISSUE, "a")
    read = backend.read(29)
    assert (_ids(read), _ids(read, Shelf.ARCHIVE)) == (["b"], ["a"])


def test_where_an_id_stands_in_both_the_issue_counts(backend: Backend) -> None:
    _put(backend, record("a", content="Here"))
    _put(backend, record("a", content="There"), shelf=Shelf.ARCHIVE)
    assert [held.shelf for held in backend.read(29).held()] == [Shelf.ISSUE]


def test_a_change_that_fails_changes_nothing(backend: Backend) -> None:
    _put(backend, record("a"))
    with pytest.raises(ZeroDivisionError), backend.changing(29) as records:
        records.drop(Shelf.ISSUE, "a")
        records.put(Shelf.ISSUE, record("b"))
        raise ZeroDivisionError
    assert _ids(backend.read(29)) == ["a"]


def test_whoever_only_adds_is_shown_what_stands(backend: Backend) -> None:
    _put(backend, record("a"), record("b"))
    _put(backend, record("c"), shelf=Shelf.ARCHIVE)
    seen: set[str] = set()
    with backend.changing(29, lambda part, values: seen.update(it["id"] for it in values)) as held:
        held.append(Shelf.ISSUE, record("d"))
    assert seen == {"a", "b", "c"}
    assert _ids(backend.read(29)) == ["a", "b", "d"]


def test_two_programs_take_turns(backend: Backend, other: Backend) -> None:
    def add(each: Backend, name: str) -> None:
        for number in range(8):
            _put(each, record(f"{name}{number}"))

    threads = [threading.Thread(target=add, args=args) for args in ((backend, "a"), (other, "b"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(_ids(backend.read(29))) == 16


def test_a_recall_in_the_log_is_counted_when_its_record_is_written(backend: Backend) -> None:
    _put(backend, record("a"), record("b"))
    time = "2026-03-02T00:00:00.000Z"
    backend.append_activity({"type": "recalled", "timestamp": time, "observationIds": ["a"]})
    assert backend.read(29).observations()[0].recall_count == 0
    _put(backend, record("a", content="Written"))
    told = backend.read(29).observations()[0]
    assert (told.recall_count, told.last_recalled is not None) == (1, True)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["put", "drop"]),
            st.sampled_from(list(Shelf)),
            st.sampled_from("abcd"),
            st.text(max_size=5),
        ),
        max_size=12,
    )
)
def test_any_changes_leave_what_a_list_would_hold(
    backend: Backend, steps: list[tuple[str, Shelf, str, str]]
) -> None:
    with backend.changing(29) as records:
        for shelf in Shelf:
            for name in "abcd":
                records.drop(shelf, name)
    expected: dict[tuple[Shelf, str], str] = {}
    for what, shelf, name, text in steps:
        with backend.changing(29) as records:
            if what == "put":
                records.put(shelf, record(name, content=f"x{text}"))
                expected[shelf, name] = f"x{text}"
            else:
                records.drop(shelf, name)
                expected.pop((shelf, name), None)
    read = backend.read(29)
    for shelf in Shelf:
        found = {name: read.find(shelf, name) for name in "abcd"}
        assert {(shelf, name): value["content"] for name, value in found.items() if value} == {
            key: content for key, content in expected.items() if key[0] is shelf
        }
