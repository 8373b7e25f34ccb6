"""The plain changes, planned without touching anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.action import Action
from store.backends.files.issue_reader import read_issue
from store.errors import InvalidObservation, Unreadable
from store.merge.versions import CONFLICT, REMOVED
from store.model import Location
from store.operations.changes import (
    Where,
    locate,
    plan_archive,
    plan_edit,
    plan_remove,
    plan_resolve,
    plan_tag,
)
from store.operations.plan import Change
from tests.store.factories import record, write_issue


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
