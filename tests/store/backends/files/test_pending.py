"""A change that was not written to its files yet: made, gone on with, and never trusted blindly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.backends.files.pending import complete, read_pending
from store.errors import Unreadable, WriteFailed
from tests.store.factories import record, write_issue

NAME = "pending/issue-29.json"


def _wait(folder: Path, files: object) -> None:
    """Leave a change as a crash does right after it holds."""
    (folder / "pending").mkdir(exist_ok=True)
    (folder / NAME).write_text(json.dumps({"version": 1, "files": files}))


def test_a_change_that_a_crash_interrupted_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "issue-29").mkdir()
    (tmp_path / "issue-29" / "a.json").write_text("{}")
    _wait(tmp_path, {"issue-29.json": "whole", "issue-29/a.json": None})
    assert read_pending(tmp_path, 29) == {"issue-29.json": b"whole", "issue-29/a.json": None}
    complete(tmp_path, 29)
    assert (tmp_path / "issue-29.json").read_text() == "whole"
    assert not (tmp_path / "issue-29").exists() and not (tmp_path / NAME).exists()
    assert read_pending(tmp_path, 29) == {}


@pytest.mark.parametrize(
    "files",
    [
        {"issue-29.json": "mine", "issue-30.json": "theirs"},
        {"issue-29.json": "mine", "../issue-29.json": "out"},
        {"issue-29.json": "mine", "manifest.json": ""},
        {NAME: "itself"},
        ["issue-29.json"],
        7,
    ],
)
def test_a_change_that_names_other_files_changes_nothing(tmp_path: Path, files: object) -> None:
    _wait(tmp_path, files)
    with pytest.raises(Unreadable, match=NAME):
        complete(tmp_path, 29)
    assert [path.name for path in tmp_path.rglob("*.json")] == ["issue-29.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "null", '{"files": []}', '{"version": 1}', "deep", "\x00"]
)
def test_a_change_that_is_damaged_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "pending").mkdir()
    (tmp_path / NAME).write_text(text.replace("deep", "[" * 100_000))
    with pytest.raises(Unreadable) as told:
        read_pending(tmp_path, 29)
    assert told.value.message == f"{NAME} is damaged."
    assert told.value.hint == "Run `memtui doctor --repair`."


def test_a_disk_that_does_not_confirm_is_told_with_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("store.backends.files.pending.sync_folder", refused)
    (tmp_path / "pending").mkdir()
    with pytest.raises(WriteFailed) as told:
        complete(tmp_path, 29)
    assert told.value.message.startswith("pending could not be written: the disk reports an error.")


def test_an_issue_of_which_only_a_change_stands_is_one(tmp_path: Path) -> None:
    write_issue(tmp_path, 7, record("b", issueNumber=7))
    _wait(tmp_path, {"issue-29/a.json": json.dumps(record("a")), "archive/issue-29/c.json": None})
    backend = FilesBackend(tmp_path)
    assert backend.issues() == {7, 29}
    assert [it.id for it in backend.read(29).observations()] == ["a"]
    known = backend.changes_since({})
    assert known.issues == {7, 29}
    with backend.changing(29):
        pass
    assert not (tmp_path / NAME).exists()
    assert backend.changes_since(known.stamps).issues == {29}
    assert [it.id for it in backend.read(29).observations()] == ["a"]


def test_what_waits_is_read_as_the_files_it_names_and_nothing_else(tmp_path: Path) -> None:
    """The file of an issue begins as the folder of its memories does."""
    whole = write_issue(tmp_path, 29, record("a"), record("b")).read_text()
    (tmp_path / "issue-29.json").unlink()
    (tmp_path / "issue-29").mkdir()
    (tmp_path / "issue-29" / "a.json").write_text(json.dumps(record("a", content="Old")))
    _wait(tmp_path, {"issue-29.json": whole, "issue-29/a.json": None})
    read = FilesBackend(tmp_path).read(29)
    assert [it.record.value for it in read.held()] == [record("a"), record("b")]
    assert (read.problems, read.unreadable) == ([], set())
