"""What is recorded of an injection, which budget and which moment hold, and what is ranked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.errors import NotFound
from store.events import MemoryProblem, MemoryRecalled
from store.recall.request import RecallRequest
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, logged, make_memory, observation


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


def _last(memory: Memory) -> dict[str, Any]:
    return logged(memory.path)[-1]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, {"agent": "", "issueNumber": 0}),
        (
            {"agent": "qa", "issue": 30, "session_id": "s", "about": {"b", "a"}, "afresh": True},
            {
                "agent": "qa",
                "issueNumber": 30,
                "sessionId": "s",
                "about": ["a", "b"],
                "afresh": True,
            },
        ),
        ({"about": (), "afresh": False, "session_id": ""}, {"agent": "", "issueNumber": 0}),
    ],
)
def test_the_log_has_what_was_told_for_whom_and_what_it_was_about(
    memory: Memory, given: dict[str, Any], kept: dict[str, Any]
) -> None:
    recall = memory.recall.plan(None, 29, "lock", budget=600, channel="codex")
    assert memory.recall.inject(recall, **given) == recall.text
    line = _last(memory)
    name = line.pop("text")
    ids = [it.observation.id for it in recall.included]
    assert line == {
        "type": "recalled",
        "timestamp": "2026-03-01T12:00:00.000Z",
        "count": len(ids),
        "totalTokens": recall.tokens,
        "observationIds": ids,
        "tookMs": 0.0,
        "profile": recall.profile,
        "channel": "codex",
        **kept,
    }
    assert memory.recall.injected_text(name) == recall.text


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


def test_a_text_that_is_kept_lets_those_go_that_are_kept_too_long(tmp_path: Path) -> None:
    clock = Clock()
    chosen = Settings(recall_texts_days=2)
    with open_memory(
        tmp_path / "m", cache=tmp_path / "c", clock=clock, new_id=Ids(), settings=chosen
    ) as memory:
        memory.store([observation("The lock waits for the manifest.")])
        names: list[str] = []
        for days in (0, 1, 2.5, 1.5):
            clock.pass_by(days=days)
            memory.recall.record_accesses("qa", {"obs-1": 1}, f"Told {len(names)}.", 3)
            names.append(_last(memory)["text"])
            for each in (tmp_path / "m" / "recalls").glob(f"{names[-1]}*"):
                os.utime(each, (clock.now.timestamp(),) * 2)
        for name in names[:2]:
            with pytest.raises(NotFound, match="has expired"):
                memory.recall.injected_text(name)
        assert [memory.recall.injected_text(it) for it in names[2:]] == ["Told 2.", "Told 3."]


@pytest.mark.parametrize(
    ("given", "budget"),
    [
        ({}, 1_000),
        ({"channel": "text"}, 1_000),
        ({"budget": 0}, 0),
        ({"budget": 77}, 77),
        ({"channel": "claude-code"}, 55),
    ],
)
def test_the_budget_is_that_asked_for_else_that_of_the_settings(
    tmp_path: Path, given: dict[str, Any], budget: int
) -> None:
    chosen = Settings(max_tokens=1_000, client_tokens={"claude-code": 55})
    with open_memory(tmp_path / "m", cache=tmp_path / "c", settings=chosen) as memory:
        memory.store([observation("The lock waits for the manifest.")])
        recall = memory.recall.plan(RecallRequest(task="lock", **given))
        assert recall.budget == budget
        assert bool(recall.text) is (budget > 100)
        if "budget" not in given:
            assert memory.recall.budget_for(given.get("channel", "text")) == budget


def test_what_is_ranked_has_words_of_the_task_and_the_settings_weights(
    memory: Memory, tmp_path: Path
) -> None:
    request = RecallRequest(agent="engineer", task="lock")
    ranked = memory.recall.rank(request, now=NOW)
    assert {it.observation.id for it in ranked} == {"obs-1", "obs-2"}
    scores = [it.score for it in ranked]
    assert scores == sorted(scores, reverse=True)
    own = memory.recall.rank(request._replace(own=True), now=NOW)
    assert {it.observation.agent for it in own} == {"engineer"}
    chosen = Settings(recall_weights={"relevance": 0.0})
    with open_memory(memory.path, cache=tmp_path / "cache", settings=chosen) as other:
        others = other.recall.rank(request, now=NOW)
    assert [it.score for it in others] != scores
