"""Which memories a compaction or a pruning is about: of which issues and agents, how many."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.errors import InvalidObservation
from store.model import Observation
from store.operations.plan import Plan
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, observation


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return open_memory(
        tmp_path / "memory",
        cache=tmp_path / "cache",
        clock=Clock(),
        new_id=Ids(),
        settings=Settings(capacities={"semantic": 1}, stale_archive_after_days=60),
    )


def _made(name: str, days: float, **fields: Any) -> Observation:  # noqa: ANN401
    at = NOW - timedelta(days=days)
    return observation(f"The lease of {name} ends.", id=f"w-{name}", timestamp=at, **fields)


def _ids(plan: Plan) -> list[str]:
    return sorted({it.id.removeprefix("w-") for it in plan.changes})


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.store(
        [
            *(_made(f"a{at}", at, agent="qa") for at in range(3)),
            *(_made(f"b{at}", at, agent="qa-lead", issue_number=30) for at in range(2)),
            *(_made(f"c{at}", at, agent="q", category="error") for at in range(2)),
        ]
    )
    return memory


PRUNED: list[tuple[dict[str, int] | None, str, list[str]]] = [
    (None, "", ["a1", "a2", "b1"]),
    (None, "qa", ["a1", "a2"]),
    (None, "qa-lead", ["b1"]),
    (None, "q", []),
    (None, "nobody", []),
    ({}, "", []),
    ({"semantic": 2}, "", ["a2"]),
    ({"episodic": 1}, "", ["c1"]),
    ({"episodic": 0, "semantic": 0}, "qa-lead", ["b0", "b1"]),
]


def test_what_is_pruned_is_of_the_agent_and_beyond_the_capacities_that_are_given(
    filled: Memory,
) -> None:
    found = [
        (
            capacities,
            agent,
            _ids(filled.compaction.plan_prune("oldest_first", capacities, agent=agent)),
        )
        for capacities, agent, _ in PRUNED
    ]
    assert found == PRUNED


@pytest.fixture
def alike(memory: Memory) -> Memory:
    """Two alike in each of three issues: one is old, one is new, one has both."""
    said = "The gateway closes idle connections after ninety seconds, so the pool pings it"
    ages = {1: (90, 95), 2: (10, 12), 3: (8, 95)}
    memory.store(
        [
            observation(f"{said}{'.!'[at]}", id=f"w-{issue}{at}", issue_number=issue,
                        timestamp=NOW - timedelta(days=days))
            for issue, each in ages.items()
            for at, days in enumerate(each)
        ]
    )  # fmt: skip
    return memory


def test_one_of_an_issue_the_stale_ones_and_all_is_compacted(alike: Memory) -> None:
    wrong: list[dict[str, Any]] = [
        {},
        {"issue": 1, "stale": True},
        {"issue": 1, "all": True},
        {"issue": 0, "all": True},
        {"stale": True, "all": True},
        {"issue": 1, "stale": True, "all": True},
    ]
    for given in wrong:
        with pytest.raises(InvalidObservation, match="Nothing to compact was given"):
            alike.compaction.plan(**given)


def test_an_issue_is_compacted_at_once_and_that_is_taken_back(alike: Memory) -> None:
    result = alike.compaction.compact(1)
    assert result.archived == 2
    assert [it.sources for it in alike.by_issue(1)] == [("w-10", "w-11")]
    assert len(alike.by_issue(2)) == 2
    alike.undo()
    assert [it.id for it in alike.by_issue(1)] == ["w-10", "w-11"]
