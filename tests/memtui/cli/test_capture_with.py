"""`capture --with`: a program that asks a language model picks the memories."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from store import open_memory
from store.model import Observation
from tests.memtui.cli.conftest import Run
from tests.store.capture.transcripts import ClaudeCode
from tests.store.language_model.programs import answering, failing

SAID = {"category": "decision", "text": "The lock is kept short; writers retry.", "from": [2]}
MADE_UP = {"category": "error", "text": "`flock()` in store/other.py fails on NFS.", "from": [1]}


@pytest.fixture
def transcript(project: Path) -> Path:
    made = ClaudeCode("s-9", cwd=str(project)).user("Always keep the lock short.")
    made.agent("Then writers retry.").edit("store/lock.py")
    path = project / "session.jsonl"
    path.write_text("\n".join(made.lines))
    return path


def kept(told: str) -> list[tuple[str, str, list[str]]]:
    """The category, text and sources of what a capture kept, by its JSON."""
    return [(it["category"], it["content"], it["sources"]) for it in json.loads(told)["kept"]]


def test_what_the_program_picks_is_kept_in_place_of_what_rules_find(
    memtui: Run, project: Path, transcript: Path
) -> None:
    done = memtui("capture", str(transcript), "--with", answering(SAID, MADE_UP), "--json")
    assert done.code == 0
    assert kept(done.out) == [("decision", SAID["text"], ["session:s-9#2"])]
    (skipped,) = json.loads(done.out)["skipped"]
    assert skipped["reason"].startswith("names ")
    with open_memory(project) as memory:
        assert SAID["text"] in [it.content for it in memory.by_issue(29)]
        (digest,) = memory.sessions.digests()
        assert digest.path == str(transcript)
        assert len(digest.memories) == 1
    again = memtui("capture", str(transcript), "--with", answering(SAID))
    assert "Nothing new found" in again.err


def test_the_settings_may_name_it_and_rules_asks_none(
    memtui: Run, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", answering(SAID))
    asked = memtui("capture", str(transcript), "--dry-run", "--json")
    assert kept(asked.out) == [("decision", SAID["text"], ["session:s-9#2"])]
    by_rules = memtui("capture", str(transcript), "--dry-run", "--json", "--with", "rules")
    assert kept(by_rules.out) == [
        ("lesson", "Always keep the lock short.", ["session:s-9#1"]),
        (
            "code-change",
            "Always keep the lock short.\nDone: Then writers retry.\nFiles: store/lock.py.",
            ["session:s-9#3", "tool:toolu_s-9_1"],
        ),
    ]


def test_where_the_one_of_the_settings_fails_rules_pick(
    memtui: Run, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", failing("Log in first."))
    done = memtui("capture", str(transcript))
    assert done.code == 0
    assert "Log in first. Rules picked the memories." in done.err
    assert "2 stored under #29" in done.err


def test_what_memory_holds_is_told_and_known_again(project: Path, transcript: Path) -> None:
    told = project / "told.txt"
    told_to = shlex.join(["sh", "-c", f"cat > {shlex.quote(str(told))}; echo []"])
    with open_memory(project) as memory:
        held = Observation("engineer", 29, "decision", "Locks are taken for 5 s at most.")
        memory.store([held])
        with transcript.open("rb") as lines:
            plan = memory.capture.plan(lines, environ={})
        assert memory.capture.ask_model(plan, told_to).kept == ()
        assert "- decision: Locks are taken for 5 s at most." in told.read_text().splitlines()
        again = memory.capture.ask_model(plan, answering({**SAID, "text": held.content}))
        assert (again.kept, len(again.seen_again)) == ((), 1)
