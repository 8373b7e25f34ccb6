from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.formatting import age, count, dated, day, fit, moment, percent, plural, short, since
from store.model import UNDATED

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=59), "now"),
        (timedelta(seconds=-5), "now"),
        (timedelta(minutes=1), "1m"),
        (timedelta(minutes=59, seconds=59), "59m"),
        (timedelta(hours=23), "23h"),
        (timedelta(days=13), "13d"),
        (timedelta(days=14), "2w"),
        (timedelta(days=59), "8w"),
        (timedelta(days=60), "2mo"),
        (timedelta(days=364), "12mo"),
        (timedelta(days=365), "1y"),
        (-timedelta(minutes=2), "+2m"),
        (-timedelta(days=3), "+3d"),
        (-timedelta(days=300), "+1y"),
        (-timedelta(days=365 * 300), "+99y"),
    ],
)
def test_ages(ago: timedelta, said: str) -> None:
    assert age(NOW - ago, NOW) == said


def test_an_age_in_a_sentence() -> None:
    day = timedelta(days=1)
    said = [since(NOW + days * day, NOW) for days in (-2, 0, 2)]
    assert said == ["2d ago", "just now", "in 2d"]


@given(st.datetimes(datetime(1, 1, 2), timezones=st.just(UTC)))
@settings(max_examples=50, deadline=None)
def test_an_age_never_takes_more_than_four_cells(then: datetime) -> None:
    assert 2 <= len(age(then, NOW)) <= 4


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0"), (9_999, "9,999"), (12_480, "12.5k"), (123_456, "123k"), (1_948_233, "1.9M")],
)
def test_short_numbers(number: int, said: str) -> None:
    assert short(number) == said


def test_counts_and_plurals() -> None:
    assert count(10_412) == "10,412"
    assert plural(1, "memory", "memories") == "1 memory"
    assert plural(2, "memory", "memories") == "2 memories"
    assert plural(0, "token") == "0 tokens"


def test_a_moment_is_told_in_the_readers_zone() -> None:
    then = datetime(2026, 2, 27, 23, 30, tzinfo=UTC)
    berlin = NOW.astimezone(timezone(timedelta(hours=1)))
    assert moment(then, berlin) == "2026-02-28 00:30"


def test_what_has_no_date_is_told_to_have_none() -> None:
    assert (moment(UNDATED, NOW), age(UNDATED, NOW), since(UNDATED, NOW)) == ("undated", "", "")
    assert (dated(UNDATED, NOW), day(UNDATED, NOW)) == ("undated", "undated")
    assert dated(NOW, NOW) == f"{moment(NOW, NOW)} (just now)"


@pytest.mark.parametrize("hours", [-12, 14])
def test_a_time_at_the_end_of_the_calendar_is_told_in_every_zone(hours: int) -> None:
    there = NOW.astimezone(timezone(timedelta(hours=hours)))
    for then in (UNDATED + timedelta(seconds=1), datetime.max.replace(tzinfo=UTC)):
        assert moment(then, there).startswith(day(then, there))


@given(st.text(max_size=30), st.integers(0, 20), st.sampled_from(["left", "right"]))
@settings(max_examples=100, deadline=None)
def test_fitted_text_takes_exactly_its_cells(text: str, width: int, align: str) -> None:
    text = "".join(letter for letter in text if letter.isprintable())
    assert cell_len(fit(text, width, align=align)) == width  # type: ignore[arg-type]


def test_wide_letters_are_cut_whole() -> None:
    assert fit("決定決定", 5) == "決定…"
    assert fit("決定決定", 4) == "決 …"
    assert fit("ab", 4, align="right") == "  ab"


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (19_991, 20_000, "99%"),
        (20_000, 20_000, "100%"),
        (20_001, 20_000, "100%"),
        (5_800, 20_000, "29%"),  # 100 * 0.29 is 28.999999999999996
        (0, 20_000, "0%"),
        (0, 0, "0%"),
        (7, 0, "100%"),
    ],
)
def test_a_share_is_cut_off(part: int, whole: int, said: str) -> None:
    assert percent(part, whole) == said
