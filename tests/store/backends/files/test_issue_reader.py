"""The files of one issue read together, and changed in memory."""

from __future__ import annotations

from pathlib import Path

from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import list_issues
from store.backends.issue_records import location_of
from store.model import Location, Problem
from tests.store.factories import record, write_issue


def test_where_an_id_is_in_both_the_issue_file_wins(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a", content="standing"))
    write_issue(tmp_path, 29, record("a", content="copy"), record("b"), archived=True)
    read = read_issue(tmp_path, 29)
    assert [item.content for item in read.observations()] == ["standing"]
    assert [item.id for item in read.observations(Location.ARCHIVE)] == ["b"]
    assert [held.location for held in read.held()] == [Location.ISSUE, Location.ARCHIVE]


def test_a_record_is_found_put_and_dropped_on_its_location(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a"), record("b"))
    read = read_issue(tmp_path, 29)
    assert read.find(Location.ARCHIVE, "a") is None
    read.put(Location.ISSUE, record("a", pinned=True))
    read.put(Location.ARCHIVE, record("c"))
    read.drop(Location.ISSUE, "b")
    read.drop(Location.ISSUE, "nothing")
    assert read.find(Location.ISSUE, "a") == record("a", pinned=True)
    standing = [(held.location, held.record.value["id"]) for held in read.held()]
    assert standing == [(Location.ISSUE, "a"), (Location.ARCHIVE, "c")]
    assert [value["id"] for value in read.values()] == ["a", "c"]


def test_a_record_that_is_not_valid_is_found_and_named(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("odd", timestamp="soon"), "no object", record("a"))
    read = read_issue(tmp_path, 29)
    assert [held.observation is None for held in read.held()] == [True, True, False]
    assert read.problems[0] == Problem(
        "issue-29.json",
        "issue-29.json: the record 'odd' can't be shown: "
        "its `timestamp` is missing or not a date. It is kept.",
    )
    assert read.find(Location.ISSUE, "odd") == record("odd", timestamp="soon")


def test_only_record_files_are_listed(tmp_path: Path) -> None:
    assert list_issues(tmp_path / "nowhere") == {}
    write_issue(tmp_path, 7)
    write_issue(tmp_path, 8, archived=True)
    for name in ("manifest.json", "notes.md", "issue-7.json.lock", "archive/notes.md"):
        (tmp_path / name).write_text("")
    found = list_issues(tmp_path)
    assert found == {"issue-7.json": 7, "archive/issue-8-archived.json": 8}
    assert [location_of(name) for name in found] == [Location.ISSUE, Location.ARCHIVE]
