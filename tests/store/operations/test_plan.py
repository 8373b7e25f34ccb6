"""What plans hold, and the changes and differences that they show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.action import Action, ActionKind
from store.backends.files.issue_reader import read_issue
from store.backends.text_kinds import TextKind
from store.errors import InvalidObservation, Unreadable
from store.merge.versions import CONFLICT, REMOVED
from store.model import Layout, Location
from store.operations.changes import (
    Where,
    locate,
    plan_archive,
    plan_edit,
    plan_remove,
    plan_resolve,
    plan_tag,
)
from store.operations.diff import count_records, record_diffs
from store.operations.plan import (
    Change,
    ClarificationChange,
    LayoutChange,
    Move,
    Plan,
    Record,
    TextChange,
)
from store.redaction.sanitizer import clean_record
from tests.store.exchange.keys import made_up_key
from tests.store.factories import record, write_issue

_RECORDS = st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 3), max_size=2)
_CHANGES = st.builds(
    Change, st.sampled_from(Location), st.integers(0, 3), st.sampled_from("xyz"), _RECORDS, _RECORDS
)
_TEXTS = st.builds(
    TextChange, st.just(TextKind.SESSIONS), st.sampled_from("st"), _RECORDS, _RECORDS
)
_CLARIFICATIONS = st.builds(
    ClarificationChange, st.integers(0, 3), st.sampled_from("cd"), _RECORDS, _RECORDS
)
_PLANS = st.builds(
    Plan,
    st.just(Action("edit")),
    st.lists(_CHANGES, max_size=4).map(tuple),
    moves=st.lists(st.builds(Move, st.sampled_from("pq"), st.just("r")), max_size=2).map(tuple),
    moves_last=st.booleans(),
    texts=st.lists(_TEXTS, max_size=2).map(tuple),
    layout=st.none() | st.just(LayoutChange(Layout.PER_ISSUE, Layout.EACH)),
    clarifications=st.lists(_CLARIFICATIONS, max_size=2).map(tuple),
)


@given(_PLANS)
def test_the_inverse_takes_back_last_what_was_done_first(plan: Plan) -> None:
    inverse = plan.inverse()
    assert inverse.action == Action("undo", of="edit")
    for name in ("changes", "moves", "texts", "clarifications"):
        done, taken_back = getattr(plan, name), getattr(inverse, name)
        assert taken_back == tuple(it.inverse() for it in done[::-1]), name
    assert inverse.moves_last is not plan.moves_last
    assert inverse.layout == (plan.layout and LayoutChange(Layout.EACH, Layout.PER_ISSUE))
    assert replace(inverse.inverse(), action=plan.action) == plan


# The plain changes, planned without touching anything.


@pytest.fixture
def where(tmp_path: Path) -> Where:
    write_issue(tmp_path, 29, record("a", huge=10**30), record("flag", archived=True))
    write_issue(tmp_path, 29, record("old", archived=True), archived=True)
    write_issue(tmp_path, 30, record("b", issueNumber=30))
    return {issue: read_issue(tmp_path, issue) for issue in (29, 30)}


def test_editing_changes_what_was_named(where: Where) -> None:
    plan = plan_edit(where, ["a", "b"], {"tags": ("seen",)})
    assert plan.action == Action("edit", {"memories": 2})
    assert plan.changes[0] == Change(
        Location.ISSUE,
        29,
        "a",
        record("a", huge=10**30),
        {**record("a", huge=10**30), "tags": ["seen"]},
    )
    assert plan_edit(where, ["a"], {"agent": "engineer"}, "Name it").is_empty
    assert plan_edit(where, ["old"], {"muted": True}).changes[0].location is Location.ARCHIVE
    too_long = {"content": "x" * 2_001}
    for fields in ({"id": "c"}, {"issue_number": 7}, {"content": ""}, too_long, {"nonsense": 1}):
        with pytest.raises(InvalidObservation):
            plan_edit(where, ["a"], fields)


def test_tagging_leaves_each_its_other_tags(tmp_path: Path) -> None:
    write_issue(tmp_path, 3, record("one", issueNumber=3, tags=["kept", "open"]))
    write_issue(tmp_path, 4, record("two", issueNumber=4))
    where = {issue: read_issue(tmp_path, issue) for issue in (3, 4)}
    plan = plan_tag(where, ["one", "two"], ["done"], {"open"}, "close")
    assert plan.action == Action("close", {"memories": 2})
    assert [change.after["tags"] for change in plan.changes if change.after] == [
        ["kept", "done"],
        ["done"],
    ]
    assert plan_tag(where, ["one"], ["kept"]).is_empty
    both = plan_tag(where, ["one", "two"], ["new", "open"], {"open", "none"})
    assert [it.after and it.after["tags"] for it in both.changes] == [["kept", "new"], ["new"]]
    assert plan_tag(where, ["two"], ["open"], {"open"}).is_empty
    assert plan_tag(where, ["one", "two"], ["kept"]).action == Action("tag", {"memories": 1})


def test_archiving_replaces_the_copy_that_stands_there_and_keeps_its_place(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("z"), record("a", content="New"), record("b"))
    write_issue(tmp_path, 29, record("a", content="Old", archived=True), archived=True)
    plan = plan_archive({29: read_issue(tmp_path, 29)}, ["b", "a"])
    assert plan.action == Action("archive", {"memories": 2})
    copy = {**record("a", content="New"), "archived": True}
    assert plan.changes[2:] == (
        Change(Location.ARCHIVE, 29, "a", record("a", content="Old", archived=True), copy),
        Change(Location.ISSUE, 29, "a", record("a", content="New"), None, 1),
    )
    assert [it.place for it in plan.changes] == [None, 2, None, 1]
    where = {29: read_issue(tmp_path, 29)}
    assert [it.place for it in plan_remove(where, ["b", "z"]).changes] == [2, 0]


def test_what_may_stand_in_a_file_that_can_not_be_read_is_not_said_to_be_gone(
    tmp_path: Path,
) -> None:
    write_issue(tmp_path, 29, record("a"))
    (tmp_path / "issue-30.json").write_text("{")
    where = {issue: read_issue(tmp_path, issue) for issue in (29, 30)}
    assert [it.id for it in locate(where, ["a"])] == ["a"]
    with pytest.raises(Unreadable, match=r"issue-30\.json"):
        plan_remove(where, ["a", "b"])


def test_one_version_of_a_memory_is_kept(tmp_path: Path) -> None:
    versions = [{"content": "Theirs"}, {REMOVED: True}]
    write_issue(tmp_path, 29, record("a"), record("b", content="Ours", **{CONFLICT: versions}))
    where = {29: read_issue(tmp_path, 29)}
    kept = [plan_resolve(where, "b", choice).changes[0] for choice in range(3)]
    assert [it.after and it.after["content"] for it in kept] == ["Ours", "Theirs", None]
    assert [it.place for it in kept] == [None, None, 1]
    assert not any(CONFLICT in it.after for it in kept if it.after)
    for choice in (-1, 3):
        with pytest.raises(InvalidObservation, match=f"b has no version {choice}"):
            plan_resolve(where, "b", choice)
    nothing = plan_resolve(where, "a", 0)
    assert (nothing.is_empty, nothing.action) == (True, Action("edit", {"memories": 0}))


# What an operation would change, field by field, as it is shown.


def _change(
    where: Location, before: Record | None, after: Record | None, name: str = "k"
) -> Change:
    return Change(where, 29, name, before, after)


ONE: Record = {"id": "k", "agent": "qa", "category": "error", "summary": "It broke", "tokens": 3}
TWO: Record = {**ONE, "summary": "It broke twice", "theirs": [1]}
HERE, ASIDE = Location.ISSUE, Location.ARCHIVE


@pytest.mark.parametrize(
    ("changes", "effects"),
    [
        ([_change(HERE, None, ONE)], ["added"]),
        ([_change(HERE, ONE, None)], ["removed"]),
        ([_change(HERE, ONE, TWO)], ["changed"]),
        ([_change(HERE, None, None)], ["forgotten"]),
        ([_change(HERE, ONE, None), _change(ASIDE, None, ONE)], ["archived"]),
        ([_change(ASIDE, None, ONE), _change(HERE, ONE, None)], ["archived"]),
        ([_change(HERE, None, ONE), _change(ASIDE, ONE, None)], ["restored"]),
        ([_change(HERE, None, ONE), _change(ASIDE, ONE, TWO)], ["added"]),
        ([_change(HERE, ONE, None), _change(ASIDE, ONE, None)], ["removed"]),
        ([_change(HERE, ONE, None), _change(ASIDE, None, ONE, "other")], ["removed", "added"]),
        ([_change(HERE, ONE, None), _change(HERE, None, ONE)], ["removed", "added"]),
        ([_change(ASIDE, None, ONE)], ["added"]),
        ([_change(ASIDE, ONE, None)], ["removed"]),
        ([_change(ASIDE, ONE, TWO)], ["changed"]),
        ([_change(ASIDE, ONE, TWO), _change(HERE, ONE, TWO)], ["changed"]),
        ([], []),
    ],
)
def test_what_becomes_of_a_record(changes: list[Change], effects: list[str]) -> None:
    plan = Plan(Action(ActionKind.EDIT, {}), tuple(changes))
    found = list(record_diffs(plan))
    assert [str(it.effect) for it in found] == effects
    assert count_records(plan) == len(effects)


def test_of_a_secret_that_goes_it_is_told_where_it_was_and_not_what() -> None:
    key = made_up_key()
    before: Record = {**ONE, "content": f"Use {key} there", "summary": "Use it", "note": key}
    after: Record = {**ONE, "content": "Use [redacted] there", "summary": "Use it"}
    change = replace(_change(HERE, before, after), forget=True)
    (found,) = record_diffs(Plan(Action(ActionKind.EDIT), (change,)))
    assert [(it.name, it.after) for it in found.fields] == [
        ("content", "Use [redacted] there"),
        ("note", None),
    ]
    assert key not in repr(found)
    cleaned = clean_record(before)[0]
    (found,) = record_diffs(Plan(Action(ActionKind.EDIT), (replace(change, after=cleaned),)))
    assert [it.name for it in found.fields] == ["content", "note"]
    assert {it.before == it.after for it in found.fields} == {True}
    (found,) = record_diffs(Plan(Action(ActionKind.EDIT), (_change(HERE, before, after),)))
    assert key not in repr(found)
    assert not any(it.secret for it in found.fields)
