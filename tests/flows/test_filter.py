"""`/` filters a list as one types, on every screen that has no search of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.pilot import Pilot

from memtui.tui.dialogs.choice_picker import ChoicePicker
from memtui.tui.export.save import CopyScreen
from memtui.tui.injection.comparison import DiffList
from memtui.tui.memory.screen import RelatedList
from memtui.tui.reports.overview import OverviewList, OverviewScreen
from memtui.tui.widgets.filter_box import FilterBox
from tests.flows.stage import Looks, at_home, burst, press, running, screen_text
from tests.flows.stories import eventful, toasts, worked_on

pytestmark = pytest.mark.usefixtures("still")


def report_list(pilot: Pilot[None]) -> OverviewList[Any]:
    rows = pilot.app.screen.query_one("OverviewList")
    assert isinstance(rows, OverviewList)
    return rows


def listed(pilot: Pilot[None]) -> list[str]:
    """The rows of a report screen as they are drawn, without the headings."""
    rows = report_list(pilot)
    drawn = [rows.draw(row, -1, 200) for row in rows.rows if not isinstance(row, str)]
    return [content.plain.strip() for content in drawn]


@pytest.mark.parametrize(("key", "story"), [("H", worked_on), ("A", eventful)])
async def test_rows_follow_what_is_typed(
    tmp_path: Path, key: str, story: Callable[[Path], Path], looks: Looks
) -> None:
    async with running(story(tmp_path)) as pilot:
        await press(pilot, key)
        everything = listed(pilot)
        await press(pilot, "slash", *"ARCHIVE")
        some = listed(pilot)
        assert 0 < len(some) < len(everything)
        assert some == [row for row in everything if "archive" in row.casefold()]
        if key == "H":
            assert await looks(pilot, "history_filtered")
        await press(pilot, *" nowhere")
        assert listed(pilot) == []
        assert "Nothing matches." in screen_text(pilot)
        await press(pilot, *["backspace"] * len(" nowhere"), "enter")
        assert listed(pilot) == some
        assert isinstance(pilot.app.focused, OverviewList)
        await press(pilot, "escape")
        assert listed(pilot) == everything
        assert isinstance(pilot.app.screen, OverviewScreen)
        await press(pilot, "escape")
        assert at_home(pilot)


async def test_settings_are_found_by_subject_and_meaning(pilot: Pilot[None]) -> None:
    await press(pilot, "comma", "slash", *"megabytes activity")
    assert [row.split()[0] for row in listed(pilot)] == ["activity_mb", "recall_texts_mb"]
    assert report_list(pilot).rows[0] == "Activity"
    await press(pilot, "escape")
    assert not pilot.app.screen.query_one(FilterBox).display


class Numbers(OverviewList[int]):
    drawn = 0

    def draw(self, row: int, index: int, width: int) -> Content:
        self.drawn += width == 1_000
        return Content(f"number {row}")


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield Numbers()


async def test_each_row_is_drawn_once_for_all_that_is_typed() -> None:
    async with Shown().run_test() as pilot:
        rows = pilot.app.query_one(Numbers)
        rows.list_rows(range(5_000))
        for typed in ("n", "num", "num 49", "num 499"):
            rows.narrow(typed)
        assert rows.rows == [499, 1499, 2499, 3499, 4499, *range(4990, 5000)]
        assert rows.drawn == 5_000


async def test_short_pickers_filter_too(pilot: Pilot[None]) -> None:
    await press(pilot, "c")
    picker = pilot.app.screen
    assert isinstance(picker, ChoicePicker)
    everything = len(picker.list.rows)
    await press(pilot, "slash", *"PRUNE old")
    assert [row.name for row in picker.list.rows] == ["Prune the oldest"]
    await press(pilot, *" nothing")
    assert "Nothing matches." in screen_text(pilot)
    await press(pilot, "escape")
    assert len(picker.list.rows) == everything
    assert pilot.app.focused is picker.list
    await press(pilot, "escape")
    assert at_home(pilot)


async def test_related_memories_are_filtered(pilot: Pilot[None]) -> None:
    await press(pilot, "enter")  # wherever the focus is
    related = pilot.app.screen.query_one(RelatedList)
    first = related.rows[0].observation.summary
    word = max(first.split(), key=len)
    await press(pilot, "slash", *word)
    shown = [row.observation.summary for row in related.rows]
    assert first in shown
    assert all(word in text for text in shown)
    await press(pilot, "escape")
    assert pilot.app.focused is related


async def test_what_would_change_is_filtered(pilot: Pilot[None]) -> None:
    await press(pilot, "i", "D")
    await press(pilot, *["minus"] * 6)
    rows = pilot.app.screen.query_one(DiffList)
    everything = len(rows.rows)
    word = f"#{rows.rows[0].candidate.observation.issue_number}"
    await press(pilot, "slash", *word)
    assert 0 < len(rows.rows) <= everything
    assert all(word in row.text for row in rows.rows)
    await press(pilot, "escape")
    assert len(rows.rows) == everything


async def test_what_to_copy_is_filtered(pilot: Pilot[None]) -> None:
    await press(pilot, "y", "slash", *"scripts")
    picker = pilot.app.screen
    assert isinstance(picker, CopyScreen)
    assert [row.name for row in picker.list.rows] == ["id"]
    await press(pilot, "enter", "1")  # the keys of rows that are not listed still copy them
    assert at_home(pilot)
    assert pilot.app.clipboard.startswith("Signature capture on glass")


@pytest.mark.parametrize("keys", ["s", "question_mark b", "c enter"])
async def test_words_for_no_filter_are_no_commands(pilot: Pilot[None], keys: str) -> None:
    await press(pilot, *keys.split())
    screen = pilot.app.screen
    await burst(pilot, "slash", *"quSq")
    assert pilot.app.screen is screen
    assert "Nothing to filter here." in toasts(pilot)
    await press(pilot, "q")
    assert pilot.app.screen is not screen
