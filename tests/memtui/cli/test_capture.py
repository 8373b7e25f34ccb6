"""Capture from sessions, by rules or with a model."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from store import open_memory
from store.backends.location import FOLDER
from tests.in_process import run_here
from tests.memtui.cli.conftest import Run
from tests.memtui.cli.test_writing import standard_input
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import logged
from tests.store.language_model.programs import answering, failing


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


# `capture --with`: a program that asks a language model picks the memories.


SAID = {"category": "decision", "text": "The lock is kept short; writers retry.", "from": [2]}
MADE_UP = {"category": "error", "text": "`flock()` in store/other.py fails on NFS.", "from": [1]}


@pytest.fixture
def worked(project: Path) -> Path:
    made = ClaudeCode("s-9", cwd=str(project)).user("Always keep the lock short.")
    made.agent("Then writers retry.").edit("store/lock.py")
    path = project / "session.jsonl"
    path.write_text("\n".join(made.lines))
    return path


def kept(told: str) -> list[tuple[str, str, list[str]]]:
    """The category, text and sources of what a capture kept, by its JSON."""
    return [(it["category"], it["content"], it["sources"]) for it in json.loads(told)["kept"]]


def test_what_the_program_picks_is_kept_in_place_of_what_rules_find(
    memtui: Run, project: Path, worked: Path
) -> None:
    done = memtui("capture", str(worked), "--with", answering(SAID, MADE_UP), "--json")
    assert done.code == 0
    assert kept(done.out) == [("decision", SAID["text"], ["session:s-9#2"])]
    (skipped,) = json.loads(done.out)["skipped"]
    assert skipped["reason"].startswith("names ")
    with open_memory(project) as memory:
        assert SAID["text"] in [it.content for it in memory.by_issue(29)]
        (digest,) = memory.sessions.digests()
        assert digest.path == str(worked)
        assert len(digest.memories) == 1
    again = memtui("capture", str(worked), "--with", answering(SAID))
    assert "Nothing new found" in again.err


def test_the_settings_may_name_it_and_rules_asks_none(
    memtui: Run, worked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", answering(SAID))
    asked = memtui("capture", str(worked), "--dry-run", "--json")
    assert kept(asked.out) == [("decision", SAID["text"], ["session:s-9#2"])]
    by_rules = memtui("capture", str(worked), "--dry-run", "--json", "--with", "rules")
    assert kept(by_rules.out) == [
        ("lesson", "Always keep the lock short.", ["session:s-9#1"]),
        (
            "code-change",
            "Always keep the lock short.\nFiles: store/lock.py.",
            ["session:s-9#3", "tool:toolu_s-9_1"],
        ),
    ]


def test_where_the_one_of_the_settings_fails_rules_pick(
    memtui: Run, worked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", failing("Log in first."))
    done = memtui("capture", str(worked))
    assert done.code == 0
    assert "Log in first. Rules picked the memories." in done.err
    assert "2 stored under #29" in done.err


@pytest.fixture
def sessions(project: Path, claude_folder: Path) -> list[Path]:
    """Three transcripts of the project, where their client keeps them, the oldest first."""
    paths = []
    for at, name in enumerate("abc"):
        made = ClaudeCode(name, cwd=str(project)).user(f"Always keep the lock short, {name}.")
        paths.append(claude_folder / f"{name}.jsonl")
        paths[-1].write_text("\n".join(made.agent("Then writers retry.").lines))
        os.utime(paths[-1], (1_770_000_000 + at, 1_770_000_000 + at))
    return paths


def asked_about(project: Path) -> list[str]:
    asked = project / "asked"
    return asked.read_text().split() if asked.exists() else []


def noting(project: Path, then: str = "echo []") -> str:
    """A command that notes which session it was asked about."""
    note = f"grep -o 'short, [abc]' | cut -c8- | tee -a {shlex.quote(str(project / 'asked'))}"
    return shlex.join(["sh", "-c", f"name=$({note}); {then}"])


def test_before_all_sessions_are_sent_it_is_said_what_that_takes(
    memtui: Run, project: Path, sessions: list[Path]
) -> None:
    for options, code in (((), 1), (("--dry-run",), 0)):
        done = memtui("capture", "--all", "--with", noting(project), *options)
        assert done.code == code
        told = done.err.splitlines()
        assert re.fullmatch(
            r"Of 3 sessions, with sh: 3 sessions to read: 3 prompts, about [\d,]+ tokens\.", told[0]
        )
        assert told[1].startswith("Sends the text of a session to the model that this command asks")
    assert asked_about(project) == []


def test_of_all_sessions_each_is_asked_about_once(
    memtui: Run, project: Path, sessions: list[Path]
) -> None:
    everything = ("capture", "--all", "--yes", "--with")
    newest = memtui(*everything, noting(project), "--at-most", "1")
    assert (newest.code, asked_about(project)) == (0, ["c"])
    done = memtui(*everything, noting(project, f"echo {shlex.quote(json.dumps([SAID]))}"), "--json")
    assert [it["sessionId"] for it in json.loads(done.out)["sessions"]] == ["b", "a"]
    assert [(kind, text) for kind, text, _ in kept(done.out)] == [("decision", SAID["text"])]
    assert sorted(asked_about(project)) == ["a", "b", "c"]
    again = memtui(*everything, noting(project))
    assert again.err == "A language model has read all 3 sessions of this project.\n"
    assert len(asked_about(project)) == 3


def test_what_fails_is_named_and_asked_about_by_the_next_run(
    memtui: Run, project: Path, sessions: list[Path]
) -> None:
    everything = ("capture", "--all", "--yes", "--with")
    broken = noting(project, "test $name = b && echo Log in first. >&2 && exit 1; echo []")
    failed = memtui(*everything, broken)
    assert failed.code == 1
    assert f"{sessions[1]}: sh failed (exit code 1): Log in first." in failed.err
    assert sorted(asked_about(project)) == ["a", "b", "b", "c"]
    assert memtui(*everything, noting(project)).code == 0
    assert asked_about(project)[4:] == ["b"]


def test_a_run_that_is_stopped_keeps_what_was_read_and_goes_on_later(
    memtui: Run, project: Path, sessions: list[Path]
) -> None:
    """The program interrupts memtui, as Ctrl-C does, once the first session is read."""
    stop = f"test $name = c && kill -INT {os.getpid()}; test $name = a || sleep 60; echo []"
    everything = ("capture", "--all", "--yes", "--with")
    stopped = memtui(*everything, noting(project, stop))
    assert stopped.code == 0
    assert "Stopped: 1 of 3 sessions read. Run it again to go on." in stopped.err
    assert memtui(*everything, noting(project)).code == 0
    assert sorted(asked_about(project)[3:]) == ["b", "c"]
