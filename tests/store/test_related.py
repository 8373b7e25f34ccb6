"""What is asked of a memory: events, statistics, what is related, and the examples of docs."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import Memory, open_memory
from store.events import EventBus, MemoryProblem
from store.model import Observation
from store.related import Relation
from store.search.figures import DAYS
from store.statistics import growth
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


# The event bus: told in order, and nobody is stopped by a listener that fails.


PROBLEM = MemoryProblem(kind="lock-timeout", message="held", timestamp=NOW)


def test_a_listener_that_fails_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    bus = EventBus()
    heard: list[str] = []

    def fail(event: MemoryProblem) -> None:
        raise RuntimeError("a listener's own mistake")

    bus.subscribe(MemoryProblem, fail)
    bus.subscribe(MemoryProblem, lambda event: heard.append(event.message))
    with caplog.at_level(logging.ERROR):
        bus.emit(PROBLEM)
    assert heard == ["held"]
    assert "a listener of memory-problem failed" in caplog.text


# How a memory grew, by days or weeks.


@given(st.lists(st.integers(0, 5), max_size=DAYS))
def test_growth_loses_nothing(days: list[int]) -> None:
    found = growth(days)
    assert sum(found.counts) == sum(days)
    assert not found.counts or found.step_days == 7 or found.counts[0] > 0


# The examples of the manual's page about the library, run as a reader would.


PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_first_example_runs_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    exec(found[1], {})
    printed = capsys.readouterr().out
    assert printed.startswith("Chose SQLite. 1\nChose SQLite.\n## Memory Recall\n")
    assert "Chose SQLite." in printed.partition("##")[2]


def test_each_call_that_the_page_names_is_there() -> None:
    with open_memory("memory://trial") as memory:
        for line in PAGE.read_text().splitlines():
            for call in re.findall(r"`memory\.([a-z_.]+)", line):
                assert attrgetter(call)(memory) is not None
            if line.startswith("| `memory.clarifications`"):
                for name in re.findall("`([a-z_]+)`", line):
                    assert getattr(memory.clarifications, name)
