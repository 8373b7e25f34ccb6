"""Parts are fetched ahead, in another thread that ends with them; a large issue in pieces."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from store.backends.postgres import ahead as module
from store.backends.postgres import records
from store.backends.postgres.ahead import ahead, in_parts
from store.backends.postgres.backend import PostgresBackend
from store.model import Location
from tests.store.factories import record


def _counting(taken: list[int], most: int) -> Iterator[int]:
    for number in range(most):
        taken.append(number)
        yield number


def test_issues_come_together_up_to_a_megabyte() -> None:
    sizes = dict.fromkeys(range(1, 6), 1_000_000)
    later = {6: 400_000, 7: 600_000, 8: 1, 9: 9_000_000, 10: 1, 11: 1}
    parts = list(in_parts([*sizes, 6, 7, 8, 12, 9, 10, 11], sizes | later))
    assert parts == [[1], [2], [3], [4], [5], [6, 7], [8, 12], [9], [10, 11]]
    assert list(in_parts([], sizes)) == []


def test_indexing_begins_after_a_small_part() -> None:
    sizes = dict.fromkeys(range(200), 15_000)
    parts = [len(part) for part in in_parts(list(sizes), sizes)]
    assert parts == [4, 8, 16, 32, 64, 66, 10]


def test_the_next_part_is_fetched_before_it_is_asked_for() -> None:
    taken: list[int] = []
    second = threading.Event()

    def parts() -> Iterator[int]:
        for number in _counting(taken, 3):
            if number == 1:
                second.set()
            yield number

    found = ahead(parts())
    assert next(found) == 0
    assert second.wait(10)
    assert list(found) == [1, 2]


def test_no_thread_is_left_where_the_rest_is_not_asked_for() -> None:
    before, taken = threading.active_count(), list[int]()
    found = ahead(_counting(taken, 99))
    assert next(found) == 0
    found.close()  # type: ignore[attr-defined]  # a generator
    assert threading.active_count() == before
    assert len(taken) < 20


def test_what_fetching_raises_is_raised_after_the_parts_before() -> None:
    def parts() -> Iterator[int]:
        yield 1
        raise ValueError("away")

    found = ahead(parts())
    assert next(found) == 1
    with pytest.raises(ValueError, match="away"):
        next(found)


def test_many_issues_come_in_the_order_in_which_they_are_asked_for(
    backend: PostgresBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PART", 700)
    for issue in range(1, 8):
        with backend.changing(issue) as held:
            held.append(Location.ISSUE, record(str(issue)))
    order = [5, 9, 1, 7, 2, 3, 6]
    assert [it.issue for it in backend.read_each(order)] == order
    found = {it.issue: [r.value["id"] for _, r in it.standing()] for it in backend.read_each(order)}
    assert found == {it: [str(it)] if it != 9 else [] for it in order}
    with backend.locked():
        with backend.changing(1) as held:
            held.append(Location.ISSUE, record("new"))
        first, *_ = backend.read_each([1, *order])
        assert [r.value["id"] for _, r in first.standing()] == ["1", "new"]


@pytest.mark.parametrize("can_stream", [True, False])
def test_an_issue_alone_is_taken_over_some_rows_at_a_time(
    backend: PostgresBackend, monkeypatch: pytest.MonkeyPatch, can_stream: bool
) -> None:
    with backend.changing(29) as held:
        for name in "abcde":
            held.append(Location.ISSUE, record(name))
        held.append(Location.ARCHIVE, record("f"))
    monkeypatch.setattr(records, "_AT_ONCE", 2)
    monkeypatch.setattr(psycopg.capabilities, "has_stream_chunked", lambda **_: can_stream)
    together: list[int] = []
    stream = psycopg.Cursor.stream

    def seen(cursor: Any, *asked: Any, size: int) -> Iterator[Any]:  # noqa: ANN401
        together.append(size)
        return stream(cursor, *asked, size=size)

    monkeypatch.setattr(psycopg.Cursor, "stream", seen)
    (alone,) = backend.read_each([29])
    with backend.locked():
        (within,) = backend.read_each([29])
    for found in (alone, within):
        assert [it.value["id"] for _, it in found.standing()] == list("abcdef")
    assert together == [2] * can_stream
