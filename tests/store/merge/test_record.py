"""Merging records, whole files, and the markers git leaves."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings

from store.errors import Unreadable
from store.merge.bounds import bounded
from store.merge.changes import Snapshot, Standing, compare
from store.merge.files import Side, merge_files, merge_headers
from store.merge.markers import Versions, split_markers
from store.merge.record import Times, merge_records
from store.merge.values import instant, later
from store.merge.versions import CONFLICT, alternatives, keep_removed, resolved, version_text
from store.platform.bounds import MAX_DEPTH, MAX_VALUES
from store.records import RawRecord, new_record
from tests.store.factories import record
from tests.store.merge.worlds import STEPS, Branch, grown, merged_worlds, side_of, world_of

BASE = record("a")


def _merged(
    ours: dict[str, Any], theirs: dict[str, Any], base: dict[str, Any] | None = None
) -> dict[str, Any]:
    """What an edit of each side to a memory becomes, whichever side is ours."""
    start = {**BASE, **(base or {})}
    found = merge_records(start, {**start, **ours}, {**start, **theirs})
    assert merge_records(start, {**start, **theirs}, {**start, **ours}) == found
    return found


def test_what_a_side_wrote_of_its_defaults_stays() -> None:
    """A record of others may lack what each of ours has: neither is an edit."""
    ours = {"recallCount": 0, "relevanceScore": 1.0, "archived": False}
    assert _merged(ours, {"pinned": True}) == {**BASE, **ours, "pinned": True}
    assert _merged(ours, {"relevanceScore": 0.4})["relevanceScore"] == 0.4


def test_the_later_recall_and_the_greater_score_count() -> None:
    early, late = "2026-03-01T10:00:00+02:00", "2026-03-01T09:00:00Z"
    assert _merged({"lastRecalled": early}, {"lastRecalled": late})["lastRecalled"] == late
    assert _merged({"lastRecalled": early}, {})["lastRecalled"] == early
    score = {"relevanceScore": 0.5}
    assert _merged({"relevanceScore": 0.2}, {}, score)["relevanceScore"] == 0.2
    assert _merged({"relevanceScore": 0.2}, {"relevanceScore": 0.9}, score)["relevanceScore"] == 0.9
    assert later("x", early, "2020") == early
    assert instant(5) < instant("2026-01-01")
    for beyond in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        assert instant(beyond)[0] == instant("no time")[0]
        assert later(beyond, early) == early
    assert instant("2026-03-01T09:00:00")[0] == instant(late)[0]


def test_no_version_makes_a_memory_another_one() -> None:
    other = {CONFLICT: [{"id": "z", "tags": ["x"]}]}
    assert _merged(other, {"pinned": True})["id"] == BASE["id"]
    assert resolved({**BASE, **other}, 1) == {**BASE, "tags": ["x"]}


def test_the_newer_text_counts_and_an_edit_without_a_time_is_as_old_as_its_file() -> None:
    start = dict(BASE)
    ours = {**start, "content": "Ours", "editedAt": "2026-03-02T00:00:00Z"}
    theirs = {**start, "content": "Theirs"}
    for written, counts in (("2026-03-01T00:00:00Z", "Ours"), ("2026-03-03T00:00:00Z", "Theirs")):
        found = merge_records(start, ours, theirs, Times(theirs=written))
        assert found["content"] == counts
        ((other),) = alternatives(found)
        assert other["content"] == ({"Ours", "Theirs"} - {counts}).pop()
        back = merge_records(start, theirs, ours, Times(ours=written))
        assert back["content"] == counts


def test_a_removal_on_another_branch_stays_flagged_until_it_is_resolved() -> None:
    kept = keep_removed({**BASE, "conflict": [{"content": "Other"}, {"removed": True}]})
    assert kept["conflict"] == [{"content": "Other"}, {"removed": True}]
    assert list(kept)[-1] == "conflict"
    flagged = _merged({"conflict": [{"removed": True}]}, {"pinned": True})
    assert alternatives(flagged) == [{"removed": True}]
    start = {**BASE, "conflict": [{"removed": True}]}
    assert alternatives(merge_records(start, start, {**start, "pinned": True}))
    for sides in ((BASE, start), (start, BASE)):
        assert not alternatives(merge_records(start, *sides))
    one, other = {**BASE, "conflict": [{"mine": 1}]}, {**BASE, "conflict": [{"mine": 2}]}
    start = {**BASE, "conflict": [*one["conflict"], *other["conflict"]]}
    assert CONFLICT not in merge_records(start, one, other), "each resolved one"


def test_each_version_is_told_and_can_be_chosen() -> None:
    held = {**BASE, "conflict": [{"content": "Other", "tokens": 1}, {"mine": 5}, {"removed": True}]}
    told = [version_text(it) for it in alternatives(held)]
    assert told == ["Other", "mine: 5", "removed on another branch"]
    assert resolved(held, 0) == BASE
    assert resolved(held, 1) == {**BASE, "content": "Other", "tokens": 1}
    assert resolved(held, 2) == {**BASE, "mine": 5}
    assert resolved(held, 3) is None
    with pytest.raises(IndexError):
        resolved(held, 4)


def test_a_key_that_both_changed_keeps_both_values_and_one_that_one_removed_goes() -> None:
    found = _merged({"mine": 1}, {"mine": 2}, {"mine": 0})
    assert (found["mine"], found["conflict"]) == (2, [{"mine": 1}])
    gone = merge_records({**BASE, "mine": 0}, BASE, {**BASE, "mine": 0})
    assert "mine" not in gone
    edited = merge_records({**BASE, "mine": 0}, BASE, {**BASE, "mine": 1})
    assert edited == {**BASE, "mine": 1}


def _at(archived: bool = False, issue: int = 29, **keys: Any) -> Standing:  # noqa: ANN401
    return Standing(issue, archived, record("x", **keys))


def test_what_became_of_each_memory() -> None:
    before: Snapshot = {
        "gone": _at(issue=40),
        "merged": _at(tokens=3),
        "kept": _at(sources=["gone"]),
        "archived": _at(),
        "hidden": _at(True),
        "away": _at(True),
        "taken": _at(),
        "edited": _at(issue=30),
        "used": _at(),
    }
    after: Snapshot = {
        "kept": _at(sources=["gone"]),
        "archived": _at(True),
        "hidden": _at(),
        "taken": _at(True),
        "edited": _at(issue=30, content="New", tokens=1),
        "used": _at(recallCount=5, tokens=9),
        "heir": _at(sources=["merged", "taken", "away", 5, ["gone"]]),
        "old": _at(True),
    }
    found = compare(before, after)
    assert [(str(it.what), it.id, it.by) for it in found.changes] == [
        ("added", "heir", ""),
        ("edited", "edited", ""),
        ("superseded", "merged", "heir"),
        ("superseded", "taken", "heir"),
        ("archived", "archived", ""),
        ("archived", "old", ""),
        ("restored", "hidden", ""),
        ("removed", "away", ""),
        ("removed", "gone", ""),
    ]
    assert found.changes[0].fields["agent"] == (None, "engineer")
    assert found.changes[-1].fields["agent"] == ("engineer", None)
    assert found.tokens_before == 3 + 6 * 8
    assert found.tokens_after == 8 * 3 + 1 + 9
    assert {str(what): number for what, number in found.counted().items()} == {
        "added": 1,
        "edited": 1,
        "superseded": 2,
        "archived": 2,
        "restored": 1,
        "removed": 2,
    }
    edited = next(it for it in found.changes if it.id == "edited")
    assert edited.fields == {"content": (BASE["content"], "New")}


def test_what_is_beyond_bounds_is_not_joined_with_another() -> None:
    fine = new_record(record("a", deep=[[["x"]]]))
    assert bounded(fine)["id"] == "a"
    deep: object = "x"
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    for value in (record("a", deep=deep), record("a", **{f"k{n}": n for n in range(MAX_VALUES)})):
        with pytest.raises(Unreadable, match="can't be merged"):
            bounded(new_record(value))


def test_what_one_side_resolved_stays_resolved() -> None:
    """By what an edit says and by a mark alone, whichever side chose."""
    open_ = [{"content": "Theirs"}, {"mood": "calm"}]
    start = {**BASE, CONFLICT: open_}
    for choice in (0, 1, 2):
        chosen = resolved(start, choice)
        assert chosen is not None
        assert merge_records(start, chosen, start) == merge_records(start, start, chosen) == chosen


def test_versions_that_stay_open_stay_whoever_merges_again() -> None:
    start, ours, theirs = ({**BASE, "mood": it} for it in ("calm", "sure", "glad"))
    once = merge_records(start, ours, theirs)
    assert (once["mood"], once[CONFLICT]) == ("sure", [{"mood": "glad"}])
    for side in (ours, theirs):
        assert merge_records(start, once, side) == merge_records(start, side, once) == once


def test_a_conflict_that_is_none_is_kept_as_any_key() -> None:
    odd = {**BASE, CONFLICT: "by hand"}
    assert merge_records(BASE, odd, BASE) == merge_records(BASE, BASE, odd) == odd
    assert merge_records(odd, BASE, odd) == BASE
    assert merge_records(None, odd, {**BASE, CONFLICT: "by mouth"})[CONFLICT] == "by mouth"


@pytest.mark.parametrize(
    ("keys", "fields"),
    [
        ({"content": "New", "tokens": 9}, {"content"}),
        ({"pinned": True, "recallCount": 9}, {"pinned"}),
        ({"conflict": [{"content": "Other"}]}, set()),
        ({"editedAt": "2026-03-02T00:00:00Z"}, set()),
        ({"recallCount": 1, "lastRecalled": "x", "seenCount": 2, "relevanceScore": 1}, set()),
        ({"archived": False}, set()),
        ({"category": "error", "mood": "calm"}, {"category", "mood"}),
    ],
)
def test_what_of_a_memory_counts_as_an_edit(keys: dict[str, Any], fields: set[str]) -> None:
    plain, keyed = _at(), _at(**keys)
    for before, after in ((plain, keyed), (keyed, plain)):
        changes = compare({"x": before}, {"x": after}).changes
        assert [str(it.what) for it in changes] == ["edited"] * bool(fields)
        assert {key for it in changes for key in it.fields} == fields
        moved = compare({"x": before}, {"x": after._replace(archived=True)}).changes
        assert [(str(it.what), set(it.fields)) for it in moved] == [("archived", fields)]


# Two branches of a file of memories become one, the same whoever merges and in whatever order.


Steps = list[tuple[str, str, str]]


def _bytes(side: Side) -> tuple[str, list[bytes]]:
    return json.dumps(side.header), [text for text, _ in side.records]


def _told(side: Side) -> dict[str, dict[str, Any]]:
    """What the memories of a side say, whatever their order, recalls of removed ones left out."""
    return {
        value["id"]: {key: item for key, item in value.items() if key != "recallCount"}
        for _, value in side.records
    }


def _merged_files(base: Side | None, ours: Side, theirs: Side) -> Side:
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
    merged = _merged_files(base.side(), ours.side(), theirs.side())
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
        both = _merged_files(base.side(), one, two)
        ends.append(_told(_merged_files(base.side(), both, three)))
    assert all(end == ends[0] for end in ends)


@given(STEPS, STEPS, STEPS, STEPS, STEPS)
def test_branches_that_merged_each_other_merge_again(
    start: Steps, left: Steps, right: Steps, later_left: Steps, later_right: Steps
) -> None:
    base = grown(Branch(), start, 1)
    ours, theirs = grown(base, left, 6), grown(base, right, 11)
    middle = _merged_files(base.side(), ours.side(), theirs.side())
    world = merged_worlds(base.world, ours.world, theirs.world)
    records = [value for _, value in middle.records]
    met = Branch(records, world, 16)
    one, two = grown(met, later_left, 16), grown(met, later_right, 21)
    merged = _merged_files(middle, one.side(), two.side())
    assert world_of(merged) == merged_worlds(world, one.world, two.world)


@given(STEPS, STEPS)
def test_without_a_base_nothing_is_taken_to_be_removed(left: Steps, right: Steps) -> None:
    ours, theirs = grown(Branch(), left, 10), grown(Branch(), right, 15)
    merged = world_of(_merged_files(None, ours.side(), theirs.side()))
    assert merged == merged_worlds({}, ours.world, theirs.world)


@given(STEPS, STEPS)
def test_what_one_side_alone_did_is_taken_over_byte_for_byte(start: Steps, steps: Steps) -> None:
    base = grown(Branch(), start, 1)
    ours = grown(base, steps, 10)
    merged = _merged_files(base.side(), ours.side(), base.side())
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


# What git set side by side in a text is taken apart again, or the text is left as it is.


TWO = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n"
THREE = "<<<<<<< HEAD\nb\n||||||| 1a2b3c\no\n=======\nc\n>>>>>>> topic\n"


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        (TWO, Versions(None, "a\nb\nd\n", "a\nc\nd\n")),
        (THREE, Versions("o\n", "b\n", "c\n")),
        (THREE + "x\n" + THREE, Versions("o\nx\no\n", "b\nx\nb\n", "c\nx\nc\n")),
        # A base that one of several conflicts does not tell is none.
        (TWO + THREE, Versions(None, "a\nb\nd\nb\n", "a\nc\nd\nc\n")),
        (THREE + TWO, Versions(None, "b\na\nb\nd\n", "c\na\nc\nd\n")),
        (TWO.replace("\n", "\r\n"), Versions(None, "a\r\nb\r\nd\r\n", "a\r\nc\r\nd\r\n")),
        ("<<<<<<<\n=======\nc\n>>>>>>>\n", Versions(None, "", "c\n")),
        ("<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic", Versions(None, "b\n", "c\n")),
        # What stands where no marker can is text, such as a line under a heading.
        ("a\n=======\n" + TWO, Versions(None, "a\n=======\na\nb\nd\n", "a\n=======\na\nc\nd\n")),
        (
            "||||||| x\n>>>>>>> x\n" + THREE,
            Versions(*(f"||||||| x\n>>>>>>> x\n{it}\n" for it in "obc")),
        ),
        (TWO.replace("b\n", "<<<<<<< x\n"), Versions(None, "a\n<<<<<<< x\nd\n", "a\nc\nd\n")),
        (TWO.replace("b\n", ">>>>>>> x\n"), Versions(None, "a\n>>>>>>> x\nd\n", "a\nc\nd\n")),
        (TWO.replace("c\n", "=======\n"), Versions(None, "a\nb\nd\n", "a\n=======\nd\n")),
        (TWO.replace("c\n", "||||||| x\n"), Versions(None, "a\nb\nd\n", "a\n||||||| x\nd\n")),
        (THREE.replace("o\n", "||||||| x\n"), Versions("||||||| x\n", "b\n", "c\n")),
        (THREE.replace("o\n", ">>>>>>> x\n"), Versions(">>>>>>> x\n", "b\n", "c\n")),
    ],
)
def test_each_side_has_its_lines_and_those_outside(text: str, versions: Versions) -> None:
    assert split_markers(text) == versions


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\nb\n",
        "<<<<<<<< eight\na\n",
        " <<<<<<< HEAD\nb\n =======\nc\n >>>>>>> topic\n",
        "<<<<<<< HEAD\nb\n=======\nc\n",
        "<<<<<<< HEAD\nb\n",
    ],
)
def test_without_whole_markers_there_are_no_versions(text: str) -> None:
    assert split_markers(text) is None
