"""All of memory works over any backend: store, search, recall, change, undo, examine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.errors import InvalidObservation
from tests.store.factories import NOW, Ids, observation


@pytest.fixture
def memory(location: str, tmp_path: Path) -> Iterator[Memory]:
    cache = tmp_path / "cache"
    with open_memory(location, cache=cache, clock=lambda: NOW, new_id=Ids()) as memory:
        yield memory


@pytest.fixture
def other(location: str, tmp_path: Path) -> Iterator[Memory]:
    """The same memory, as another program on another machine has it open."""
    with open_memory(location, cache=tmp_path / "elsewhere", clock=lambda: NOW) as other:
        yield other


def test_what_is_stored_is_found_told_and_counted(memory: Memory) -> None:
    ids = memory.store([observation("The lock waits"), observation("Files it is", issue_number=7)])
    assert [hit.entry.id for hit in memory.search("lock").hits] == ids[:1]
    recall = memory.recall.plan("engineer", 29, "lock", budget=500)
    text = memory.recall.inject(recall, "engineer", 29, session_id="s1")
    assert "The lock waits" in text
    assert memory.recall.already_injected("s1").ids >= set(ids[:1])
    told = memory.activity().entries[0]
    assert told.kind == "recalled"
    assert memory.recall.injected_text(told.text) == text
    assert memory.get(ids[0]).recall_count == 1
    assert memory.search("sort:recalled").hits[0].entry.recall_count == 1
    assert memory.stats().total_observations == 2


def test_a_change_is_planned_applied_and_taken_back(memory: Memory) -> None:
    [identifier] = memory.store([observation("The lock waits")])
    memory.apply(memory.plan.edit(identifier, {"tags": ("queue",)}))
    memory.apply(memory.plan.archive([identifier]))
    assert memory.get(identifier).archived
    assert [item.kind for item in memory.history.operations()] == ["archive", "edit", "add"]
    memory.undo()
    assert memory.get(identifier).tags == ("queue",)
    memory.undo()
    assert memory.get(identifier).tags == ()


@pytest.mark.parametrize("is_archived", [False, True])
def test_an_id_of_another_issue_is_refused_with_its_batch(
    memory: Memory, other: Memory, is_archived: bool
) -> None:
    other.store([observation("The lock waits", id="obs-x", issue_number=5)])
    if is_archived:
        other.apply(other.plan.archive(["obs-x"]))
    batch = [
        observation("Fine", issue_number=3),
        observation("New", id="obs-y"),
        observation("The lock waits", id="obs-x"),
    ]
    with pytest.raises(InvalidObservation, match="obs-x already exists in issue 5"):
        memory.store(batch)
    assert (memory.by_issue(3), memory.by_issue(29)) == ([], [])
    assert [it.kind for it in memory.history.operations()] == ["archive", "add"][1 - is_archived :]
    assert memory.store([observation("The lock waits", id="obs-z")]) == ["obs-z"]


def test_another_program_sees_it(memory: Memory, other: Memory) -> None:
    assert other.search("lock").total == 0
    memory.store([observation("The lock waits")])
    assert other.search("lock").total == 1
    memory.apply(memory.plan.remove(memory.search_ids("lock")))
    assert other.search("lock").total == 0


def test_a_memory_is_well_and_goes_elsewhere(memory: Memory, tmp_path: Path) -> None:
    memory.store([observation("The lock waits"), observation("Same"), observation("Same")])
    memory.index.settle()
    assert memory.doctor.examine().is_healthy
    memory.apply(memory.compaction.to_plan(memory.compaction.plan(29)))
    assert memory.exchange.plan_import(tmp_path, "agentx").is_empty
    assert memory.exchange.export_store(tmp_path / "copy") == 2
    with open_memory(tmp_path / "copy", cache=tmp_path / "cache") as copy:
        assert copy.stats().total_observations == 2


def test_a_session_is_gone_on_with(memory: Memory, other: Memory) -> None:
    said = [{"role": "user", "text": "Make it wait."}, {"role": "agent", "text": "It waits."}]
    memory.continuation.checkpoint("engineer", said, "chat-1", branch="main")
    found = other.continuation.interrupted("main")
    assert found is not None
    assert [it.text for it in found.messages] == ["Make it wait.", "It waits."]
    [identifier] = memory.continuation.sleep(
        "engineer", said, "Done.", chat_id="chat-1", branch="main"
    )
    assert other.continuation.interrupted("main") is None
    assert other.get(identifier).category == "handoff"
