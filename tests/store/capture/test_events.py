"""A compacted context is captured as every session is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.errors import LockTimeout
from store.events import ContextCompacted, MemoryProblem
from store.settings.schema import Settings
from tests.store.factories import NOW

SUMMARY = "## Decisions\n- chose a file for each issue over one database"


def opened(path: Path, settings: Settings | None = None) -> Memory:
    return open_memory(path / "memory", cache=path / "cache", settings=settings, clock=lambda: NOW)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path) as memory:
        memory.capture.listen()
        yield memory


def compacted(summary: str = SUMMARY, agent: str = "engineer", issue: int = 29) -> ContextCompacted:
    return ContextCompacted(
        agent=agent,
        original_tokens=100,
        compacted_tokens=10,
        summary=summary,
        timestamp=NOW,
        issue_number=issue,
        session_id="s-1",
    )


def test_a_summary_is_captured_once_and_undone_as_any_capture(memory: Memory) -> None:
    memory.events.emit(compacted())
    memory.events.emit(compacted())
    (kept,) = memory.by_issue(29)
    assert (kept.agent, kept.category, kept.session_id) == ("engineer", "decision", "s-1")
    assert kept.content == "chose a file for each issue over one database"
    assert [it.kind for it in memory.activity().entries].count("captured") == 2
    memory.undo()
    assert memory.by_issue(29) == []


def test_a_summary_is_of_the_branch_that_its_folder_is_on(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / ".git" / "HEAD").write_text("ref: refs/heads/rounding\n")
    memory.events.emit(replace(compacted(), folder=str(tmp_path / "shop")))
    assert [it.extra["branch"] for it in memory.by_issue(29)] == ["rounding"]


@pytest.mark.parametrize(
    ("settings", "kept"),
    [(Settings(enabled=False), 0), (Settings(max_memories_per_capture=1), 1)],
)
def test_the_settings_hold(tmp_path: Path, settings: Settings, kept: int) -> None:
    with opened(tmp_path, settings) as memory:
        memory.capture.listen()
        memory.events.emit(compacted(SUMMARY + "\n- decided that locks are advisory for readers"))
        assert len(memory.by_issue(29)) == kept


def test_nothing_is_captured_after_it_ends(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        stop = memory.capture.listen()
        stop()
        memory.events.emit(compacted())
        memory.capture.listen()
    memory.events.emit(compacted())
    assert memory.by_issue(29) == []


@pytest.mark.parametrize("issue", [29, -1])
def test_a_capture_that_fails_is_told_and_logged(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, issue: int
) -> None:
    def locked(*_: object) -> None:
        raise LockTimeout("issue-29.json is locked.")

    memory.events.emit(compacted(issue=1))
    told: list[str] = []
    memory.events.subscribe(MemoryProblem, lambda event: told.append(event.kind))
    monkeypatch.setattr(memory.backend, "read", locked)
    memory.events.emit(compacted(issue=issue))
    assert told == ["capture-failed"]
    assert memory.activity().entries[0].problem == "capture-failed"
