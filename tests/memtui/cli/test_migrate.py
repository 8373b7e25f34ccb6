"""`migrate --to`: memory goes whole to another place, and back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memtui.cli import plans
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


def test_a_folder_is_a_memory_a_project_or_becomes_one(memtui: Run, project: Path) -> None:
    root = project.parent
    (root / "other" / "src").mkdir(parents=True)
    (root / "empty").mkdir()
    for place, memory in (
        ("other", root / "other" / FOLDER),
        ("empty", root / "empty" / FOLDER),
        ("absent", root / "absent"),
    ):
        done = memtui("migrate", "--to", str(root / place), "--yes")
        assert (done.code, str(memory) in done.out) == (0, True)
        assert _issues(memory) == _issues(project / FOLDER)
    vault = memtui("migrate", "--to", str(root / ".memory"), "--yes")
    assert vault.code == 0
    assert (root / ".memory" / "engineer" / "decisions.md").exists()
    assert (
        memtui("list", "--json").out == memtui("--dir", str(root / ".memory"), "list", "--json").out
    )


@pytest.mark.usefixtures("project")
def test_data_for_programs(memtui: Run, tmp_path: Path) -> None:
    place = str(tmp_path / "new")
    plan = json.loads(memtui("migrate", "--to", place, "--dry-run", "--json").out)
    assert plan == {
        "from": str(tmp_path / "project" / FOLDER),
        "to": place,
        "issues": 3,
        "memories": 6,
        "archived": 0,
        "alreadyThere": 0,
        "texts": {"operations": 1},
        "logEntries": plan["logEntries"],
        "copied": 0,
    }
    assert plan["logEntries"] > 0
    done = json.loads(memtui("migrate", "--to", place, "--yes", "--json").out)
    assert done == {**plan, "copied": 6}
    again = memtui("migrate", "--to", place, "--json")
    assert again.code == 0
    assert "Nothing to copy" in again.err
    assert json.loads(again.out) == {**plan, "alreadyThere": 6, "texts": {}, "logEntries": 0}


def test_another_memory_is_refused_and_left_alone(
    memtui: Run, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    memtui("add", "Of another memory", "--dir", str(other), "--issue", "29")
    before = _issues(other)
    done = memtui("migrate", "--to", str(other), "--yes")
    assert (done.code, done.out) == (1, "")
    assert "holds another memory: 1 of issue #29 is not in the one to copy" in done.err
    assert _issues(other) == before
    assert _issues(project / FOLDER)


def test_the_memory_itself_is_no_target(memtui: Run, project: Path) -> None:
    done = memtui("migrate", "--to", str(project), "--yes")
    assert done.code == 2
    assert "is this memory itself" in done.err


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


@pytest.mark.usefixtures("project")
def test_on_a_terminal_it_asks(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.cli.copy.can_ask", lambda: True)
    for answer in (False, True):
        monkeypatch.setattr("click.confirm", lambda *_, answer=answer, **__: answer)
        done = memtui("migrate", "--to", str(tmp_path / "new"))
        assert done.code == 0
        assert "Copy 6 memories of 3 issues" in done.err
        assert (tmp_path / "new").exists() is answer
    assert plans.can_ask() is False
