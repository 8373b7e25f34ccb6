"""`import` and `export`: what goes out comes in again, whole and once."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store import Observation, open_memory
from store.backends.location import FOLDER
from tests.memtui.cli.conftest import Run
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


def test_an_import_says_where_it_is_filed_and_what_it_left_out(
    memtui: Run, project: Path, tmp_path: Path
) -> None:
    good = {"agent": "a", "category": "lesson", "content": "Keep the key."}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(good)}\nnot JSON\n")
    done = memtui("import", str(tmp_path / "a.jsonl"), "--agent", "tester", "--issue", "5", "--yes")
    assert done.code == 0
    assert "line 2" in done.err
    with open_memory(project) as memory:
        (kept,) = memory.by_issue(5)
    assert (kept.agent, kept.content) == ("tester", "Keep the key.")


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
