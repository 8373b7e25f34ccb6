"""Recall at the door, and the candidates it ranks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.events import MemoryProblem, MemoryRecalled
from store.model import Observation
from store.recall import candidates
from store.recall.already_injected import AlreadyInjected, already_injected
from store.recall.values import Recall
from tests.store.factories import Clock, logged, make_memory, observation
from tests.store.recall.makers import NOW, aged


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    memory = make_memory(tmp_path, clock)
    memory.store(
        [
            observation("The lock waits for the manifest.", tags=("locks",)),
            observation("The lock is held by the kernel.", issue_number=30),
            observation("The gateway closes.", agent="qa", issue_number=30, category="error"),
        ]
    )
    return memory


def test_nothing_told_is_no_injection(memory: Memory) -> None:
    before = logged(memory.path)
    assert memory.recall.inject(memory.recall.plan(None, 29, "lock", budget=0)) == ""
    assert logged(memory.path) == before


def test_a_text_is_kept_once_and_told_each_time_also_where_it_can_not_be_kept(
    memory: Memory,
) -> None:
    recall = memory.recall.plan(None, 29, "lock", budget=600)
    told: list[MemoryRecalled] = []
    heard: list[str] = []
    memory.events.subscribe(MemoryRecalled, told.append)
    memory.events.subscribe(MemoryProblem, lambda it: heard.append(it.kind))
    for _ in range(2):
        memory.recall.inject(recall)
    names = {it.text for it in told}
    assert len(names) == 1
    folder = memory.path / "recalls"
    assert [it.stem for it in folder.iterdir()] == [*names]
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    assert memory.recall.inject(recall) == recall.text
    assert (told[2].text, told[2].count, heard) == ("", len(recall.included), ["recall-not-kept"])


# What a session was told already, from the lines of the activity log.


def line(*ids: str, session: str = "s", **more: object) -> dict[str, Any]:
    return {"type": "recalled", "sessionId": session, "observationIds": list(ids), **more}


def test_all_that_a_session_was_told_counts() -> None:
    lines = [line("a", about=["lock"]), line("b", "c"), line("d", session="other")]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("abc"), frozenset({"lock"}))


def test_a_context_that_begins_anew_forgets_what_was_before() -> None:
    lines = [line("a", about=["lock"]), line("b", afresh=True), line("c")]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("bc"), frozenset())


def test_other_lines_and_nameless_sessions_say_nothing() -> None:
    lines = [
        {"type": "stored", "sessionId": "s", "observationIds": ["a"]},
        line(session=""),
        {"type": "recalled", "sessionId": "s", "observationIds": "b", "about": 7},
        line("e", 7, ["f"]),  # type: ignore[arg-type]
    ]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("e"), frozenset())
    assert already_injected([line("a", session="")], "") == AlreadyInjected()


# What a state of the index offers, kept while it is the state, and no longer.


NUMBER = 80


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Memory]:
    """A memory of many short notes about one thing."""
    with open_memory(tmp_path / "many", cache=tmp_path / "cache", clock=lambda: NOW) as opened:
        opened.store([note(number) for number in range(NUMBER)])
        opened.index.refresh()
        yield opened


def note(number: int) -> Observation:
    words = ("queue", "lock", "cache", "page", "index")
    content = f"The {words[number % 5]} of module m{number} was changed by way {number * 7}."
    return aged(content, number, days=number)


def offered(recall: Recall) -> set[str]:
    return {it.observation.content for it in recall.candidates}


def test_every_pin_that_is_tried_is_looked_at(
    many: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "_NEWEST", 20)
    oldest = [note(number).id for number in range(NUMBER - 30, NUMBER)]
    before = many.recall.plan("reviewer", 1, budget=200)
    assert {it.observation.id for it in before.candidates}.isdisjoint(oldest)
    recall = many.recall.plan("reviewer", 1, budget=200, pinned=oldest)
    assert {it.observation.id for it in recall.candidates} >= set(oldest)


def test_what_waits_is_offered_however_old(many: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: dict[str, tuple[dict[str, Any], bool]] = {
        "An open task.": ({"category": "task"}, True),
        "A task that is done.": ({"category": "task", "tags": ("done",)}, False),
        "Pinned.": ({"pinned": True}, True),
        "Ours.": ({"category": "handoff", "issue_number": 29, "agent": "engineer"}, True),
        "Of another issue.": ({"category": "handoff", "agent": "engineer"}, False),
        "Of another agent.": ({"category": "handoff", "issue_number": 29}, False),
        "Of no interest.": ({}, False),
    }
    many.store(
        [
            aged(text, 900 + n, days=905 - n, **{"issue_number": 7, "agent": "qa", **fields})
            for n, (text, (fields, _)) in enumerate(waits.items())
        ]
    )
    many.index.refresh()
    monkeypatch.setattr(candidates, "_NEWEST", 20)
    found = offered(many.recall.plan("engineer", 29))
    assert {text: text in found for text in waits} == {it: is_ for it, (_, is_) in waits.items()}
