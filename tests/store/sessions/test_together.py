"""The answers of several indexes as one page."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import cast

import pytest

from store.errors import AmbiguousId, NotFound, StoreError
from store.model import Facets, Hit, IndexEntry, Observation, SearchResult
from store.notice import notice
from store.search.query import parse_query
from store.search.reader import IndexReader
from store.sessions.search import memories_of, together
from tests.store.factories import NOW


def _hit(name: str, score: float, age: int) -> Hit:
    time = NOW - timedelta(days=age)
    entry = IndexEntry(name, "engineer", 29, "decision", name, 5, time)
    return Hit(entry, score)


def _page(*hits: Hit, total: int, **more: object) -> SearchResult:
    facets = Facets(agents={"a": total})
    return SearchResult("", total, hits, facets, **more)  # type: ignore[arg-type]


def test_pages_are_joined_in_order_and_their_counts_added() -> None:
    one = _page(_hit("a", 3, 1), _hit("b", 1, 2), total=5)
    two = _page(_hit("c", 2, 0), total=1)
    found = together(parse_query("lock", NOW), [one, two], 2, 0)
    assert [it.entry.id for it in found.hits] == ["a", "c"]
    assert (found.total, found.facets[0]) == (6, {"a": 6})
    assert [it.entry.id for it in together(parse_query("lock", NOW), [one, two], 2, 1).hits] == [
        "c",
        "b",
    ]


def test_notes_are_said_once_and_a_page_without_hits_relaxes_nothing() -> None:
    note, lag = notice("field-empty", field="tag"), notice("no-title")
    near = (("lok", "lock"),)
    one = _page(_hit("a", 3, 1), total=1, notes=(note,), near=near)
    two = _page(total=0, notes=(note,), near=near, relaxed=True, notice=lag)
    found = together(parse_query("lok", NOW), [one, two], 9, 0)
    assert (found.notes, found.near, found.relaxed, found.notice) == ((note,), near, False, lag)
    three = _page(_hit("b", 3, 1), total=1, relaxed=True)
    assert together(parse_query("lok", NOW), [one, three], 9, 0).relaxed


def test_a_name_that_one_page_has_is_not_told_to_be_unknown() -> None:
    known, typed = {"field": "agent", "name": "engineer"}, {"field": "agent", "name": "enginer"}
    one = _page(_hit("a", 3, 1), total=1, notes=(notice("name-unknown", **typed),))
    two = _page(total=0, notes=(notice("name-unknown", **known), notice("name-unknown", **typed)))
    found = together(parse_query("lok", NOW), [one, two], 9, 0)
    assert found.notes == (notice("name-unknown", **typed),)


@pytest.mark.parametrize("error", [NotFound, AmbiguousId])
def test_an_id_that_a_session_left_and_that_names_none_now_is_passed_over(
    error: type[StoreError],
) -> None:
    class Answers:
        def of_session(self, session_id: str, issues: object) -> list[Observation]:
            return []

        def get(self, identifier: str) -> Observation:
            raise error(f"{identifier} is none")

    assert memories_of(cast(IndexReader, Answers()), "s-1", 29, ["a"]) == []


def test_a_session_left_what_is_filed_under_its_issue_or_none_and_what_is_known_of_it() -> None:
    times = {"filed": 3, "none": 1, "same": 1, "known": 2}
    made = {
        name: Observation("dev", 29, "decision", name, id=name, timestamp=NOW + timedelta(days=day))
        for name, day in times.items()
    }

    asked: list[tuple[str, list[int]]] = []

    class Answers:
        def of_session(self, session_id: str, issues: Iterable[int]) -> list[Observation]:
            asked.append((session_id, [*issues]))
            return [made["filed"], made["same"], made["none"]]

        def get(self, identifier: str) -> Observation:
            if identifier == "gone":
                raise NotFound("It is none")
            assert identifier == "known", "the others are there"
            return made[identifier]

    answers = cast(IndexReader, Answers())
    found = memories_of(answers, "s", 29, ["gone", "filed", "known"])
    assert [it.id for it in found] == ["none", "same", "known", "filed"]
    memories_of(answers, "t", 0, [])
    assert asked == [("s", [29, 0]), ("t", [0])]
