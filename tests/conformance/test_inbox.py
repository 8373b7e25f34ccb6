"""What agents want of memory waits on every backend, and in none of a team's files."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.inbox.entry import EntryKind
from store.model import EntrySource
from tests.store.factories import observation

RULE = "Never write to the ledger without a lock."
OTHER = "The gauge of the boiler is read in bar."
MCP = EntrySource.MCP


@pytest.fixture
def memory(location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A memory of one, in which what agents write waits."""
    monkeypatch.setenv("MEMTUI_REVIEW", "before")
    with open_memory(location, cache=tmp_path / "cache") as opened:
        opened.store([observation(OTHER)])
        yield opened


def contents(memory: Memory) -> list[str]:
    return [held.content for held in memory.by_issue(29)]


def test_each_change_waits_and_comes_back(memory: Memory) -> None:
    (kept,) = memory.by_issue(29)
    memory.add([observation(RULE)], agent="engineer", source=MCP)
    memory.edit(kept.id, {"content": f"{OTHER} Not in psi."}, source=MCP)
    assert contents(memory) == [OTHER]
    assert memory.search("ledger").total == 0
    by_kind = {entry.kind: entry for entry in memory.inbox.waiting().entries}
    assert set(by_kind) == {EntryKind.NEW, EntryKind.CHANGED}
    memory.inbox.approve([entry.id for entry in by_kind.values()])
    assert set(contents(memory)) == {RULE, f"{OTHER} Not in psi."}
    assert memory.search("ledger").total == 1
    memory.undo()
    assert contents(memory) == [OTHER]
    assert {entry.kind for entry in memory.inbox.waiting().entries} == set(by_kind)
    memory.inbox.take_back([by_kind[EntryKind.NEW].id])
    assert memory.add([observation(RULE)], agent="engineer", source=MCP).refused == (0,)


def test_git_sees_nothing_of_what_waits(memory: Memory, tmp_path: Path) -> None:
    memory.add([observation(RULE)], source=MCP)
    names = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    holding = [name for name in names if RULE.encode() in (tmp_path / name).read_bytes()]
    assert all(name.parent.name == "inbox" for name in holding)
    for git in tmp_path.glob("*/.git"):
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        seen = subprocess.run(listed, cwd=git.parent, capture_output=True, text=True, check=True)
        assert "inbox/" not in seen.stdout
