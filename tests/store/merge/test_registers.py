"""Three-way merges of single values."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from store.merge.values import instant, later, merge_lists


def test_what_was_added_to_a_list_stands_after_what_stayed_in_order() -> None:
    added = [f"tag-{number}" for number in range(20)]
    base = ["z", "gone", "y"]
    merged = merge_lists(base, ["z", "y", *added[::-2]], [*base, *added[::2]])
    assert merged == ["z", "y", *sorted(added)]


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock shows another time than UTC."""
    with monkeypatch.context() as here:
        here.setenv("TZ", "FAR-13")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("far_east")
def test_times_sort_by_the_instant_wherever_they_were_told() -> None:
    told = ["2026-03-01T12:00:00+02:00", "2026-03-01T10:30:00", "2026-03-01T10:15:00Z"]
    assert sorted(told, key=instant) == [told[0], told[2], told[1]]
    assert later(*told) == told[1]
    assert later(*told, "2026-99-01", None, 7) == told[1]
