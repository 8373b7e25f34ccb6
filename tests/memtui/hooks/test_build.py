"""A hook never waits for an index: it answers from what there is, and another process builds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from memtui.hooks import background
from memtui.hooks import run as running
from memtui.hooks.background import index, start_indexing
from memtui.hooks.call import HookInput
from memtui.hooks.run import run_hook
from store import open_memory
from store.model import Observation

MEMORY = Path(".agentx") / "memory"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose memory holds a fact in each of three issues, the newest in the last."""
    root = tmp_path / "project"
    with open_memory(root / MEMORY, cache=tmp_path / "elsewhere") as memory:
        for issue in (1, 2, 3):
            fact = Observation(
                agent="engineer",
                issue_number=issue,
                category="decision",
                content=f"Never drop lock {issue}",
            )
            memory.store([fact])
            os.utime(memory.path / f"issue-{issue}.json", ns=(issue * 10**18, issue * 10**18))
    return root


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The memories for which a build would have been started."""
    asked: list[Path] = []
    monkeypatch.setattr("memtui.hooks.run.start_indexing", asked.append)
    return asked


def _told(root: Path) -> str:
    given = HookInput(session_id="s", folder=str(root), source="startup")
    return run_hook("session-start", given, "claude-code", {}, root.parent / "home")


def test_a_small_change_is_indexed_by_the_hook_itself(project: Path, started: list[Path]) -> None:
    assert "lock 1" in _told(project)
    assert started == []


def test_without_an_index_the_newest_files_answer_and_a_build_starts(
    project: Path, started: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (project / MEMORY / "issue-3.json").stat().st_size
    monkeypatch.setattr(running, "_AT_ONCE", size + 10)
    text = _told(project)
    assert "lock 3" in text
    assert "lock 1" not in text
    assert started == [project / MEMORY]


def test_an_index_answers_as_it_was_left_where_too_much_changed(
    project: Path, started: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(project / MEMORY) as memory:
        memory.index.refresh()
    path = project / MEMORY / "issue-1.json"
    path.write_bytes(path.read_bytes().replace(b"lock 1", b"gate 1"))
    monkeypatch.setattr(running, "_AT_ONCE", 10)
    text = _told(project)
    assert "lock 1" in text
    assert "gate 1" not in text
    assert started == [project / MEMORY]


def test_a_build_brings_index_and_manifest_in_step(project: Path) -> None:
    memory = project / MEMORY
    (memory / "manifest.json").unlink()
    index(memory)
    assert (memory / "manifest.json").exists()
    with open_memory(memory) as opened:
        assert opened.index.refresh_quickly(0)


def test_what_is_written_after_a_quick_look_is_found(project: Path) -> None:
    memory = project / MEMORY
    index(memory)
    with open_memory(memory) as opened:
        assert opened.index.refresh_quickly(0)
        opened.store([Observation("engineer", 4, "decision", "The journal is kept thirty days.")])
        assert opened.search("journal").total == 1


def test_one_build_at_a_time_ends_by_itself(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    spawn = os.posix_spawn

    def watched(*given: Any, **named: Any) -> int:  # noqa: ANN401
        children.append(spawn(*given, **named))
        return children[-1]

    monkeypatch.setattr(os, "posix_spawn", watched)
    assert start_indexing(project / MEMORY)
    assert not start_indexing(project / MEMORY)
    (child,) = children
    _, status = os.waitpid(child, 0)
    assert status == 0
    with open_memory(project / MEMORY) as opened:
        assert opened.index.refresh_quickly(0)
    monkeypatch.setattr(background, "_PAUSE", 0.0)
    assert start_indexing(project / MEMORY)
    os.waitpid(children[1], 0)
