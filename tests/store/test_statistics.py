"""Figures, growth and timings."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import Memory, Observation
from store.activity.log import ActivityEntry
from store.errors import StoreError
from store.search.figures import DAYS, Measure
from store.search.reader import IndexReader
from store.statistics import Growth, Timing, Work, growth, percentile, timings
from tests.store.factories import NOW, make_memory


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
    assert figures.layers["semantic"] == Measure(2, 110)
    assert figures.categories["own-word"] == Measure(1, 10)
    assert next(iter(figures.issues.items())) == (2, Measure(2, 110))
    assert (figures.oldest, figures.newest) == (NOW - timedelta(days=500), NOW)
    assert (sum(figures.days), figures.days[-3:]) == (3, (1, 1, 1))
    assert found.size_bytes is not None
    assert found.size_bytes > 500
    assert found.growth == growth(figures.days)


def test_an_empty_store_has_figures_too(memory: Memory) -> None:
    found = memory.statistics()
    assert found.figures.total == Measure()
    assert (found.figures.oldest, found.figures.days) == (None, (0,) * DAYS)
    assert found.growth == Growth(1, ())
    assert set(found.timings.values()) == {Timing()}


def test_times_at_the_edges_of_the_calendar_and_of_a_day(memory: Memory) -> None:
    first, last = datetime(1, 1, 2, tzinfo=NOW.tzinfo), datetime(9999, 12, 30, tzinfo=NOW.tzinfo)
    edge = NOW - timedelta(days=1)
    memory.store(
        [
            note(0, timestamp=first),
            note(1, timestamp=last),
            note(2, timestamp=edge),
            note(3, timestamp=edge + timedelta(milliseconds=1)),
            note(4, timestamp=NOW - timedelta(days=DAYS)),
        ]
    )
    days = memory.statistics().figures.days
    assert (days[-1], days[-2], sum(days)) == (1, 1, 2)


def test_growth_is_told_by_day_at_first_then_by_week() -> None:
    assert growth([0, 0, 3, 0, 1]) == Growth(1, (3, 0, 1))
    assert growth([0] * 10) == Growth(1, ())
    long = growth([1] * 60)
    assert (long.step_days, long.counts) == (7, (4, 7, 7, 7, 7, 7, 7, 7, 7))


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
            ActivityEntry("captured", NOW, took=30.0),
            ActivityEntry("captured", NOW),
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
        Work.CAPTURE: Timing(2, 30.0, 30.0, 2, "No transcript."),
        Work.INJECTION: Timing(100, 50.5, 95.0, 2, "The newest."),
        Work.SEARCH: Timing(1, 2.0, 2.0),
    }


def test_a_failure_counts_whatever_it_says_and_the_newest_is_told() -> None:
    found = timings(
        [
            ActivityEntry("failed", NOW, problem="capture"),
            ActivityEntry("failed", NOW, problem="hook stop", message="Older."),
            ActivityEntry("failed", NOW, problem="search", message="No index."),
            ActivityEntry("failed", NOW, problem="search", message="Older."),
            ActivityEntry("failed", NOW, problem="inject", message="Too late."),
            ActivityEntry("recalled", NOW, tokens=7),
            ActivityEntry("recalled", NOW, tokens=5, took=0.0),
        ]
    )
    assert found == {
        Work.CAPTURE: Timing(failed=2),
        Work.INJECTION: Timing(2, 0.0, 0.0, 1, "Too late.", 12),
        Work.SEARCH: Timing(failed=2, message="No index."),
    }


def test_searches_of_this_run_are_counted_and_write_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store([note(1)])
    log = (memory.path / "activity.jsonl").read_bytes()
    memory.search("words")
    memory.search("words", fresh=False)

    def broken(*_: object, **__: object) -> None:
        raise StoreError("The disk is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(IndexReader, "search", broken)
        with pytest.raises(StoreError):
            memory.search("words")
    assert memory.statistics().timings[Work.SEARCH] == Timing(2, 0.0, 0.0, 1, "The disk is gone.")
    assert (memory.path / "activity.jsonl").read_bytes() == log


@given(st.lists(st.floats(0, 1e6), min_size=1), st.integers(1, 100))
def test_a_percentile_is_one_of_the_values(values: list[float], percent: int) -> None:
    found = percentile(values, percent)
    assert found in values
    assert sum(value <= found for value in values) * 100 >= percent * len(values)


def test_what_another_program_wrote_is_counted_unless_the_index_is_asked_as_it_is(
    memory: Memory, tmp_path: Path
) -> None:
    memory.store([note(0)])
    assert memory.statistics().figures.total.count == 1
    with Memory(tmp_path / "memory", cache=tmp_path / "other", clock=lambda: NOW) as other:
        other.store([note(1)])
    assert memory.statistics(fresh=False).figures.total.count == 1
    assert memory.statistics().figures.total.count == 2


def test_the_last_thousand_searches_are_kept_in_mind(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        recorder = memory._store.recorder
        for number in range(1_001):
            recorder.searched(NOW, f"{number}")
        found = recorder.searches()
    assert (len(found), found[0].message, found[-1].message) == (1_000, "1000", "1")


@pytest.mark.parametrize(
    ("days", "steps", "counts"),
    [
        ([1] * 56, 1, (1,) * 56),
        ([0] * 9 + [1] * 56, 1, (1,) * 56),
        ([2] + [1] * 56, 7, (2, *(7,) * 8)),
        ([0] * 3 + [2] + [1] * 56, 7, (2, *(7,) * 8)),
        ([0] * 300 + [1] * 64, 7, (1, *(7,) * 9)),
        ([1] * 63, 7, (7,) * 9),
    ],
)
def test_growth_by_weeks_ends_today(days: list[int], steps: int, counts: tuple[int, ...]) -> None:
    assert growth(days) == Growth(steps, counts)
