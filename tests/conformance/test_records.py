"""An issue's records: read, changed under a lock, and never lost."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backends.issue_records import IssueRecords, Lookup
from store.backends.protocol import Backend
from store.model import Location
from store.records import without_level
from tests.store.factories import record


def _put(backend: Backend, *values: dict[str, Any], location: Location = Location.ISSUE) -> None:
    for value in values:
        with backend.changing(value["issueNumber"]) as records:
            records.put(location, value)


def _ids(records: IssueRecords, location: Location = Location.ISSUE) -> list[str]:
    return [item.id for item in records.observations(location)]


def test_an_empty_memory_has_nothing(backend: Backend) -> None:
    assert backend.issues() == set()
    assert backend.read(29).observations() == []
    assert backend.read(29).problems == []
    assert backend.size() < 200, "at most a listing of nothing"
    assert backend.is_writable()


def test_what_is_put_is_read_by_everybody(backend: Backend, other: Backend) -> None:
    _put(backend, record("a"), record("b"), record("c", issueNumber=7))
    assert other.issues() == {7, 29}
    assert _ids(other.read(29)) == ["a", "b"]
    assert backend.size() > 0


def test_records_keep_what_is_not_understood(backend: Backend, other: Backend) -> None:
    odd = record("a", huge=10**30, nested={"b": [1.5, "\ud800"], "a": None}, tags="no list")
    _put(backend, odd)
    found = other.read(29).find(Location.ISSUE, "a")
    assert found is not None and without_level(found) == odd


def test_a_record_is_replaced_dropped_and_put_back_in_its_place(backend: Backend) -> None:
    _put(backend, record("a"), record("b"), record("c"))
    with backend.changing(29) as records:
        records.put(Location.ISSUE, record("a", content="Another"))
        assert records.place_of(Location.ISSUE, "b") == 1
        gone = records.find(Location.ISSUE, "b")
        records.drop(Location.ISSUE, "b")
    assert gone is not None
    assert _ids(backend.read(29)) == ["a", "c"]
    assert backend.read(29).observations()[0].content == "Another"
    with backend.changing(29) as records:
        records.put(Location.ISSUE, gone, 1)
    assert _ids(backend.read(29)) == ["a", "b", "c"]


def test_the_archive_is_beside_the_issue(backend: Backend) -> None:
    _put(backend, record("a"), record("b"))
    with backend.changing(29) as records:
        value = records.find(Location.ISSUE, "a")
        assert value is not None
        records.put(Location.ARCHIVE, value)
        records.drop(Location.ISSUE, "a")
    read = backend.read(29)
    assert (_ids(read), _ids(read, Location.ARCHIVE)) == (["b"], ["a"])


def test_where_an_id_stands_in_both_the_issue_counts(backend: Backend) -> None:
    _put(backend, record("a", content="Here"))
    _put(backend, record("a", content="There"), location=Location.ARCHIVE)
    assert [held.location for held in backend.read(29).held()] == [Location.ISSUE]


def test_a_change_that_fails_changes_nothing(backend: Backend) -> None:
    _put(backend, record("a"))
    with pytest.raises(ZeroDivisionError), backend.changing(29) as records:
        records.drop(Location.ISSUE, "a")
        records.put(Location.ISSUE, record("b"))
        raise ZeroDivisionError
    assert _ids(backend.read(29)) == ["a"]


def test_whoever_only_adds_is_shown_what_stands(backend: Backend) -> None:
    _put(backend, record("a"), record("b"))
    _put(backend, record("c", content="Of c"), location=Location.ARCHIVE)
    with backend.changing(29, Lookup(ids={"a", "e"}, contents={"Of c"})) as held:
        shown = {value["id"] for value in held.values()}
        held.append(Location.ISSUE, record("d"))
    assert {"a", "c"} <= shown <= {"a", "b", "c"}
    assert _ids(backend.read(29)) == ["a", "b", "d"]


def test_whoever_only_adds_changes_what_was_found_where_it_stands(backend: Backend) -> None:
    _put(backend, *(record(name, content=f"Of {name}") for name in "abcde"))
    _put(backend, record("f"), location=Location.ARCHIVE)
    with backend.changing(29, Lookup(ids={"d"}, contents={"Of b"})) as held:
        held.append(Location.ISSUE, record("g"))
        held.put(Location.ISSUE, record("d", content="Again"))
        held.put(Location.ISSUE, record("b", content="Again"))
        held.append(Location.ISSUE, record("h"))
    found = backend.read(29).observations()
    assert [it.id for it in found] == [*"abcdegh"]
    assert {it.id for it in found if it.content == "Again"} == {"b", "d"}
    assert _ids(backend.read(29), Location.ARCHIVE) == ["f"]


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
    backend.log.append({"type": "recalled", "timestamp": time, "observationIds": ["a"]})
    assert backend.read(29).observations()[0].recall_count == 0
    _put(backend, record("a", content="Written"))
    told = backend.read(29).observations()[0]
    assert (told.recall_count, told.last_recalled is not None) == (1, True)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["put", "drop"]),
            st.sampled_from(list(Location)),
            st.sampled_from("abcd"),
            st.text(max_size=5),
        ),
        max_size=12,
    )
)
def test_any_changes_leave_what_a_list_would_hold(
    backend: Backend, steps: list[tuple[str, Location, str, str]]
) -> None:
    with backend.changing(29) as records:
        for location in Location:
            for name in "abcd":
                records.drop(location, name)
    expected: dict[tuple[Location, str], str] = {}
    for what, location, name, text in steps:
        with backend.changing(29) as records:
            if what == "put":
                records.put(location, record(name, content=f"x{text}"))
                expected[location, name] = f"x{text}"
            else:
                records.drop(location, name)
                expected.pop((location, name), None)
    read = backend.read(29)
    for location in Location:
        found = {name: read.find(location, name) for name in "abcd"}
        assert {(location, name): value["content"] for name, value in found.items() if value} == {
            key: content for key, content in expected.items() if key[0] is location
        }
