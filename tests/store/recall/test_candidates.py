"""What a state of the index offers, kept while it is the state, and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.model import Observation
from store.recall import candidates
from store.recall.values import Recall
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
