"""The limits of one agent's own memory: how much is looked at, told, kept and archived."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import AgentMemory, Memory, open_memory
from store.evolving.agent_memory import Pruned
from store.evolving.interaction import Interaction
from store.model import Layer
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, observation


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


@pytest.mark.parametrize("is_on", [True, False])
def test_storing_makes_room_where_that_is_set_but_not_of_what_came_just_now(
    tmp_path: Path, is_on: bool
) -> None:
    memory = open_memory(
        tmp_path / "memory",
        cache=tmp_path / "cache",
        clock=Clock(),
        new_id=Ids(),
        settings=Settings(auto_prune=is_on, capacities={"episodic": 2}),
    )
    agent = AgentMemory(memory, "a1")
    kept = [
        agent.add_interaction(Interaction(f"i-{at}", f"Why is test {at} red?", NOW)).id
        for at in range(2)
    ]
    memory.recall.record_accesses("a1", dict.fromkeys(kept, 10), "", 0)
    memory.edit(kept[1], {"relevance_score": 0.5})
    newest = agent.add_interaction(Interaction("i-9", "Why is test 9 red?", NOW)).id
    active = [kept[0], newest] if is_on else [*kept, newest]
    assert {it.id for it in memory.by_issue(0)} == set(active)
    assert AgentMemory(memory, "a2").statistics(NOW).total == 0
