"""The evolving memory, from outside: records, retrieval, JSON-RPC (clauses 004-1 to 004-44)."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import Any

import pytest

from store import AgentMemory, Observation
from store.errors import InvalidObservation, NotFound
from store.evolving.interaction import Interaction
from tests.seeds import foreign_writer
from tests.seeds.interactions import (
    ASKED,
    FACT,
    INVALID,
    NOT_FOUND,
    context,
    interaction,
    keep,
    retrieved,
)
from tests.seeds.world import NOW, World
from tests.store.factories import record


def test_004_1_four_layers_with_limits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(world, task_id="T-1")
    keep(world, 2, response=FACT, actions=["look"], outcome="green", success=True)
    counts = world.rpc("memory.stats")["by_type"]
    assert counts == {"working": 1, "episodic": 1, "semantic": 1, "procedural": 1}
    monkeypatch.setenv("MEMTUI_CAPACITIES", "{ semantic = 1, episodic = 5 }")
    world.memory.reload_settings()
    keep(world, 3, response="## Decisions\n- Paint the gauge blue\n")
    assert world.rpc("memory.prune", strategy="oldest_first")["pruned_count"] == 1


def test_004_2_a_memory_has_id_agent_type_content_summary_and_time(world: World) -> None:
    identifier = keep(world, response="The clock was wrong.")
    (stored,) = world.records(0)
    assert stored == stored | {
        "id": identifier,
        "agent": "engineer",
        "category": "interaction",
        "content": "Why is login 1 red?\nAnswer: The clock was wrong.",
        "summary": "Why is login 1 red? The clock was wrong.",
        "timestamp": "2026-03-01T11:50:00.000Z",
    }
    assert retrieved(world)[0]["memory_type"] == "episodic"


def test_004_3_a_memory_names_its_task(world: World) -> None:
    keep(world, task_id="T-1")
    keep(world, 2, task_id="T-2")
    assert [it["taskId"] for it in world.records(0)] == ["T-1", "T-2"]
    assert context(world, task_id="T-2")["context"].splitlines()[:2] == [
        "## Current Task Context",
        "- Why is login 2 red?",
    ]


def test_004_4_all_memories_of_an_interaction_name_it(world: World) -> None:
    keep(world, 7, task_id="T-1", response=FACT, actions=["look"], outcome="green")
    kinds = {it["category"]: (it["interactionId"], it["taskId"]) for it in world.records(0)}
    assert kinds == dict.fromkeys(("interaction", "decision", "procedure"), ("i-7", "T-1"))


def test_004_5_different_entities_facts_and_keywords(world: World) -> None:
    world.path.mkdir(parents=True)
    more = {"entities": ["k8s"], "facts": ["it scales"], "keywords": ["pods"]}
    foreign_writer.add(world.path, record("theirs", **more))
    world.memory.apply(world.memory.plan.edit("theirs", {"content": "Chose Kubernetes"}))
    (stored,) = world.records()
    assert stored == stored | more and stored["content"] == "Chose Kubernetes"
    assert world.memory.search("k8s").total == 0


def test_004_7_relevance_is_1_unless_said(world: World) -> None:
    identifier = keep(world)
    assert world.records(0)[0]["relevanceScore"] == 1.0
    world.rpc("memory.update", memory_id=identifier, updates={"relevance_score": 0.4})
    assert world.records(0)[0]["relevanceScore"] == 0.4


def test_004_8_every_retrieval_counts(world: World) -> None:
    identifier = keep(world)
    for number in range(3):
        world.clock.pass_by(minutes=1)
        retrieved(world)
        world.stop()
        assert world.memory.get(identifier).recall_count == number + 1
    assert world.memory.get(identifier).last_recalled == NOW + timedelta(minutes=3)


def test_004_9_a_procedure_has_actions_outcome_and_success(world: World) -> None:
    keep(world, actions=["look", "mend"], outcome="green", success=False)
    (procedure,) = [it for it in world.records(0) if it["category"] == "procedure"]
    assert (procedure["actions"], procedure["outcome"]) == (["look", "mend"], "green")
    assert procedure["success"] is False


def test_004_10_an_interaction_is_kept_with_all_it_says(world: World) -> None:
    given = interaction(
        task_id="T-1", response="The clock.", actions=["look"], outcome="green", success=True
    )
    world.rpc("memory.store", interaction=given)
    stored = world.records(0)[0]
    assert stored["content"].splitlines() == [
        "Why is login 1 red?",
        "Answer: The clock.",
        "Did: look",
        "Outcome: green",
    ]
    assert (stored["taskId"], stored["success"]) == ("T-1", True)


def test_004_11_any_metadata_is_kept(world: World) -> None:
    world.path.mkdir(parents=True)
    metadata = {"model": "opus", "cost": [1, 2.5], "nested": {"deep": None}}
    foreign_writer.add(world.path, record("theirs", metadata=metadata))
    world.cli("tag", "theirs", "--pin", "--yes")
    assert world.records()[0]["metadata"] == metadata
    assert json.loads(world.cli("export").out)["metadata"] == metadata


@pytest.mark.parametrize(
    ("types", "answer"),
    [
        (["working", "episodic", "semantic", "procedural"], None),
        (["bogus"], INVALID),
        ([], INVALID),
    ],
)
def test_004_12_types_are_of_the_four(world: World, types: list[str], answer: int | None) -> None:
    keep(world)
    found = world.rpc("memory.retrieve", query="login", memory_types=types)
    assert found == answer if answer else "memories" in found


@pytest.mark.parametrize("updates", [{"content": ""}, {"content": " \n"}, {"content": None}, {}])
def test_004_13_content_is_not_empty(world: World, updates: dict[str, Any]) -> None:
    identifier = keep(world)
    assert world.rpc("memory.update", memory_id=identifier, updates=updates) == INVALID
    with pytest.raises(InvalidObservation):
        world.add(" ")
    assert len(world.records(0)) == 1


@pytest.mark.parametrize("score", [-0.1, 1.1, "high", None])
def test_004_14_relevance_lies_between_0_and_1(world: World, score: object) -> None:
    identifier = keep(world)
    updates = {"relevance_score": score}
    assert world.rpc("memory.update", memory_id=identifier, updates=updates) == INVALID


@pytest.mark.parametrize(("hours", "recalls"), [(0, 0), (24, 0), (24, 5), (48, 20)])
def test_004_15_importance_of_three_parts(world: World, hours: int, recalls: int) -> None:
    at = NOW - timedelta(hours=hours)
    world.add("Login is red", issue_number=0, timestamp=at, recall_count=recalls)
    (found,) = retrieved(world, memory_types=["semantic"])
    expected = 0.4 * found["relevance_score"] + 0.3 * math.exp(-hours / 24)
    expected += 0.3 * min(recalls / 10, 1)
    assert found["importance_score"] == pytest.approx(expected, abs=1e-3)
    assert 0 < found["relevance_score"] <= 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"content": "Login login red"}, {"content": "A page with many words on login"}),
        ({"timestamp": NOW}, {"timestamp": NOW - timedelta(days=9)}),
        ({"recall_count": 9}, {"recall_count": 0}),
    ],
)
def test_004_16_different_words_recency_and_frequency_order(
    world: World, first: dict[str, Any], second: dict[str, Any]
) -> None:
    usual: dict[str, Any] = {"agent": "engineer", "issue_number": 0, "category": "decision"}
    texts = ({"content": "Login is red at one"}, {"content": "Login is red at two"})
    ids = world.memory.store(
        [
            Observation(**(usual | text | more))
            for text, more in zip(texts, (first, second), strict=True)
        ]
    )
    found = [it["memory_id"] for it in retrieved(world, memory_types=["semantic"])]
    assert found == list(ids)


def test_004_17_the_first_k_of_some_types(world: World) -> None:
    for number in range(4):
        keep(world, number, response=FACT if not number else "")
    for kind, k, count in (("episodic", 3, 3), ("episodic", 2, 2), ("semantic", 5, 1)):
        assert len(retrieved(world, memory_types=[kind], k=k)) == count
    assert retrieved(world, memory_types=["procedural"]) == []


def test_004_18_the_sections_of_a_context(world: World) -> None:
    keep(world, task_id="T-1")
    keep(world, 2, response=FACT)
    lines = context(world, task_id="T-1")["context"].splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "## Current Task Context",
        "## Relevant Past Interactions",
        "## Relevant Knowledge",
    ]


def test_the_sections_of_the_profile(world: World) -> None:
    keep(world, 2, response=FACT)
    lines = world.memory.recall.plan("engineer", 0, "login", profile="evolving").text.splitlines()
    sections = [at for at, line in enumerate(lines) if line.startswith("## Relevant")]
    assert [lines[at] for at in sections] == [
        "## Relevant Past Interactions",
        "## Relevant Knowledge",
    ]
    assert all(lines[at + 1].startswith("- ") for at in sections)


def test_004_19_a_past_interaction_has_its_date(world: World) -> None:
    keep(world, response="The clock.")
    assert context(world)["context"].splitlines()[1] == (
        "- [2026-03-01] Why is login 1 red? The clock."
    )


def test_004_20_a_context_counts_its_tokens_and_memories(world: World) -> None:
    for number in range(3):
        keep(world, number)
    found = context(world)
    assert found["memory_count"] == found["context"].count("\n- ") == 3
    assert len(found["context"]) / 6 < found["token_count"] < len(found["context"]) / 2


def test_004_21_different_a_memory_is_told_whole_or_not_at_all(world: World) -> None:
    summaries = {f"Why is login {number} red?" for number in range(4)}
    for number in range(4):
        keep(world, number)
    for most in (30, 50, 70):
        lines = context(world, max_tokens=most)["context"].splitlines()[1:]
        assert lines and {line.partition("] ")[2] for line in lines} <= summaries


def test_004_22_what_is_too_much_is_left_out_and_said(world: World) -> None:
    for number in range(4):
        keep(world, number, timestamp=f"2026-03-01T{number:02}:00:00Z")
    found = context(world, max_tokens=60)
    assert found["truncated"] is True
    assert found["warning"] == "Context truncated to fit token budget"
    assert "login 3" in found["context"] and "login 0" not in found["context"]
    assert "truncated" not in context(world, max_tokens=2_000)


def test_004_23_tokens_stay_within_what_was_asked_for(world: World) -> None:
    for number in range(5):
        keep(world, number, response="The clock was wrong by an hour in winter.")
    counts = [context(world, max_tokens=most)["token_count"] for most in (20, 50, 100, 200)]
    assert counts == sorted(counts)
    assert counts[0] <= 20 < counts[1] <= 50 < counts[2] <= 100 < counts[3] <= 200


def test_004_24_a_summary_is_one_short_line(world: World) -> None:
    keep(world, response="The clock was wrong. " * 60)
    summary = world.records(0)[0]["summary"]
    assert summary.startswith("Why is login 1 red? The clock was wrong.")
    assert len(summary) <= 240 and "\n" not in summary


def test_004_25_different_facts_are_found_by_rules(world: World) -> None:
    stored = world.rpc("memory.store", interaction=interaction(response=FACT))
    (identifier,) = stored["semantic_memory_ids"]
    assert world.memory.get(identifier).content == "Chose SQLite for the login over a server"


def test_004_26_an_agent_finds_and_changes_its_own_alone(world: World) -> None:
    identifier = keep(world, agent="reviewer")
    assert retrieved(world) == []
    mine = {"content": "Mine"}
    assert world.rpc("memory.update", memory_id=identifier, updates=mine) == NOT_FOUND
    assert world.rpc("memory.delete", memory_id=identifier) == NOT_FOUND
    assert world.memory.get(identifier).agent == "reviewer"


def test_004_27_an_agents_memory_takes_interactions(world: World) -> None:
    mine = AgentMemory(world.memory, "engineer")
    stored = mine.add_interaction(Interaction("i-1", "Why is login red?", NOW, response=FACT))
    assert {it["category"] for it in world.records(0)} == {"interaction", "decision"}
    assert world.memory.get(stored.id).content.startswith("Why is login red?")


@pytest.mark.parametrize(
    "updates",
    [
        {"content": "The clock was wrong"},
        {"summary": "A clock"},
        {"content": "Both", "summary": "Both", "relevance_score": 0.8},
    ],
)
def test_004_28_an_update_says_what_it_changed(world: World, updates: dict[str, Any]) -> None:
    identifier = keep(world)
    answer = world.rpc("memory.update", memory_id=identifier, updates=updates)
    assert answer == {"success": True, "updated_fields": list(updates)}
    stored = world.records(0)[0]
    assert stored["content"] == updates.get("content", "Why is login 1 red?")


@pytest.fixture
def full(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """An agent with three memories where two may stay: old, seldom recalled, little relevant."""
    monkeypatch.setenv("MEMTUI_CAPACITIES", "{ semantic = 2 }")
    usual = {"issue_number": 0, "recall_count": 5, "relevance_score": 1.0}
    day = timedelta(days=1)
    world.add("The oldest", **(usual | {"timestamp": NOW - 9 * day, "recall_count": 9}))
    world.add("The seldom recalled", **(usual | {"timestamp": NOW - 2 * day, "recall_count": 1}))
    world.add(
        "The least relevant",
        **(usual | {"timestamp": NOW - 8 * day, "recall_count": 2, "relevance_score": 0.1}),
    )
    world.memory.reload_settings()
    return world


@pytest.mark.parametrize(
    ("strategy", "gone"),
    [
        ("least_relevant", "The least relevant"),
        ("oldest_first", "The oldest"),
        ("frequency_based", "The seldom recalled"),
    ],
)
def test_004_29_three_strategies_of_pruning(full: World, strategy: str, gone: str) -> None:
    full.rpc("memory.prune", strategy=strategy)
    (hit,) = full.memory.search("is:archived").hits
    assert hit.entry.summary == gone


def test_004_30_pruning_counts_what_went_and_what_is_left(full: World) -> None:
    assert full.rpc("memory.prune", strategy="oldest_first", memory_type="semantic") == {
        "pruned_count": 1,
        "archived_count": 1,
        "remaining_count": 2,
    }
    assert full.rpc("memory.prune", strategy="oldest_first")["pruned_count"] == 0


@pytest.mark.parametrize("asked", ["false", "true"])
def test_004_31_pruning_by_itself(full: World, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setenv("MEMTUI_AUTO_PRUNE", asked)
    full.memory.reload_settings()
    keep(full)
    assert full.memory.search("is:archived").total == (1 if asked == "true" else 0)


def test_004_32_different_the_archive_is_on_this_disk(full: World) -> None:
    full.rpc("memory.prune", strategy="oldest_first")
    (kept,) = full.file("archive/issue-0-archived.json")["observations"]
    assert (kept["content"], kept["archived"]) == ("The oldest", True)


def test_004_33_what_is_archived_can_be_read_and_comes_back(full: World) -> None:
    full.rpc("memory.prune", strategy="oldest_first")
    (hit,) = full.memory.search("is:archived oldest").hits
    assert full.memory.get(hit.entry.id).content == "The oldest"
    full.memory.apply(full.memory.plan.restore([hit.entry.id]))
    assert full.memory.search("is:active oldest").total == 1


@pytest.mark.parametrize(("minutes", "section"), [(59, "Current Task"), (61, "Relevant Past")])
def test_004_34_working_memory_for_an_hour(world: World, minutes: int, section: str) -> None:
    keep(world, task_id="T-1", timestamp="2026-03-01T12:00:00Z")
    world.clock.pass_by(minutes=minutes)
    assert context(world, task_id="T-1")["context"].startswith(f"## {section}")
    assert "Current Task" not in context(world, task_id="T-2")["context"]


def test_004_36_store(world: World) -> None:
    answer = world.rpc("memory.store", interaction=interaction(response=FACT))
    stored = {it["id"]: it["category"] for it in world.records(0)}
    assert answer["success"] is True and stored[answer["memory_id"]] == "interaction"
    assert [stored[it] for it in answer["semantic_memory_ids"]] == ["decision"]


def test_004_37_retrieve(world: World) -> None:
    identifier = keep(world)
    (found,) = retrieved(world)
    assert (found["memory_id"], found["summary"]) == (identifier, "Why is login 1 red?")
    assert found["timestamp"] == ASKED
    assert 0 < found["importance_score"] <= 1


def test_004_38_get_context(world: World) -> None:
    keep(world)
    assert context(world)["context"] == (
        "## Relevant Past Interactions\n- [2026-03-01] Why is login 1 red?"
    )
    assert context(world, "pelican") == {"context": "", "token_count": 0, "memory_count": 0}


def test_004_39_update(world: World) -> None:
    identifier = keep(world)
    world.rpc("memory.update", memory_id=identifier, updates={"content": "The clock was wrong"})
    assert world.rpc("memory.update", memory_id="nothing", updates={"content": "x"}) == NOT_FOUND
    assert retrieved(world, "clock")[0]["memory_id"] == identifier


@pytest.mark.parametrize(
    "params", [{"strategy": "bogus"}, {"strategy": "oldest_first", "memory_type": "bogus"}, {}]
)
def test_004_40_prune_refuses_what_it_does_not_know(world: World, params: dict[str, Any]) -> None:
    keep(world)
    answer = world.rpc("memory.prune", **params)
    assert answer == INVALID or (not params and answer["pruned_count"] == 0)


def test_004_41_stats(world: World) -> None:
    keep(world)
    keep(world, 2, agent="reviewer")
    found = world.rpc("memory.stats")
    assert (found["total_memories"], found["by_type"]["episodic"]) == (1, 1)


def test_004_42_delete(world: World) -> None:
    identifier = keep(world)
    answer = world.rpc("memory.delete", memory_id=identifier)
    assert answer == {"success": True, "memory_id": identifier}
    with pytest.raises(NotFound):
        world.memory.get(identifier)


@pytest.mark.parametrize(
    ("method", "agent", "params", "code"),
    [
        ("memory.stats", None, {}, INVALID),
        ("memory.store", "engineer", {}, INVALID),
        ("memory.store", "engineer", {"interaction": {"id": "i-1"}}, INVALID),
        ("memory.delete", "engineer", {"memory_id": "nothing"}, NOT_FOUND),
        ("memory.bogus", "engineer", {}, -32601),
    ],
)
def test_004_43_codes_of_errors(
    world: World, method: str, agent: str | None, params: dict[str, Any], code: int
) -> None:
    assert world.rpc(method, agent, **params) == code


def test_internal_error_when_full(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(world)
    monkeypatch.setattr("os.replace", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "full")))
    assert world.rpc("memory.store", interaction=interaction(2)) == -32603


def test_004_44_stats_have_types_an_average_and_a_size(world: World) -> None:
    first, _ = keep(world), keep(world, 2, response="The clock was wrong. " * 40)
    world.rpc("memory.update", memory_id=first, updates={"relevance_score": 0.5})
    found = world.rpc("memory.stats")
    assert sum(found["by_type"].values()) == found["total_memories"] == 2
    assert found["avg_relevance"] == pytest.approx(0.75)
    assert 800 < found["total_size_mb"] * 1_000_000 < 5_000
