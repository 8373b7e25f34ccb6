"""The limits of one agent's own memory: how much is looked at, told, kept and archived."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store import AgentMemory, Memory, open_memory
from store.errors import InvalidObservation, NotFound
from store.evolving import agent_memory
from store.evolving.agent_memory import Pruned
from store.evolving.context import WORKING
from store.evolving.interaction import Interaction, task_tag
from store.model import Layer
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, make_memory, observation


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return make_memory(tmp_path)


def _turns(agent: AgentMemory, number: int) -> list[str]:
    made = [
        Interaction(f"i-{at}", f"Ask {at}", NOW - timedelta(minutes=at), "T-1")
        for at in range(number)
    ]
    return [agent.add_interaction(it).id for it in made]


def test_of_a_task_the_twenty_newest_are_looked_at(memory: Memory) -> None:
    agent = AgentMemory(memory, "a1")
    ids = _turns(agent, 22)
    told = agent.relevant_context("nothing of it", NOW, task_id="T-1", max_tokens=9_000)
    assert sorted(told.ids) == sorted(ids[:20])
    assert told.text.splitlines()[0] == WORKING
    found = agent.retrieve_memories("", NOW, k=99, layers=[Layer.WORKING])
    assert [it.observation.id for it in found] == ids[:20]
    assert agent.retrieve_memories("", NOW, k=2, layers=[Layer.WORKING]) == found[:2]


@pytest.mark.parametrize("most", [0, 1])
def test_an_answer_leaves_so_many_facts_at_most(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(agent_memory, "_FACTS", most)
    said = "## Key facts\n- The port is never closed in `port.py:31`."
    stored = AgentMemory(memory, "a1").add_interaction(Interaction("i", "Where?", NOW, "", said))
    made = [memory.get(it) for it in stored.semantic_ids]
    assert [(it.timestamp, it.agent) for it in made] == [(NOW, "a1")] * most
    assert stored.procedural_id == ""


def test_an_answer_of_blanks_and_a_procedure_leave_no_facts(memory: Memory) -> None:
    agent = AgentMemory(memory, "a1")
    stored = agent.add_interaction(Interaction("i", "Go", NOW, "", " \n", ("run",), "Done."))
    assert (stored.id, stored.semantic_ids, stored.procedural_id) == ("obs-1", (), "obs-2")


@pytest.mark.parametrize(
    ("layer", "pruned"),
    [
        (None, Pruned(3, 2)),
        (Layer.EPISODIC, Pruned(1, 1)),
        (Layer.SEMANTIC, Pruned(2, 1)),
        (Layer.PROCEDURAL, Pruned(0, 0)),
    ],
)
def test_only_the_layer_that_is_named_is_pruned(
    tmp_path: Path, layer: Layer | None, pruned: Pruned
) -> None:
    memory = open_memory(
        tmp_path / "memory",
        cache=tmp_path / "cache",
        clock=Clock(),
        new_id=Ids(),
        settings=Settings(capacities={"semantic": 1, "episodic": 1}),
    )
    memory.store(
        [
            *(observation(f"Leases end {at}", agent="a1") for at in range(3)),
            *(observation(f"It broke {at}", agent="a1", category="error") for at in range(2)),
            *(observation(f"Not theirs {at}", agent="a2") for at in range(2)),
        ]
    )
    agent = AgentMemory(memory, "a1")
    assert agent.prune_memories("least_relevant", layer) == pruned
    assert AgentMemory(memory, "a2").statistics(NOW).total == 2
    left = {"episodic": 2, "semantic": 3}
    for name in [str(it) for it in (Layer.EPISODIC, Layer.SEMANTIC) if layer in (None, it)]:
        left[name] = 1
    by_layer = agent.statistics(NOW).by_layer
    assert {name: by_layer[name] for name in left} == left
    assert agent.prune_memories("oldest_first", layer) == Pruned(0, pruned.remaining)


def test_what_is_no_strategy_is_said_with_those_there_are(memory: Memory) -> None:
    with pytest.raises(InvalidObservation) as refused:
        memory.compaction.plan_prune("newest", {"semantic": 1})
    assert refused.value.message == "Unknown strategy 'newest'."
    assert refused.value.hint == "One of: least_relevant, oldest_first, frequency_based, cap."


def test_an_agent_counts_its_active_memories_by_layer(memory: Memory) -> None:
    agent = AgentMemory(memory, "a1")
    assert agent.statistics(NOW).average_relevance == 0.0
    memory.store(
        [
            observation("Käse", agent="a1", relevance_score=0.5),
            observation("Mend", agent="a1", category="task", relevance_score=0.25),
            observation("Gone", agent="a1", archived=True),
            observation("Theirs", agent="a2"),
        ]
    )
    told = agent.statistics(NOW)
    assert (told.total, told.size, told.average_relevance) == (2, 9, 0.375)
    layers = {"working": 1, "episodic": 0, "semantic": 1, "procedural": 0}
    assert told.by_layer == layers


def test_an_id_is_given_whole_and_what_is_not_there_is_said_short(memory: Memory) -> None:
    agent = AgentMemory(memory, "a1")
    memory.store([observation("Theirs", agent="a1", id="obs-whole-1")])
    assert agent.get("obs-whole-1").content == "Theirs"
    for asked in ("whole-1", "x" * 90):
        with pytest.raises(NotFound) as refused:
            agent.get(asked)
        assert (refused.value.message, refused.value.hint) == (
            f"Memory {asked[:80]} not found.",
            "",
        )


def test_what_another_task_or_agent_of_a_like_name_left_is_not_told(
    memory: Memory,
) -> None:
    left = {}
    for name in ("a1", "A1", "a-1"):
        for task in ("T 1", "t-1", ""):
            it = Interaction(f"{name}{task}", f"Ask {name} {task}", NOW, task)
            left[name, task] = AgentMemory(memory, name).add_interaction(it).id
    agent = AgentMemory(memory, "a1")
    told = agent.relevant_context("nothing of it", NOW, task_id="T 1", max_tokens=9_000)
    assert told.ids == (left["a1", "T 1"],)


def test_a_note_of_a_task_by_its_tag_alone_is_told_with_it(memory: Memory) -> None:
    agent = AgentMemory(memory, "a1")
    said = agent.add_interaction(Interaction("i", "Ask", NOW, "T-1")).id
    fields = {"agent": "a1", "category": "task", "timestamp": NOW}
    tags = (task_tag("T-1"),)
    noted, _, done = memory.store(
        [
            observation("Mend the gate", tags=tags, **fields),
            observation("Mend the till", tags=(task_tag("T-2"),), **fields),
            observation("Mend the roof", tags=tags, **{**fields, "agent": "a2"}),
        ]
    )
    told = agent.relevant_context("nothing of it", NOW, task_id="T-1", max_tokens=9_000)
    assert sorted(told.ids) == sorted((said, noted))
    assert done not in told.ids


def test_the_relevance_of_what_is_found_is_a_share_and_its_importance_orders_it(
    memory: Memory,
) -> None:
    said = ("The lock of the gate waits", "The lock is red", "The till is open")
    memory.store(
        [
            observation(it, agent="a1", timestamp=NOW - timedelta(hours=at), id=f"r{at}")
            for at, it in enumerate(said)
        ]
    )
    found = AgentMemory(memory, "a1").retrieve_memories("lock gate waits", NOW, k=9)
    by_id = {it.observation.id: it.relevance for it in found}
    assert sorted(by_id) == ["r0", "r1"]
    assert by_id["r0"] == pytest.approx(1.0)
    assert 0 < by_id["r1"] < 1
    assert [it.importance for it in found] == sorted((it.importance for it in found), reverse=True)
    assert all(0 < it.importance <= 1 for it in found)


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
