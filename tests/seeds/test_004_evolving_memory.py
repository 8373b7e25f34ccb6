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


def test_004_2_19_37_38_a_memory_and_what_is_retrieved_of_it(world: World) -> None:
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
    (found,) = retrieved(world)  # 004-37
    assert (found["memory_id"], found["summary"]) == (identifier, stored["summary"])
    assert (found["memory_type"], found["timestamp"]) == ("episodic", ASKED)
    assert 0 < found["importance_score"] <= 1
    assert context(world)["context"] == (  # 004-19, 004-38
        "## Relevant Past Interactions\n- [2026-03-01] Why is login 1 red? The clock was wrong."
    )
    assert context(world, "pelican") == {"context": "", "token_count": 0, "memory_count": 0}


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


def test_004_11_any_metadata_is_kept(world: World) -> None:
    world.path.mkdir(parents=True)
    metadata = {"model": "opus", "cost": [1, 2.5], "nested": {"deep": None}}
    foreign_writer.add(world.path, record("theirs", metadata=metadata))
    world.cli("tag", "theirs", "--pin", "--yes")
    assert world.records()[0]["metadata"] == metadata
    assert json.loads(world.cli("export").out)["metadata"] == metadata


def test_004_5_different_entities_facts_and_keywords(world: World) -> None:
    world.path.mkdir(parents=True)
    more = {"entities": ["k8s"], "facts": ["it scales"], "keywords": ["pods"]}
    foreign_writer.add(world.path, record("theirs", **more))
    world.memory.apply(world.memory.plan.edit("theirs", {"content": "Chose Kubernetes"}))
    (stored,) = world.records()
    assert stored == stored | more and stored["content"] == "Chose Kubernetes"
    assert world.memory.search("k8s").total == 0


def test_004_7_12_13_14_relevance_types_and_content(world: World) -> None:
    identifier = keep(world)
    assert world.records(0)[0]["relevanceScore"] == 1.0
    world.rpc("memory.update", memory_id=identifier, updates={"relevance_score": 0.4})
    assert world.records(0)[0]["relevanceScore"] == 0.4
    wrong: list[dict[str, Any]] = [{"relevance_score": it} for it in (-0.1, 1.1, "high", None)]
    wrong += [{"content": it} for it in ("", " \n", None)]
    for updates in (*wrong, {}):  # 004-13, 004-14
        assert world.rpc("memory.update", memory_id=identifier, updates=updates) == INVALID
    with pytest.raises(InvalidObservation):
        world.add(" ")
    assert len(world.records(0)) == 1
    for types in (["bogus"], []):  # 004-12
        assert world.rpc("memory.retrieve", query="login", memory_types=types) == INVALID
    assert retrieved(world, memory_types=["working", "episodic", "semantic", "procedural"])


def test_004_8_every_retrieval_counts(world: World) -> None:
    identifier = keep(world)
    for number in range(3):
        world.clock.pass_by(minutes=1)
        retrieved(world)
        world.stop()
        assert world.memory.get(identifier).recall_count == number + 1
    assert world.memory.get(identifier).last_recalled == NOW + timedelta(minutes=3)


def test_004_9_10_an_interaction_is_kept_with_all_it_says(world: World) -> None:
    done: dict[str, Any] = {"actions": ["look", "mend"], "outcome": "green", "success": False}
    keep(world, task_id="T-1", response="The clock.", **done)
    stored, procedure = world.records(0)
    assert stored["content"].splitlines() == [
        "Why is login 1 red?",
        "Answer: The clock.",
        "Did: look; mend",
        "Outcome: green",
    ]
    assert (stored["taskId"], stored["success"]) == ("T-1", False)
    assert procedure == procedure | done | {"category": "procedure"}


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


def test_004_20_22_23_a_context_counts_its_tokens_and_stays_within_them(world: World) -> None:
    for number in range(5):
        of = {"response": "The clock was wrong by an hour in winter."}
        keep(world, number, timestamp=f"2026-03-01T{number:02}:00:00Z", **of)
    found = context(world)
    assert found["memory_count"] == found["context"].count("\n- ") == 5
    assert len(found["context"]) / 6 < found["token_count"] < len(found["context"]) / 2
    assert "truncated" not in found
    found = context(world, max_tokens=60)  # 004-22
    assert found["truncated"] is True
    assert found["warning"] == "Context truncated to fit token budget"
    assert "login 4" in found["context"] and "login 0" not in found["context"]
    counts = [context(world, max_tokens=most)["token_count"] for most in (20, 50, 100, 200)]
    assert counts == sorted(counts)  # 004-23
    assert counts[0] <= 20 < counts[1] <= 50 < counts[2] <= 100 < counts[3] <= 200


def test_004_21_different_a_memory_is_told_whole_or_not_at_all(world: World) -> None:
    summaries = {f"Why is login {number} red?" for number in range(4)}
    for number in range(4):
        keep(world, number)
    for most in (30, 50, 70):
        lines = context(world, max_tokens=most)["context"].splitlines()[1:]
        assert lines and {line.partition("] ")[2] for line in lines} <= summaries


def test_004_24_a_summary_is_one_short_line(world: World) -> None:
    keep(world, response="The clock was wrong. " * 60)
    summary = world.records(0)[0]["summary"]
    assert summary.startswith("Why is login 1 red? The clock was wrong.")
    assert len(summary) <= 240 and "\n" not in summary


