"""Figures, growth and timings."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import Memory, Observation
from store.activity.log import ActivityEntry
from store.search.figures import DAYS, Measure
from store.statistics import Timing, Work, growth, timings
from tests.store.factories import NOW


def note(number: int, **fields: object) -> Observation:
    values = {
        "agent": "engineer",
        "issue_number": number % 3,
        "category": "decision",
        "content": f"{number:040}",
        "id": f"obs-{number}",
        "timestamp": NOW - timedelta(days=number),
        **fields,
    }
    return Observation(**values)  # type: ignore[arg-type]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "memory", cache=tmp_path / "cache", clock=lambda: NOW)


def test_figures_are_of_the_records_in_issue_files(memory: Memory) -> None:
    memory.store(
        [
            note(0),
            note(1, agent="tester", category="error", recall_count=2),
            note(2, content="x" * 400),
            note(500, category="own-word", issue_number=2),
            note(4),
        ]
    )
    memory.apply(memory.plan.archive("obs-4"))
    found = memory.statistics()
    figures = found.figures
    assert figures.total == Measure(4, 130)
    assert (figures.archived, figures.never_recalled, figures.issue_count) == (1, 3, 3)
    assert figures.agents == {"engineer": Measure(3, 120), "tester": Measure(1, 10)}
    assert figures.agent_layers["engineer"] == {"semantic": 2, "other": 1}
    assert figures.agent_layers["tester"] == {"episodic": 1}
    assert figures.layers["semantic"] == Measure(2, 110)
    assert figures.categories["own-word"] == Measure(1, 10)
    assert next(iter(figures.issues.items())) == (2, Measure(2, 110))
    assert (figures.oldest, figures.newest) == (NOW - timedelta(days=500), NOW)
    assert (sum(figures.days), figures.days[-3:]) == (3, (1, 1, 1))
    assert found.size_bytes is not None
    assert found.size_bytes > 500
    assert found.growth == growth(figures.days)


@given(st.lists(st.integers(0, 5), max_size=DAYS))
def test_growth_loses_nothing(days: list[int]) -> None:
    found = growth(days)
    assert sum(found.counts) == sum(days)
    assert not found.counts or found.step_days == 7 or found.counts[0] > 0


def test_timings_and_failures_of_each_work() -> None:
    found = timings(
        [
            ActivityEntry("failed", NOW, problem="hook session-start", message="The newest."),
            *(ActivityEntry("recalled", NOW, took=float(took)) for took in range(1, 101)),
            ActivityEntry("captured", NOW, took=30.0, count=2),
            ActivityEntry("captured", NOW, count=1),
            ActivityEntry("failed", NOW, problem="hook session-end", message="No transcript."),
            ActivityEntry("failed", NOW, problem="capture", message="Older."),
            ActivityEntry("failed", NOW, problem="user-prompt", message="Older."),
            ActivityEntry("failed", NOW, problem="lock-timeout", message="Something else."),
            ActivityEntry("failed", NOW, problem="research", message="Something else."),
            ActivityEntry("stored", NOW, took=4.0),
            ActivityEntry("searched", NOW, took=2.0),
        ]
    )
    assert found == {
        Work.CAPTURE: Timing(2, 30.0, 30.0, 2, "No transcript.", 3),
        Work.INJECTION: Timing(100, 50.5, 95.0, 2, "The newest."),
        Work.SEARCH: Timing(1, 2.0, 2.0),
    }
