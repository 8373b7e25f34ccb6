"""What has expired, by clocks that may be wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from store.backends.text_kinds import expired_before
from tests.store.factories import NOW

KEEP = timedelta(days=30)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("used", "before"),
    [
        ([], None),
        ([NOW, NOW - DAY / 2], None),
        ([NOW + 400 * DAY], None),
        ([NOW, NOW - 2 * DAY], NOW - 32 * DAY),
        ([NOW - 40 * DAY, NOW - 2 * DAY, NOW + 400 * DAY], NOW - 32 * DAY),
        ([NOW - 40 * DAY], NOW - 70 * DAY),
    ],
)
def test_it_counts_from_the_last_use_before_today(
    used: list[datetime], before: datetime | None
) -> None:
    assert expired_before(NOW, used, KEEP) == before


def test_a_clock_that_is_years_ahead_removes_nothing_that_a_right_one_would_keep() -> None:
    used = [NOW - it * DAY for it in (20, 10, 2)]
    before = expired_before(NOW + 5 * 365 * DAY, used, KEEP)
    assert before is not None
    assert all(time > before for time in used)


def test_a_keep_beyond_all_times_expires_nothing() -> None:
    used = [datetime(2, 1, 1, tzinfo=UTC)]
    assert expired_before(NOW, used, timedelta(days=10_000)) is None
