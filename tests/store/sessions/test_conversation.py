"""A session opened: what was said, done, told and captured, in order, without secrets."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, Observation, open_memory
from store.agents.files import files_at
from store.sessions.conversation import Entry, EntryKind, Outcome, session_named
from tests.store.capture.transcripts import NOW, ClaudeCode

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return open_memory(
        tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW + timedelta(seconds=2.5)
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = ClaudeCode(session="s-lock").user("Why does the lock hang?")
    made.call("Bash", {"command": "pytest -q"}, "1 passed\nAssertionError: it hangs", failed=True)
    made.edit("store/lock.py").agent(f"It waited for the manifest. The key was {SECRET}.")
    return made.write(tmp_path / "s-lock.jsonl")


def take_in(memory: Memory, path: Path) -> None:
    memory.session_indexing.index(list(files_at([path], "claude-code")))


def _captured(source: str, minute: int) -> Observation:
    return Observation(
        "claude-code",
        29,
        "error",
        f"What {source} taught.",
        session_id="s-lock",
        sources=(source,),
        timestamp=NOW - timedelta(hours=1) + timedelta(minutes=minute),
    )


def kinds(entries: tuple[Entry, ...]) -> list[str]:
    return [str(entry.kind) for entry in entries]


def test_it_tells_what_was_said_and_done_with_each_outcome(memory: Memory, path: Path) -> None:
    found = memory.sessions.open("s-lock", list(files_at([path], "claude-code")))
    assert kinds(found.entries) == ["request", "tool", "tool", "answer"]
    request, ran, edited, answer = found.entries
    assert (request.text, request.line) == ("Why does the lock hang?", 1)
    assert (ran.name, ran.text, ran.outcome) == ("Bash", "pytest -q", Outcome.FAILED)
    assert ran.result == "AssertionError: it hangs"
    assert (edited.text, edited.files, edited.outcome) == (
        "store/lock.py",
        ("store/lock.py",),
        Outcome.DONE,
    )
    assert SECRET not in answer.text
    assert (found.whole, found.folder) == (True, "/home/someone/shop")
    assert memory.sessions.digests() == []  # looking keeps nothing


def test_memories_stand_after_what_they_were_taken_from(memory: Memory, path: Path) -> None:
    take_in(memory, path)
    sources = ("tool:toolu_s-lock_1", "session:s-lock#6", "session:x#1")
    ids = memory.store([_captured(source, minute) for minute, source in enumerate(sources)])
    found = memory.sessions.open("s-lock")
    assert kinds(found.entries) == [
        *("request", "tool", "captured", "tool", "answer", "captured", "captured")
    ]
    assert [it.id for it in found.entries if it.kind is EntryKind.CAPTURED] == ids
    assert session_named(memory.get(ids[1])) == "s-lock"


def test_what_memory_told_stands_where_it_was_told(memory: Memory, path: Path) -> None:
    take_in(memory, path)
    memory.store([Observation("claude-code", 29, "decision", "Locks time out after 5 s.")])
    recall = memory.recall.plan(task="when locks time out", budget=500)
    memory.recall.inject(recall, "claude-code", 29, session_id="s-lock")
    found = memory.sessions.open("s-lock")
    told = next(it for it in found.entries if it.kind is EntryKind.TOLD)
    assert "Locks time out after 5 s." in told.text
    assert (told.injected, told.tokens) == (recall.counts, recall.tokens)
    assert recall.counts.memories == 1
    assert kinds(found.entries) == ["request", "tool", "told", "tool", "answer"]


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ("file:store/lock.py", 2),
        ("file:lock.py hangs", 1),
        ("file:lock.py,none.py", 2),
        ("file:lock.py branch:feature/29-locks", 2),
        ("file:other.py", 0),
        ("-file:lock.py", 0),
        ("branch:feature/29-locks", 2),
        ("branch:main", 0),
    ],
)
def test_found_by_file_and_branch(memory: Memory, path: Path, query: str, total: int) -> None:
    take_in(memory, path)
    assert memory.search(f"in:sessions {query}").total == total


def test_a_digest_of_a_clone_names_no_file_of_the_users(memory: Memory, tmp_path: Path) -> None:
    diary = ClaudeCode(session="s-evil").user("Dear diary, nobody knows.")
    private = diary.write(tmp_path / "private.jsonl")
    sessions = memory.path / "sessions"
    sessions.mkdir(parents=True)
    digest = {"id": "s-evil", "agent": "claude-code", "path": str(private), "asked": ["Look"]}
    (sessions / "s-evil.json").write_text(json.dumps(digest))
    found = memory.sessions.open("s-evil")
    assert not found.whole
    assert "diary" not in str(found.entries)
