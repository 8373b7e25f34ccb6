"""What is exported, imported, moved into other places."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store import Observation, open_memory
from store.backends.files.backend import FilesBackend
from store.backends.issue_records import Lookup
from store.backends.location import FOLDER
from store.errors import WriteFailed
from tests.memtui.cli.conftest import Run
from tests.postgres import project_of
from tests.store.capture.transcripts import ClaudeCode


def held(folder: Path) -> dict[str, Observation]:
    with open_memory(folder) as memory:
        found = [memory.get(identifier) for identifier in memory.search_ids("")]
    return {each.id: each for each in found}


@pytest.mark.parametrize("name", ["json-lines", "markdown", "agentx"])
def test_what_is_exported_can_be_imported(
    memtui: Run, project: Path, tmp_path: Path, name: str
) -> None:
    output = tmp_path / {"json-lines": "a.jsonl", "markdown": "a.md", "agentx": "a"}[name]
    done = memtui("export", "--format", name, "--output", str(output))
    assert (done.code, done.out) == (0, "")
    new = tmp_path / "new" / FOLDER
    dry = memtui("import", str(output), "--dry-run", "--dir", str(new))
    assert "Import 6 memories" in dry.out
    assert "category: decision 4" in dry.out
    assert not new.exists()
    assert memtui("import", str(output), "--dir", str(new), "--yes").code == 0
    assert held(new) == held(project)
    again = memtui("import", str(output), "--dir", str(new), "--yes")
    assert "Nothing to do" in again.err
    assert "6 of 6 are already stored" in again.err


@pytest.mark.usefixtures("project")
def test_an_export_is_chosen_by_a_query(memtui: Run, tmp_path: Path) -> None:
    lines = memtui("export", "category:error").out.splitlines()
    assert [json.loads(line)["id"][-6:] for line in lines] == ["aaaa04"]
    nothing = memtui("export", "nothing-has-this-word")
    assert (nothing.code, nothing.out) == (0, "")
    assert "No memory matches 'nothing-has-this-word'." in nothing.err
    assert "give --output" in nothing.err
    (tmp_path / "a.jsonl").write_text("mine")
    refused = memtui("export", "-o", str(tmp_path / "a.jsonl"))
    assert (refused.code, "already exists" in refused.err) == (2, True)
    assert (tmp_path / "a.jsonl").read_text() == "mine"
    assert "--output" in memtui("export", "--format", "agentx").err


def _worked(session: str, folder: Path) -> ClaudeCode:
    """A session that leaves one memory."""
    made = ClaudeCode(session=session, cwd=str(folder))
    return made.user("From now on write the tests first.").agent("I will.")


@pytest.fixture
def history(project: Path, tmp_path: Path) -> Path:
    """Three sessions: one here, one in another project, one that is no transcript."""
    folder, other = tmp_path / "history", tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    folder.mkdir()
    written = {
        "here": _worked("here", project).lines,
        "there": _worked("there", other).lines,
        "notes": ["what is this?"],
    }
    for number, (name, lines) in enumerate(written.items()):
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(lines))
        time = datetime(2026, 3, 1, number, tzinfo=UTC).timestamp()
        os.utime(path, (time, time))
    return folder


def test_a_history_is_captured_session_by_session(
    memtui: Run, project: Path, history: Path
) -> None:
    dry = memtui("import", "--transcripts", str(history), "--yes", "--dry-run")
    assert "1 would be stored" in dry.err
    with open_memory(project) as memory:
        assert memory.search("tests").total == 0
    done = memtui("import", "--transcripts", str(history), "--yes")
    first, second, third = done.out.splitlines()
    assert first == "+ here  #29  1 kept, 0 skipped"
    assert "another project" in second
    assert "Not a transcript" in third
    assert "1 stored from 1 session, 2 skipped" in done.err
    with open_memory(project) as memory:
        assert memory.search("tests").total == 1


# `migrate --to`: memory goes whole to another place, and back.


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
