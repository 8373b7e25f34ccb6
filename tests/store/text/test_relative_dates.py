from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text.relative_dates import dates_meant, with_dates

WEDNESDAY = datetime(2026, 2, 11, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("The server broke yesterday.", "The server broke yesterday (2026-02-10)."),
        ("since last Friday", "since last Friday (2026-02-06)"),
        ("since last wednesday", "since last wednesday (2026-02-04)"),
        ("the release is next Monday", "the release is next Monday (2026-02-16)"),
        ("two weeks ago we moved", "two weeks ago (2026-01-28) we moved"),
        ("3 days ago", "3 days ago (2026-02-08)"),
        ("a month ago", "a month ago (January 2026)"),
        ("last year", "last year (2025)"),
        ("next month", "next month (March 2026)"),
        ("this week", "this week (week of 2026-02-09)"),
        ("last night", "last night (2026-02-10)"),
        ("this Friday, last Thursday", "this Friday (2026-02-13), last Thursday (2026-02-05)"),
        ("next wednesday", "next wednesday (2026-02-18)"),
        ("this past monday", "this past monday (2026-02-09)"),
        ("the day before yesterday", "the day before yesterday (2026-02-09)"),
        ("the day after tomorrow", "the day after tomorrow (2026-02-13)"),
        ("tonight, tomorrow", "tonight (2026-02-11), tomorrow (2026-02-12)"),
        ("a few days ago", "a few days ago (2026-02-08)"),
        ("a couple of weeks ago", "a couple of weeks ago (2026-01-28)"),
        ("2 years ago", "2 years ago (2024)"),
        ("14 months ago", "14 months ago (December 2024)"),
        ("in two weeks time", "in two weeks (2026-02-25) time"),
        ("in 3 days from now", "in 3 days (2026-02-14) from now"),
        ("in two weeks it ends", "in two weeks it ends"),
        ("last weekend", "last weekend (2026-02-07)"),
        ("next week", "next week (week of 2026-02-16)"),
        ("next year, last month", "next year (2027), last month (January 2026)"),
        ("yesterday (2026-02-10)", "yesterday (2026-02-10)"),
        ("yesterday's build", "yesterday's build"),
        ("the last item, in a week of work", "the last item, in a week of work"),
    ],
)
def test_relative_dates_get_the_date_they_mean(text: str, dated: str) -> None:
    assert with_dates(text, WEDNESDAY) == dated


@given(st.text(max_size=60), st.datetimes(min_value=datetime(1990, 1, 1)))
def test_dating_twice_changes_nothing(text: str, on: datetime) -> None:
    once = with_dates(f"{text} yesterday and {text} last Monday.", on)
    assert with_dates(once, on) == once
    assert with_dates(text, None) == text


def test_the_days_that_a_text_speaks_of() -> None:
    assert dates_meant("It broke last Friday, and last month too.", WEDNESDAY) == [
        "2026-02-06",
        "January 2026",
    ]
    assert dates_meant("It broke yesterday (2026-02-10).", WEDNESDAY) == ["2026-02-10"]
    assert dates_meant("It is broken, 2026 times.", WEDNESDAY) == []
