"""Two branches of a file of memories become one, the same whoever merges and in whatever order."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings

from store.merge.files import Side, merge_files, merge_headers
from store.records import RawRecord, new_record
from tests.store.factories import record
from tests.store.merge.worlds import STEPS, Branch, grown, merged_worlds, side_of, world_of

Steps = list[tuple[str, str, str]]


def _bytes(side: Side) -> tuple[str, list[bytes]]:
    return json.dumps(side.header), [text for text, _ in side.records]


def _told(side: Side) -> dict[str, dict[str, Any]]:
    """What the memories of a side say, whatever their order, recalls of removed ones left out."""
    return {
        value["id"]: {key: item for key, item in value.items() if key != "recallCount"}
        for _, value in side.records
    }


def _merged(base: Side | None, ours: Side, theirs: Side) -> Side:
    """Merged both ways round, which are the same."""
    one = side_of(merge_files(base, ours, theirs))
    other = side_of(merge_files(base, theirs, ours))
    assert _bytes(one) == _bytes(other)
    return one


@settings(max_examples=10)
@given(STEPS, STEPS, STEPS)
def test_two_branches_become_what_a_person_expects(start: Steps, left: Steps, right: Steps) -> None:
    base = grown(Branch(), start, 1)
    ours, theirs = grown(base, left, 10), grown(base, right, 15)
    merged = _merged(base.side(), ours.side(), theirs.side())
    assert world_of(merged) == merged_worlds(base.world, ours.world, theirs.world)


@given(STEPS, STEPS, STEPS, STEPS)
def test_three_branches_hold_the_same_in_any_order(
    start: Steps, first: Steps, second: Steps, third: Steps
) -> None:
    base = grown(Branch(), start, 1)
    branches = [
        grown(base, steps, day).side() for steps, day in ((first, 9), (second, 13), (third, 17))
    ]
    ends = []
    for one, two, three in itertools.permutations(branches):
        both = _merged(base.side(), one, two)
        ends.append(_told(_merged(base.side(), both, three)))
    assert all(end == ends[0] for end in ends)


@given(STEPS, STEPS, STEPS, STEPS, STEPS)
def test_branches_that_merged_each_other_merge_again(
    start: Steps, left: Steps, right: Steps, later_left: Steps, later_right: Steps
) -> None:
    base = grown(Branch(), start, 1)
    ours, theirs = grown(base, left, 6), grown(base, right, 11)
    middle = _merged(base.side(), ours.side(), theirs.side())
    world = merged_worlds(base.world, ours.world, theirs.world)
    records = [value for _, value in middle.records]
    met = Branch(records, world, 16)
    one, two = grown(met, later_left, 16), grown(met, later_right, 21)
    merged = _merged(middle, one.side(), two.side())
    assert world_of(merged) == merged_worlds(world, one.world, two.world)


@given(STEPS, STEPS)
def test_without_a_base_nothing_is_taken_to_be_removed(left: Steps, right: Steps) -> None:
    ours, theirs = grown(Branch(), left, 10), grown(Branch(), right, 15)
    merged = world_of(_merged(None, ours.side(), theirs.side()))
    assert merged == merged_worlds({}, ours.world, theirs.world)


@given(STEPS, STEPS)
def test_what_one_side_alone_did_is_taken_over_byte_for_byte(start: Steps, steps: Steps) -> None:
    base = grown(Branch(), start, 1)
    ours = grown(base, steps, 10)
    merged = _merged(base.side(), ours.side(), base.side())
    assert sorted(_bytes(merged)[1]) == sorted(_bytes(ours.side())[1])


def _side(*records: dict[str, Any], **header: object) -> Side:
    keys = {"version": 1, "issueNumber": 29, "updatedAt": "2026-03-01T10:00:00.000Z", **header}
    return Side(keys, [new_record(item) for item in records])


def test_records_that_are_no_memories_are_kept_as_they_are() -> None:
    seventeen = RawRecord(b"17", 17)
    odd = [new_record(record("x")), seventeen, seventeen, RawRecord(b'{"id": 5}', {"id": 5})]
    base = Side({}, odd[:2])
    merged = merge_files(base, Side({}, odd), Side({}, [*odd[:2], RawRecord(b"null", None)]))
    texts = sorted(text for text, _ in merged.records if text)
    assert texts == sorted([odd[0][0], b"17", b"17", b'{"id": 5}', b"null"])


def test_updated_at_never_conflicts_and_unknown_header_keys_stay() -> None:
    merged = merge_headers(
        {"version": 1, "updatedAt": "2026-03-01T10:00:00Z", "gone": 1},
        {"version": 1, "updatedAt": "2026-03-02T10:00:00Z", "gone": 1, "mine": 2},
        {"version": 1, "updatedAt": "2026-03-01T23:00:00-12:00", "theirs": 3},
    )
    assert merged == {
        "version": 1,
        "updatedAt": "2026-03-01T23:00:00-12:00",
        "mine": 2,
        "theirs": 3,
    }


@pytest.mark.parametrize("ours", [True, False])
def test_a_memory_that_was_only_used_goes_where_the_other_side_removed_it(ours: bool) -> None:
    used = _side(record("x", recallCount=3, lastRecalled="2026-03-05T10:00:00.000Z", seenCount=2))
    edited = _side(record("x", content="newer"))
    for stands, ids in ((used, []), (edited, ["x"])):
        sides = (stands, _side()) if ours else (_side(), stands)
        merge = merge_files(_side(record("x")), *sides)
        assert [it[1]["id"] for it in merge.records] == ids
        assert (merge.removed, merge.conflicts) == (["x"] if not ids else [], ids)


def test_what_comes_out_as_a_side_has_it_keeps_its_bytes() -> None:
    base, pinned = record("x"), record("x", pinned=True)
    both = {**pinned, "tags": ["a"]}
    by_hand = RawRecord(json.dumps(both, indent=3).encode(), both)
    start, other = _side(base), _side(pinned)
    ours = Side(start.header, [by_hand])
    for sides in ((ours, other), (other, ours)):
        (one,) = merge_files(start, *sides).records
        assert (one.text, one.value) == (by_hand.text, both)
    again = RawRecord(json.dumps(both, indent=2).encode(), both)
    found = {
        merge_files(start, Side(start.header, [left]), Side(start.header, [right])).records[0].text
        for left, right in itertools.permutations((by_hand, again))
    }
    assert len(found) == 1
    assert found < {by_hand.text, again.text}
