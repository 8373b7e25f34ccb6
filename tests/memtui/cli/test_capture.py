"""`capture` and `hook` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store import open_memory
from store.backends.location import FOLDER
from tests.in_process import run_here
from tests.memtui.cli.conftest import Run
from tests.memtui.cli.test_writing import standard_input
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import logged


@pytest.fixture
def transcript(project: Path) -> Path:
    made = ClaudeCode(cwd=str(project)).user("Always keep the lock short.")
    made.user("Let the lock retry, because two writers lose each other's rows.")
    made.edit("store/lock.py")
    path = project / "session.jsonl"
    path.write_text("\n".join(made.lines))
    return path


def test_a_dry_run_says_what_would_be_kept_and_keeps_nothing(
    memtui: Run, project: Path, transcript: Path
) -> None:
    before = sorted(path.name for path in (project / FOLDER).iterdir())
    done = memtui("capture", str(transcript), "--dry-run")
    assert done.code == 0
    assert "Let the lock retry, because two writers" in done.out
    assert "2 would be stored under #29 for claude-code" in done.err
    assert sorted(path.name for path in (project / FOLDER).iterdir()) == before


def test_a_session_is_captured_once(memtui: Run, project: Path, transcript: Path) -> None:
    ids = memtui("capture", str(transcript), "--agent", "tester", "--issue", "3").out.split()
    with open_memory(project) as memory:
        assert {each.agent for each in memory.by_issue(3)} == {"tester"}
        assert {each.id for each in memory.by_issue(3)} == set(ids)
    again = memtui("capture", str(transcript), "--agent", "tester", "--issue", "3")
    assert again.out == ""
    assert "Nothing new found" in again.err
    lines = [each for each in logged(project / FOLDER) if each["type"] == "captured"]
    assert [each["count"] for each in lines] == [2, 0]


def test_where_nothing_is_found_no_log_is_missed(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standard_input(monkeypatch, b"")
    (empty := tmp_path / "empty").mkdir()
    monkeypatch.chdir(empty)
    assert memtui("capture", "-").err == "Nothing new found, 0 skipped.\n"
    assert not list(empty.iterdir())


@pytest.mark.usefixtures("project")
def test_a_summary_comes_through_a_pipe(memtui: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, b"### Decisions\n- Chose one file for each issue, not for all\n")
    done = memtui("capture", "-", "--format", "summary", "--agent", "engineer")
    assert (done.code, len(done.out.split())) == (0, 1)


def test_without_a_file_it_is_the_newest_session_here(
    memtui: Run,
    project: Path,
    transcript: Path,
    claude_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(project)
    missing = memtui("capture")
    assert (missing.code, "Give a FILE" in missing.err) == (2, True)
    transcript.rename(claude_folder / "s-1.jsonl")
    done = memtui("capture")
    assert len(done.out.split()) == 2
    assert "s-1.jsonl" in done.err


def test_all_sessions_are_captured_at_once(
    memtui: Run, project: Path, transcript: Path, claude_folder: Path
) -> None:
    missing = memtui("capture", "--all")
    assert (missing.code, "No agent session found" in missing.err) == (2, True)
    transcript.rename(claude_folder / "s-1.jsonl")
    other = ClaudeCode(session="s-2", cwd=str(project)).user("Never push to main unasked.")
    (claude_folder / "s-2.jsonl").write_text("\n".join(other.lines))
    shown = memtui("capture", "--all", "--dry-run")
    assert (shown.code, len(shown.out.splitlines())) == (0, 3)
    assert "3 would be stored from 2 sessions" in shown.err
    done = json.loads(memtui("capture", "--all", "--json").out)
    assert len(done["ids"]) == 3
    assert {each["sessionId"] for each in done["sessions"]} == {"s-1", "s-2"}
    assert "Nothing new found" in memtui("capture", "--all").err
    (claude_folder / "s-3.jsonl").write_text("{}\n")
    broken = memtui("capture", "--all")
    assert (broken.code, "s-3.jsonl" in broken.err) == (1, True)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("session-start", '{"session_id": "s"}', "## Memory Recall\n"),
        ("stop", "", ""),
        ("session-start", "not JSON", ""),
        ("invented", "{}", ""),
    ],
)
def test_a_hook_prints_what_the_agent_takes_and_always_ends_well(
    tmp_path: Path, project: Path, name: str, given: str, told: str
) -> None:
    code, said = run_here(["hook", name], project, {"HOME": str(tmp_path)}, given)
    assert (code, said.startswith(told), "Traceback" in said) == (0, True, False)


@pytest.mark.usefixtures("project")
def test_what_is_no_session_and_no_summary_is_refused(memtui: Run, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    readme = "# Shop\n\nIt sells tea.\n\n- fast\n- small\n\n## Install\n\npip install shop\n"
    details = "\n<details>\n<summary>All</summary>\n"
    for more in ("", "\n## Errors\n\n- E1: no tea\n", details, "Summary: x"):
        path.write_text(readme + more)
        refused = memtui("capture", str(path))
        assert (refused.code, refused.out) == (2, "")
        assert "no session" in refused.err and "--as-summary" in refused.err
        assert memtui("capture", str(path), "--as-summary", "--dry-run").code == 0
    path.write_text("# Work\n\n## Decisions\n\n- Sell tea only\n")
    assert "Sell tea only" in memtui("capture", str(path), "--dry-run").out
