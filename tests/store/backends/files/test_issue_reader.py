"""The files of one issue read together, and changed in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.files.issue_reader import read_issue
from store.backends.files.listing import list_issues
from store.backends.issue_records import location_of
from store.errors import Unreadable
from store.model import Location, Problem
from tests.store.factories import record, write_issue


def test_where_an_id_is_in_both_the_issue_file_wins(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a", content="standing"))
    write_issue(tmp_path, 29, record("a", content="copy"), record("b"), archived=True)
    read = read_issue(tmp_path, 29)
    assert [item.content for item in read.observations()] == ["standing"]
    assert [item.id for item in read.observations(Location.ARCHIVE)] == ["b"]
    assert [held.location for held in read.held()] == [Location.ISSUE, Location.ARCHIVE]


def test_the_recovered_file_is_read_like_the_issue_itself(tmp_path: Path) -> None:
    (tmp_path / "issue-29.json").write_text("<<<<<<<")
    write_issue(tmp_path, 29, record("a")).rename(tmp_path / "issue-29.recovered.json")
    (tmp_path / "issue-29.json").write_text("<<<<<<<")
    read = read_issue(tmp_path, 29)
    assert [item.id for item in read.observations()] == ["a"]
    read.append(Location.ISSUE, record("b"))
    assert [item.id for item in read.observations()] == ["a", "b"]
    assert set(read.parts) == {"issue-29.recovered.json"}


def test_where_nothing_can_take_a_record_the_error_says_so(tmp_path: Path) -> None:
    (tmp_path / "issue-29.json").write_text("<<<<<<<")
    (tmp_path / "issue-29.recovered.json").write_text(">>>>>>>")
    read = read_issue(tmp_path, 29)
    with pytest.raises(Unreadable, match=r"issue-29\..*json is not valid JSON"):
        read.append(Location.ISSUE, record("b"))


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


def test_where_an_id_is_in_both_the_own_file_wins_over_the_recovered(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a", content="recovered"), record("b")).rename(
        tmp_path / "issue-29.recovered.json"
    )
    write_issue(tmp_path, 29, record("a", content="standing"))
    read = read_issue(tmp_path, 29)
    assert [item.content for item in read.observations() if item.id == "a"] == ["standing"]
    found = read.find(Location.ISSUE, "a")
    assert found is not None
    assert found["content"] == "standing"
    assert [item.id for item in read.observations()] == ["a", "b"]


def test_a_file_that_is_named_as_a_folder_of_memories_is_none(tmp_path: Path) -> None:
    write_issue(tmp_path, 29, record("a"))
    (tmp_path / "issue-29").touch()
    read = read_issue(tmp_path, 29)
    assert (len(list(read.held())), read.problems) == (1, [])
