"""`migrate --to`: memory goes whole to another place, and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.backends.issue_records import Lookup
from store.backends.location import FOLDER
from store.errors import WriteFailed
from tests.memtui.cli.conftest import Run
from tests.postgres import project_of

_AWAY = "postgresql://me:geheim@127.0.0.1:1/db?project=a"


def _issues(folder: Path) -> dict[str, bytes]:
    """The files of the record, but for when they were written."""
    return {
        path.name: re.sub(rb'"updatedAt": "[^"]*"', b"", path.read_bytes())
        for path in folder.rglob("issue-*.json")
    }


@pytest.mark.usefixtures("project")
def test_a_dry_run_shows_what_would_be_copied_and_writes_nothing(
    memtui: Run, tmp_path: Path
) -> None:
    done = memtui("migrate", "--to", str(tmp_path / "new"), "--dry-run")
    assert done.code == 0
    assert f"Copy 6 memories of 3 issues to {tmp_path / 'new'}" in done.out
    assert "not copied: messages and checkpoints of sessions" in done.out
    assert not (tmp_path / "new").exists()
    unasked = memtui("migrate", "--to", str(tmp_path / "new"))
    assert (unasked.code, unasked.out) == (1, done.out)
    assert "Run it again with --yes." in unasked.err
    assert not (tmp_path / "new").exists()


def test_memory_goes_to_a_database_and_comes_back(
    memtui: Run, project: Path, postgres: str, tmp_path: Path
) -> None:
    url, back = project_of(postgres), tmp_path / "back"
    there = memtui("migrate", "--to", url, "--yes")
    assert there.code == 0
    assert "Copied 6 memories to postgresql://" in there.out
    assert memtui("--dir", url, "migrate", "--to", str(back), "--yes").code == 0
    assert _issues(back) == _issues(project / FOLDER)
    listed = memtui("list", "--json").out
    assert listed == memtui("--dir", url, "list", "--json").out
    assert listed == memtui("--dir", str(back), "list", "--json").out


@pytest.mark.usefixtures("project")
def test_what_can_not_be_written_is_a_sentence(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    (tmp_path / "file").write_text("")
    for place, said in (
        (_AWAY, "does not answer: Connection refused"),
        ("nowhere://x", "Unknown location nowhere://x"),
        (str(tmp_path / "file"), "not a folder"),
    ):
        done = memtui("migrate", "--to", place, "--yes")
        assert (done.code, done.out) == (1, "")
        assert said in done.err
        assert "geheim" not in done.err
        assert "Traceback" not in done.err
    monkeypatch.setattr(FilesBackend, "is_writable", lambda self: False)
    done = memtui("migrate", "--to", str(tmp_path / "new"), "--yes")
    assert (done.code, done.out) == (1, "")
    assert f"The memory in {tmp_path / 'new'} can't be written" in done.err


@pytest.mark.usefixtures("project")
def test_a_copy_that_breaks_off_says_how_to_go_on(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, changing = str(tmp_path / "new"), FilesBackend.changing

    def full(self: FilesBackend, issue: int, lookup: Lookup | None = None) -> object:
        if issue == 29:
            raise WriteFailed("issue-29.json could not be written: No space left on device.")
        return changing(self, issue, lookup)

    with monkeypatch.context() as patch:
        patch.setattr(FilesBackend, "changing", full)
        done = memtui("migrate", "--to", place, "--yes")
    assert (done.code, done.out) == (1, "")
    assert "No space left" in done.err
    assert "Run it again to continue." in done.err
    assert "there already: 2" in memtui("migrate", "--to", place, "--dry-run").out
    assert "Copied 6 memories" in memtui("migrate", "--to", place, "--yes").out
