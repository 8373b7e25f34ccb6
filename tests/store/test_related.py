"""What is related to a memory, the closest first."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.model import Observation
from store.related import Relation
from tests.store.factories import NOW


def note(
    name: str, content: str, *, days: int, category: str = "decision", session: str = ""
) -> Observation:
    return Observation(
        agent="engineer",
        issue_number=29,
        category=category,
        content=content,
        id=f"obs-{name}",
        session_id=session,
        timestamp=NOW - timedelta(days=days),
    )


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    opened = open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW)
    opened.store(
        [
            note("old", "Exports run on Monday nights at 02:00 for billing.", days=40),
            note("new", "Exports now run on Tuesday nights at 02:00 for billing.", days=2),
            note("file", "src/locks.py: waits with jitter.", days=3, category="code-change"),
            note("also", "src/locks.py: names its holder.", days=4, category="code-change"),
            note("talk", "Asked about lunch.", days=5, category="task", session="s-1"),
            note("talk-2", "Asked about tea.", days=6, category="task", session="s-1"),
            note("alone", "Nothing has to do with this.", days=7, category="task"),
        ]
    )
    return opened


def related(memory: Memory, name: str) -> list[tuple[Relation, str]]:
    found = memory.related(memory.get(f"obs-{name}"))
    return [(each.relation, each.observation.id.removeprefix("obs-")) for each in found]


def test_what_took_its_place(memory: Memory) -> None:
    assert related(memory, "old") == [(Relation.SUPERSEDED_BY, "new")]
    assert related(memory, "new") == [(Relation.SUPERSEDES, "old")]


def test_the_same_file_and_the_same_session(memory: Memory) -> None:
    assert related(memory, "file") == [(Relation.SAME_FILE, "also")]
    assert related(memory, "talk") == [(Relation.SAME_SESSION, "talk-2")]
    assert related(memory, "alone") == []


def test_what_was_merged(memory: Memory) -> None:
    merged = note("merged", "src/locks.py: waits with jitter, names its holder.", days=1)
    memory.store([merged._replace(category="compaction-summary", sources=("obs-file", "tool:x"))])
    assert related(memory, "file")[0] == (Relation.MERGED_INTO, "merged")
    assert related(memory, "merged")[0] == (Relation.MERGED_FROM, "file")
