"""Dates and ages in a query."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.search.dates import parse_moment
from tests.store.factories import NOW


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-02", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-2-3", datetime(2026, 2, 3, tzinfo=UTC)),
        ("2026-02-27", datetime(2026, 2, 27, tzinfo=UTC)),
        ("today", datetime(2026, 3, 1, tzinfo=UTC)),
        ("Yesterday", datetime(2026, 2, 28, tzinfo=UTC)),
        ("12h", NOW - timedelta(hours=12)),
        ("7d", NOW - timedelta(days=7)),
        ("3W", NOW - timedelta(weeks=3)),
        ("6m", NOW - timedelta(days=180)),
        ("1y", NOW - timedelta(days=365)),
    ],
)
def test_a_date_is_its_start_and_an_age_a_moment_ago(text: str, moment: datetime) -> None:
    assert parse_moment(text, NOW) == moment


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13", "2026-02-30", "0000", "99999y", "7", "-7d", "7dd", "٢٠٢٦", "2026-01-"],
)
def test_anything_else_is_no_moment(text: str) -> None:
    assert parse_moment(text, NOW) is None


def test_days_are_those_of_the_reader() -> None:
    tokyo = timezone(timedelta(hours=9))
    now = datetime(2026, 3, 2, 8, tzinfo=tokyo)  # in UTC it is still the day before
    assert parse_moment("today", now) == datetime(2026, 3, 1, 15, tzinfo=UTC)
    assert parse_moment("yesterday", now) == datetime(2026, 2, 28, 15, tzinfo=UTC)
    assert parse_moment("2026-03-02", now) == datetime(2026, 3, 1, 15, tzinfo=UTC)


@given(st.text("0123456789-hdwmy ", max_size=12))
def test_no_text_raises(text: str) -> None:
    moment = parse_moment(text, NOW)
    assert moment is None or moment.tzinfo is UTC
