"""How a memory grew, by days or weeks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.search.figures import DAYS
from store.statistics import growth


@given(st.lists(st.integers(0, 5), max_size=DAYS))
def test_growth_loses_nothing(days: list[int]) -> None:
    found = growth(days)
    assert sum(found.counts) == sum(days)
    assert not found.counts or found.step_days == 7 or found.counts[0] > 0
