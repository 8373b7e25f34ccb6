"""One memory merged, key by key, and what changed between two states."""

from __future__ import annotations

from typing import Any

import pytest

from store.errors import Unreadable
from store.merge.bounds import bounded
from store.merge.changes import Snapshot, Standing, compare
from store.merge.record import Times, merge_records
from store.merge.values import instant, later
from store.merge.versions import CONFLICT, alternatives, keep_removed, resolved, version_text
from store.platform.bounds import MAX_DEPTH, MAX_VALUES
from store.records import new_record
from tests.store.factories import record

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
