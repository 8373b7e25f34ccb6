"""One agent's memory, as a program has it: what is told counts, what is deleted comes back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store import AgentMemory, Memory
from store.backends.location import FOLDER
from store.errors import NotFound
from store.evolving.context import importance
from store.evolving.interaction import (
    Interaction,
    expiry,
    is_working,
    records_of,
    task_of,
)
from store.model import Layer, layer_of
from tests.store.factories import NOW, logged, observation


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


def test_asking_for_anothers_memory(memory: Memory, tmp_path: Path) -> None:
    kept = AgentMemory(memory, "a1").add_interaction(_asked(1, "Why is the login test red?")).id
    other = AgentMemory(memory, "a2")
    for refused in (other.get, other.delete_memory):
        with pytest.raises(NotFound):
            refused(kept)
    assert other.retrieve_memories("login test", NOW) == []
    assert other.relevant_context("login test", NOW).ids == ()
    assert other.statistics(NOW).total == 0
    told = AgentMemory(memory, "a1").statistics(NOW)
    assert (told.total, told.by_layer["episodic"]) == (1, 1)
    assert told.size == len(b"Why is the login test red?")
    said = [it["message"] for it in logged(tmp_path / FOLDER) if "message" in it]
    assert said == [f"a2 asked for {kept} of a1"] * 2


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


def test_an_interaction_is_an_episode_and_what_was_done_a_procedure() -> None:
    it = Interaction("i-1", "Why red?", NOW, "T/1", "The lock.", ("look", "mend"), "green", True)
    episode, procedure = records_of(it, "a1")
    assert layer_of(episode.category) is Layer.EPISODIC
    assert episode.content == "Why red?\nAnswer: The lock.\nDid: look; mend\nOutcome: green"
    assert episode.summary == "Why red? The lock."
    assert layer_of(procedure.category) is Layer.PROCEDURAL
    assert procedure.content == "Why red?\nDid: look; mend\nResult: green"
    assert procedure.extra["actions"] == ["look", "mend"]
    assert (procedure.extra["outcome"], procedure.extra["success"]) == ("green", True)
    assert procedure.summary == "Why red? Did: look; mend. Result: green"
    assert (task_of(episode), episode.tags, procedure.tags) == ("T/1", *[("task-t-1",)] * 2)
    assert expiry(episode) == NOW + timedelta(hours=1)
    assert is_working(episode, NOW + timedelta(minutes=59))
    assert not is_working(episode, NOW + timedelta(hours=1))


def test_what_led_nowhere_is_no_procedure() -> None:
    it = Interaction("i-1", "Why red?", NOW, "", "", ("look",), "", None)
    assert len(records_of(it, "a1")) == 1
    assert len(records_of(it._replace(success=False), "a1")) == 2
    assert len(records_of(it._replace(outcome="green"), "a1")) == 2
    assert len(records_of(it._replace(actions=(), outcome="green"), "a1")) == 1


def test_importance_is_the_blueprints() -> None:
    assert importance(1.0, NOW, 10, NOW) == 1.0
    assert round(importance(0.0, NOW - timedelta(hours=24), 0, NOW), 4) == 0.1104
    assert importance(0.0, NOW + timedelta(days=1), 5, NOW) == 0.3 + 0.15


def test_contradicting_memories(memory: Memory) -> None:
    """The blueprint's edge case of contradictory memories (004-71)."""
    kept = {"agent": "a1", "issue_number": 0, "category": "decision"}
    older, newer = memory.store(
        [
            observation(
                "We use SQLite for the index",
                timestamp=NOW - timedelta(days=1),
                recall_count=9,
                **kept,
            ),
            observation("We don't use SQLite for the index any more", timestamp=NOW, **kept),
        ]
    )
    own = AgentMemory(memory, "a1")
    flags = [
        (it.observation.id, it.contradicted_by, it.contradicts)
        for it in own.retrieve_memories("sqlite index", NOW)
    ]
    assert flags == [(newer, "", (older,)), (older, newer, ())]
    assert own.relevant_context("sqlite index", NOW).ids == (newer,)
