"""What a state of the index offers, kept while it is the state, and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.backends import open_backend
from store.model import Observation
from store.recall import candidates
from store.recall.candidates import CandidateSource
from store.recall.values import Recall
from store.search.index import SearchIndex
from tests.store.recall.makers import NOW, observation

NUMBER = 80


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of many short notes about one thing."""
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW) as opened:
        opened.store([note(number) for number in range(NUMBER)])
        opened.index.refresh()
        yield opened


def note(number: int) -> Observation:
    words = ("queue", "lock", "cache", "page", "index")
    content = f"The {words[number % 5]} of module m{number} was changed by way {number * 7}."
    return observation(content, number, days=number)


def index_of(folder: Path) -> SearchIndex:
    """The index of the memory in a folder, opened as it was left."""
    index = SearchIndex(open_backend(folder / "memory"), folder / "cache")
    assert index.open()
    return index


def offered(recall: Recall) -> set[str]:
    return {it.observation.content for it in recall.candidates}


def test_every_pin_that_is_tried_is_looked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "_NEWEST", 20)
    oldest = [note(number).id for number in range(NUMBER - 30, NUMBER)]
    before = memory.recall.plan("reviewer", 1, budget=200)
    assert {it.observation.id for it in before.candidates}.isdisjoint(oldest)
    recall = memory.recall.plan("reviewer", 1, budget=200, pinned=oldest)
    assert {it.observation.id for it in recall.candidates} >= set(oldest)


def test_an_issue_is_offered_whoever_worked_on_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = observation("A shop.", 900, days=900, issue_number=7, agent="reviewer")
    memory.store([old])
    memory.index.refresh()
    monkeypatch.setattr(candidates, "_NEWEST", 20)
    assert old.content in offered(memory.recall.plan("engineer", 7))
    assert old.content not in offered(memory.recall.plan("reviewer", 8))


def test_what_waits_is_offered_however_old(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: dict[str, tuple[dict[str, Any], bool]] = {
        "An open task.": ({"category": "task"}, True),
        "A task that is done.": ({"category": "task", "tags": ("done",)}, False),
        "Pinned.": ({"pinned": True}, True),
        "Ours.": ({"category": "handoff", "issue_number": 29, "agent": "engineer"}, True),
        "Of another issue.": ({"category": "handoff", "agent": "engineer"}, False),
        "Of another agent.": ({"category": "handoff", "issue_number": 29}, False),
        "Of no interest.": ({}, False),
    }
    memory.store(
        [
            observation(text, 900 + n, days=905 - n, **{"issue_number": 7, "agent": "qa", **fields})
            for n, (text, (fields, _)) in enumerate(waits.items())
        ]
    )
    memory.index.refresh()
    monkeypatch.setattr(candidates, "_NEWEST", 20)
    found = offered(memory.recall.plan("engineer", 29))
    assert {text: text in found for text in waits} == {it: is_ for it, (_, is_) in waits.items()}


def test_what_is_new_is_offered_and_what_is_archived_no_more(memory: Memory) -> None:
    asked = ("engineer", 29, "queue")
    before = offered(memory.recall.plan(*asked, budget=2_000))
    new = observation("The queue is gone.", 999)
    memory.store([new])
    memory.apply(memory.plan.archive([note(5).id]))
    memory.index.refresh()
    after = offered(memory.recall.plan(*asked, budget=2_000, fresh=False))
    assert note(5).content in before
    assert note(5).content not in after
    assert new.content in after


def test_what_was_told_is_counted_at_once(memory: Memory) -> None:
    asked = ("engineer", 29, "queue")
    recall = memory.recall.plan(*asked, budget=300)
    memory.recall.inject(recall)
    told = {it.observation.id for it in recall.included}
    again = memory.recall.plan(*asked, budget=300)
    counts = {it.observation.id: it.observation.recall_count for it in again.candidates}
    assert told
    assert {counts[identifier] for identifier in told} == {1}


@pytest.mark.parametrize("shared", ["-a1b2c3", "-the-same-long-ending-for-every-one", "z"])
def test_a_handle_is_the_shortest_ending_that_no_other_id_has(tmp_path: Path, shared: str) -> None:
    ids = [f"obs-engineer-29-17090352{number * 37:05}{shared}" for number in range(60)]
    ids += [f"note-{number}" for number in range(9)]  # shorter than the first ending that is tried
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store([observation(f"note {it}", id=it) for it in ids])
    index = index_of(tmp_path)
    handles = index.ask(
        lambda searcher: [CandidateSource(searcher, index.schema).handle(named(it)) for it in ids]
    )
    for identifier, handle in zip(ids, handles, strict=True):
        endings = [identifier[-length:] for length in range(3, len(identifier) + 1)]
        alone = [
            it for it in endings if it[0].isalnum() and sum(id_.endswith(it) for id_ in ids) < 2
        ]
        assert handle == alone[0]


def named(identifier: str) -> Observation:
    return observation("note", id=identifier)
