"""What the journal says stands and no file has is offered, never taken by itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

from store import Memory
from store.doctor.findings import FindingKind
from tests.store.factories import make_memory, observation


def test_what_git_took_from_the_files_is_brought_back(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    with make_memory(tmp_path) as memory:
        memory.store([observation("One"), observation("Two")])
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", ".agentx/memory/issue-29.json"], check=True)
        subprocess.run([*git, "commit", "-qm", "Keep"], check=True)
        memory.store([observation("Three"), observation("Four")])
        memory.apply(memory.plan.edit("obs-3", {"content": "Three, edited"}))
        memory.apply(memory.plan.remove("obs-4"))
        memory.apply(memory.plan.archive("obs-2"))
        assert memory.plan.bring_back().is_empty
        subprocess.run([*git, "checkout", "-q", "."], check=True)
        memory.index.refresh()
        [missing] = [
            it for it in memory.doctor.examine().findings if it.kind is FindingKind.MISSING
        ]
        assert missing.notice.values == {"memories": 1}
        memory.apply(memory.plan.bring_back())
        assert {it.content for it in memory.by_issue(29)} == {"One", "Two", "Three, edited"}
        memory.undo()
        assert {it.id for it in memory.by_issue(29)} == {"obs-1", "obs-2"}


def _notes(memory: Memory) -> list[str]:
    """The notes of all problems from now on."""
    notes: list[str] = []
    memory.on_problem(lambda it: notes.append(f"{it.kind} {it.message}"))
    return notes


def test_whoever_looks_next_is_told_once(tmp_path: Path) -> None:
    """Also where a hook, whose notes nobody reads, looked before."""
    with make_memory(tmp_path) as memory:
        memory.store([observation("One")])
        file = memory.path / "issue-29.json"
        older = file.read_bytes()
        memory.store([observation("Two"), observation("Three")])
        memory.apply(memory.plan.remove("obs-3"))
    file.write_bytes(older)
    with make_memory(tmp_path) as hook:
        hook.index.refresh_quickly(1_000_000)
    with make_memory(tmp_path) as memory:
        notes = _notes(memory)
        memory.index.refresh()
        assert notes == ["missing 1"]
        memory.index.refresh()
    with make_memory(tmp_path) as memory:
        later = _notes(memory)
        memory.index.refresh()
        assert (notes, later) == (["missing 1"], [])
