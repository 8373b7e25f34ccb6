"""One agent's memory, as a program has it: what is told counts, what is deleted comes back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from store import AgentMemory, Memory
from store.backends.location import FOLDER
from store.errors import NotFound
from store.evolving.interaction import Interaction, task_tag
from tests.store.factories import NOW, logged, make_memory, observation


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    with make_memory(tmp_path) as made:
        yield made


def _asked(number: int, query: str, task: str = "") -> Interaction:
    return Interaction(f"i-{number}", query, NOW - timedelta(minutes=number), task)


def test_what_is_deleted_comes_back_and_what_is_forgotten_does_not(
    memory: Memory, tmp_path: Path
) -> None:
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


def test_what_is_anothers_is_not_there_and_that_it_was_asked_for_is_told(
    memory: Memory, tmp_path: Path
) -> None:
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


def test_a_task_is_told_what_bears_its_tag_whoever_wrote_it(memory: Memory) -> None:
    own = AgentMemory(memory, "a1")
    by_it = own.add_interaction(_asked(5, "Why is the login test red?", "T-1")).id
    own.add_interaction(_asked(5, "Is the build green?", "T-2"))
    made = observation("Mend the login", agent="a1", category="task", tags=(task_tag("T-1"),))
    (by_hand,) = memory.store([made])
    assert {*own.relevant_context("x", NOW, task_id="T-1").ids} == {by_it, by_hand}


def test_what_is_retrieved_counts_by_call_and_names_who_asked(
    memory: Memory, tmp_path: Path
) -> None:
    """The blueprint's access tracking and audit (004-8, 004-50)."""
    own = AgentMemory(memory, "a1")
    kept = own.add_interaction(_asked(1, "Why is the login test red?")).id
    own.retrieve_memories("login test", NOW)
    own.retrieve_memories("login test", NOW)
    own.relevant_context("login test", NOW)
    assert own.retrieve_memories("nothing of the kind", NOW) == []
    assert (own.get(kept).recall_count, own.get(kept).last_recalled) == (3, NOW)
    lines = [it for it in logged(tmp_path / FOLDER) if it["type"] == "recalled"]
    assert [(it["agent"], it["observationIds"]) for it in lines] == [("a1", [kept])] * 3


def test_calls_that_are_recorded_together_count_each(memory: Memory) -> None:
    own = AgentMemory(memory, "a1")
    first = own.add_interaction(_asked(1, "Why is the login test red?")).id
    other = own.add_interaction(_asked(2, "Where is the manifest written?")).id
    memory.recall.record_accesses("a1", {first: 7, other: 1, "gone": 3}, "", 0)
    assert [own.get(it).recall_count for it in (first, other)] == [7, 1]
    memory.edit(first, {"content": "Why was the login test red?"})
    assert memory.by_issue(0)[0].recall_count == 7


def test_of_two_that_contradict_each_other_both_are_flagged_and_the_newer_told(
    memory: Memory,
) -> None:
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
