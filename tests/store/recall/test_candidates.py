"""What a state of the index offers: enough for the room, kept while it stands, and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import open_memory
from store.model import Observation
from store.pipeline import MemoryPipeline
from store.recall.values import Recall
from tests.store.recall.makers import NOW, observation

NUMBER = 250


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryPipeline]:
    """A memory of many short notes about one thing."""
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW) as opened:
        opened.store([note(number) for number in range(NUMBER)])
        opened.refresh()
        yield opened


def note(number: int) -> Observation:
    words = ("queue", "lock", "cache", "page", "index")
    content = f"The {words[number % 5]} of module m{number} was changed by way {number * 7}."
    return observation(content, number, days=number)


def offered(recall: Recall) -> set[str]:
    return {it.observation.content for it in recall.candidates}


def test_more_room_brings_more_candidates(memory: MemoryPipeline) -> None:
    few = memory.recall("engineer", 29, "queue lock", budget=300)
    more = memory.recall("engineer", 29, "queue lock", budget=20_000)
    assert offered(few) < offered(more)
    assert len(few.candidates) > 2 * len(few.included)


def test_there_are_enough_to_fill_a_large_room(memory: MemoryPipeline) -> None:
    recall = memory.recall(None, None, "queue lock cache page index", budget=6_000)
    assert recall.tokens > 0.9 * 6_000


def test_a_large_room_is_filled_where_nothing_in_particular_is_asked_for(
    memory: MemoryPipeline,
) -> None:
    assert memory.recall(budget=4_000).tokens > 0.9 * 4_000


def test_every_pin_that_is_tried_is_looked_at(memory: MemoryPipeline) -> None:
    oldest = [note(number).id for number in range(NUMBER - 30, NUMBER)]
    recall = memory.recall("reviewer", 1, budget=200, pinned=oldest)
    assert {it.observation.id for it in recall.candidates} >= set(oldest)


def test_what_is_new_is_offered_and_what_is_archived_no_more(memory: MemoryPipeline) -> None:
    asked = ("engineer", 29, "queue")
    before = offered(memory.recall(*asked, budget=2_000))
    new = observation("The queue is gone.", 999)
    memory.store([new])
    memory.apply(memory.plan_archive([note(5).id]))
    memory.refresh()
    after = offered(memory.recall(*asked, budget=2_000, fresh=False))
    assert note(5).content in before
    assert note(5).content not in after
    assert new.content in after


def test_what_was_told_is_counted_at_once(memory: MemoryPipeline) -> None:
    asked = ("engineer", 29, "queue")
    recall = memory.recall(*asked, budget=300)
    memory.inject(recall)
    told = {it.observation.id for it in recall.included}
    again = memory.recall(*asked, budget=300)
    counts = {it.observation.id: it.observation.recall_count for it in again.candidates}
    assert told
    assert {counts[identifier] for identifier in told} == {1}
