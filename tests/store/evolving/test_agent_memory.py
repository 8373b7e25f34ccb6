"""One agent's memory, as a program has it: what is told counts, what is deleted comes back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store import AgentMemory, Memory
from store.backends.location import FOLDER
from store.errors import NotFound
from store.evolving.interaction import (
    Interaction,
)
from tests.store.factories import NOW, observation


def _asked(number: int, query: str, task: str = "") -> Interaction:
    return Interaction(f"i-{number}", query, NOW - timedelta(minutes=number), task)


def test_deleted_comes_back_forgotten_does_not(memory: Memory, tmp_path: Path) -> None:
    own = AgentMemory(memory, "a1")
    kept = own.add_interaction(_asked(1, "Why is the login test red?")).id
    own.delete_memory(kept)
    with pytest.raises(NotFound):
        own.get(kept)
    memory.undo()
    assert own.get(kept).id == kept
    own.delete_memory(kept, forget=True)
    files = [it for it in (tmp_path / FOLDER).rglob("*") if it.is_file()]
    assert not [it.name for it in files if b"login" in it.read_bytes()]
    with pytest.raises(NotFound):
        own.get(kept)


def test_what_is_muted_or_archived_is_told_of_neither_way(memory: Memory) -> None:
    own = AgentMemory(memory, "a1")
    of_mine = {"agent": "a1", "category": "lesson", "issue_number": 0}
    told, *others = memory.store(
        [
            observation("The login test waits for the clock", **of_mine),
            observation("The login test needs a muted bell", muted=True, **of_mine),
            observation("The login test was archived once", **of_mine),
        ]
    )
    memory.apply(memory.plan.archive(others[1]))
    found = own.retrieve_memories("login test", NOW)
    assert [it.observation.id for it in found] == [told]
    assert own.relevant_context("login test", NOW).ids == (told,)


# The limits of one agent's own memory: how much is looked at, told, kept and archived.


def test_tasks_and_agents_of_like_names(memory: Memory) -> None:
    left = {}
    for name in ("a1", "A1", "a-1"):
        for task in ("T 1", "t-1", ""):
            it = Interaction(f"{name}{task}", f"Ask {name} {task}", NOW, task)
            left[name, task] = AgentMemory(memory, name).add_interaction(it).id
    agent = AgentMemory(memory, "a1")
    told = agent.relevant_context("nothing of it", NOW, task_id="T 1", max_tokens=9_000)
    assert told.ids == (left["a1", "T 1"],)


def test_what_another_agent_knows_is_neither_told_nor_lost(memory: Memory) -> None:
    said = "## Key facts\n- The port is never closed in `port.py:31`."
    known = [
        AgentMemory(memory, name).add_interaction(Interaction("i", "Where?", NOW, "", said))
        for name in ("a1", "a2")
    ]
    assert [len(it.semantic_ids) for it in known] == [1, 1]
    for name, its in zip(("a1", "a2"), known, strict=True):
        assert [memory.get(it).agent for it in its.semantic_ids] == [name]
    memory.apply(memory.plan.archive(known[0].semantic_ids))
    again = AgentMemory(memory, "a1").add_interaction(Interaction("j", "Why?", NOW, "", said))
    assert again.semantic_ids == ()


# Interactions as memories, and memories as one text within a budget.
