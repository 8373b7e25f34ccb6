"""Formatting, and places that can't be written."""

from __future__ import annotations

import errno
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.formatting import age, day, fit, moment
from memtui.read_only import name_store
from memtui.startup import project_title
from store.errors import ReadOnly
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


@given(st.datetimes(datetime(1, 1, 2), timezones=st.just(UTC)))
def test_an_age_never_takes_more_than_four_cells(then: datetime) -> None:
    assert 2 <= len(age(then, NOW)) <= 4


@pytest.mark.parametrize(
    ("ago", "shown"),
    [
        (timedelta(hours=3), "today 09:00"),
        (timedelta(hours=13), "2026-03-01 23:00"),
        (-timedelta(minutes=5), "today 12:05"),
    ],
)
def test_moments_of_today(ago: timedelta, shown: str) -> None:
    assert moment(NOW - ago, NOW) == shown


@pytest.mark.parametrize("hours", [-12, 14])
def test_a_time_at_the_end_of_the_calendar_is_told_in_every_zone(hours: int) -> None:
    there = NOW.astimezone(timezone(timedelta(hours=hours)))
    for then in (UNDATED + timedelta(seconds=1), datetime.max.replace(tzinfo=UTC)):
        assert moment(then, there).startswith(day(then, there))


@given(st.text(max_size=30), st.integers(0, 20), st.sampled_from(["left", "right"]))
def test_fitted_text_takes_exactly_its_cells(text: str, width: int, align: str) -> None:
    text = "".join(letter for letter in text if letter.isprintable())
    assert cell_len(fit(text, width, align=align)) == width  # type: ignore[arg-type]


def test_wide_letters_are_cut_whole() -> None:
    assert fit("決定決定", 5) == "決定…"
    assert fit("決定決定", 4) == "決 …"
    assert fit("ab", 4, align="right") == "  ab"


@pytest.mark.parametrize("name", [".agentx/memory", ".memory"])
def test_the_title_names_the_project_that_a_memory_lies_in(tmp_path: Path, name: str) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert project_title(tmp_path / "shop" / name) == "shop · main"
    assert project_title(tmp_path / "notes").endswith("notes")


# The sentence for a memory that can't be written, whichever of its files was tried.


MEMORY = Path("/work/.agentx/memory")


@pytest.mark.parametrize("name", ["memory/issue-1.json", "state/clarifications/.lock"])
def test_the_memory_is_named(name: str) -> None:
    refused = PermissionError(errno.EACCES, "Permission denied", str(MEMORY.parent / name))
    with pytest.raises(ReadOnly) as raised, name_store(MEMORY):
        raise ReadOnly("A file could not be written.") from refused
    assert raised.value.message == (
        "The memory in /work/.agentx/memory can't be written: its permissions forbid it."
    )