def test_004_25_different_facts_are_found_by_rules(world: World) -> None:
    stored = world.rpc("memory.store", interaction=interaction(response=FACT))
    (identifier,) = stored["semantic_memory_ids"]
    assert world.memory.get(identifier).content == "Chose SQLite for the login over a server"


def test_004_27_36_interactions_are_stored(world: World) -> None:
    answer = world.rpc("memory.store", interaction=interaction(response=FACT))
    stored = {it["id"]: it["category"] for it in world.records(0)}
    assert answer["success"] is True and stored[answer["memory_id"]] == "interaction"
    assert [stored[it] for it in answer["semantic_memory_ids"]] == ["decision"]
    mine = AgentMemory(world.memory, "engineer")  # 004-27
    made = mine.add_interaction(Interaction("i-2", "Why is login red?", NOW, response=FACT))
    assert world.memory.get(made.id).content.startswith("Why is login red?")


def test_004_26_41_an_agent_finds_counts_and_changes_its_own_alone(world: World) -> None:
    identifier = keep(world, agent="reviewer")
    assert retrieved(world) == []
    mine = {"content": "Mine"}
    assert world.rpc("memory.update", memory_id=identifier, updates=mine) == NOT_FOUND
    assert world.rpc("memory.delete", memory_id=identifier) == NOT_FOUND
    assert world.memory.get(identifier).agent == "reviewer"
    keep(world, 2)
    found = world.rpc("memory.stats")
    assert (found["total_memories"], found["by_type"]["episodic"]) == (1, 1)


def test_004_28_39_42_update_and_delete(world: World) -> None:
    identifier = keep(world)
    for updates in (
        {"summary": "A clock"},
        {"content": "The clock was wrong"},
        {"content": "Both clocks", "summary": "Both", "relevance_score": 0.8},
    ):
        answer = world.rpc("memory.update", memory_id=identifier, updates=updates)
        assert answer == {"success": True, "updated_fields": list(updates)}
        assert world.records(0)[0]["content"] == updates.get("content", "Why is login 1 red?")
    assert retrieved(world, "clocks")[0]["memory_id"] == identifier
    assert world.rpc("memory.update", memory_id="nothing", updates={"content": "x"}) == NOT_FOUND
    answer = world.rpc("memory.delete", memory_id=identifier)  # 004-42
    assert answer == {"success": True, "memory_id": identifier}
    with pytest.raises(NotFound):
        world.memory.get(identifier)


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


def test_004_30_33_what_is_pruned_is_counted_can_be_read_and_comes_back(full: World) -> None:
    counts = {"pruned_count": 1, "archived_count": 1, "remaining_count": 2}
    asked = {"strategy": "oldest_first", "memory_type": "semantic"}
    assert full.rpc("memory.prune", **asked) == counts
    assert full.rpc("memory.prune", strategy="oldest_first")["pruned_count"] == 0
    (hit,) = full.memory.search("is:archived oldest").hits  # 004-33
    assert full.memory.get(hit.entry.id).content == "The oldest"
    full.memory.apply(full.memory.plan.restore([hit.entry.id]))
    assert full.memory.search("is:active oldest").total == 1


@pytest.mark.parametrize(
    ("minutes", "told"),
    [
        (59, "## Current Task Context\n- Why is login 1 red?"),
        (61, "## Relevant Past Interactions\n- [2026-03-01] Why is login 1 red?"),
    ],
)
def test_004_34_72_working_memory_ends_after_an_hour(world: World, minutes: int, told: str) -> None:
    keep(world, task_id="T-1", timestamp="2026-03-01T12:00:00Z")
    world.clock.pass_by(minutes=minutes)
    assert context(world, task_id="T-1")["context"] == told
    assert "Current Task" not in context(world, task_id="T-2")["context"]


def test_004_40_prune_refuses_what_it_does_not_know(world: World) -> None:
    keep(world)
    for params in ({"strategy": "bogus"}, {"strategy": "oldest_first", "memory_type": "bogus"}, {}):
        assert world.rpc("memory.prune", **params) == INVALID


def test_004_43_codes_of_errors(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(world)
    for method, agent, params, code in (
        ("memory.stats", None, {}, INVALID),
        ("memory.store", "engineer", {}, INVALID),
        ("memory.store", "engineer", {"interaction": {"id": "i-1"}}, INVALID),
        ("memory.delete", "engineer", {"memory_id": "nothing"}, NOT_FOUND),
        ("memory.bogus", "engineer", {}, -32601),
    ):
        assert world.rpc(method, agent, **params) == code
    monkeypatch.setattr("os.replace", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "full")))
    assert world.rpc("memory.store", interaction=interaction(2)) == -32603


def test_004_44_stats_have_types_an_average_and_a_size(world: World) -> None:
    first, _ = keep(world), keep(world, 2, response="The clock was wrong. " * 40)
    world.rpc("memory.update", memory_id=first, updates={"relevance_score": 0.5})
    found = world.rpc("memory.stats")
    assert sum(found["by_type"].values()) == found["total_memories"] == 2
    assert found["avg_relevance"] == pytest.approx(0.75)
    assert 800 < found["total_size_mb"] * 1_000_000 < 5_000
