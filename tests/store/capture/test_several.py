"""Capture from all sessions at once: each as if those before it had been captured."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.client import SessionFile
from store.agents.files import files_at
from store.model import Category
from store.sessions.place import ISSUE_VARIABLES
from tests.store.capture.transcripts import ClaudeCode

SETTLED = "From now on requests are retried at most 3 times, because the gateway gives up then."
AMENDED = (
    "From now on requests are retried at most 5 times instead of 3: the gateway gives up later now."
)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return open_memory(tmp_path / "memory", cache=tmp_path / "cache")


def written(folder: Path, *made: ClaudeCode) -> list[SessionFile]:
    """The transcripts as files, the first the oldest; listed newest first, as a client's are."""
    files: list[SessionFile] = []
    for at, each in enumerate(made):
        path = folder / f"{each.session}.jsonl"
        path.write_text("\n".join(each.lines))
        os.utime(path, (1_770_000_000 + at, 1_770_000_000 + at))
        files = [*files_at([path], "claude-code"), *files]
    return files


def asked(session: str, *said: str) -> ClaudeCode:
    made = ClaudeCode(session=session)
    for text in said:
        made.user(text).agent("Done.")
    return made


def texts(plan_kept: Sequence[object]) -> list[str]:
    return [each.observation.content for each in plan_kept]  # type: ignore[attr-defined]


def test_what_two_sessions_say_is_captured_once(memory: Memory, tmp_path: Path) -> None:
    plan = memory.capture.plan_files(
        written(tmp_path, asked("one", SETTLED), asked("two", SETTLED))
    )
    assert len([text for text in texts(plan.kept) if "3 times" in text]) == 1
    assert [it.session_id for it in plan.sessions] == ["two", "one"]


def test_old_sessions_are_not_of_the_issue_that_is_worked_on_today(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path, asked("one", SETTLED))
    before = memory.capture.plan_files(files)
    for name in ISSUE_VARIABLES:
        monkeypatch.setenv(name, "77")
    after = memory.capture.plan_files(files)
    assert [it.observation.issue_number for it in after.kept] == [
        it.observation.issue_number for it in before.kept
    ]
    assert 77 not in {it.observation.issue_number for it in after.kept}


def test_all_is_one_operation_and_a_second_time_finds_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    first = asked("one", SETTLED).user("Make the lock wait 5 ms, it starves.").edit("store/lock.py")
    first.agent("The lock waits 5 ms now, so that writers no longer starve.")
    files = written(tmp_path, first, asked("two", "We never push to main without a review."))
    report = memory.capture.apply(memory.capture.plan_files(files))
    assert len(report.stored) == len(memory.by_issue(29)) > 1
    linked = {it.id: set(it.memories) for it in memory.sessions.digests()}
    assert set().union(*linked.values()) == set(report.ids)
    assert linked["two"]
    assert memory.capture.plan_files(files).is_empty
    memory.undo(report.operation_id)
    assert memory.by_issue(29) == []
    assert not any(it.memories for it in memory.sessions.digests())
    memory.redo()
    assert {it.id: set(it.memories) for it in memory.sessions.digests()} == linked


def test_the_commands_of_all_sessions_stand_in_one_memory(memory: Memory, tmp_path: Path) -> None:
    one = ClaudeCode(session="one").user("Test it.").bash("make test", "12 passed")
    two = ClaudeCode(session="two").user("Lint it.").bash("ruff check .", "All checks passed!")
    three = ClaudeCode(session="three").user("Format it.").bash("make fmt", "ok")
    plan = memory.capture.plan_files(written(tmp_path, one, two, three))
    [procedure] = [it for it in plan.kept if it.observation.category == Category.PROCEDURE]
    assert "make test" in procedure.observation.content
    assert "ruff check ." in procedure.observation.content
    assert "make fmt" in procedure.observation.content


def test_a_file_that_can_t_be_read_is_named(memory: Memory, tmp_path: Path) -> None:
    files = written(tmp_path, asked("one", SETTLED), asked("two", AMENDED))
    files[0].path.write_text("no transcript at all\n")
    files[1].path.unlink()
    plan = memory.capture.plan_files(files)
    assert [sentence.partition(":")[0] for sentence in plan.left] == [
        f"{files[1].path} can't be read",
        str(files[0].path),
    ]
    assert plan.is_empty


def test_it_ends_where_it_is_told_to(memory: Memory, tmp_path: Path) -> None:
    files = written(tmp_path, asked("one", SETTLED), asked("two", AMENDED))
    told = []

    def goes_on(done: int, total: int) -> bool:
        told.append((done, total))
        return done < 1

    assert len(memory.capture.plan_files(files, goes_on).sessions) == 1
    assert told == [(0, 2), (1, 2)]
