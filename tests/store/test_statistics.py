"""Figures, growth and timings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.activity.log import ActivityEntry
from store.search.figures import DAYS
from store.statistics import Timing, Work, growth, timings
from tests.store.factories import NOW


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
