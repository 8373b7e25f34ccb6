"""The help of a screen: its keys, found by words and run from there."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from memtui.tui.help.screen import HelpScreen, KeyList
from memtui.tui.reports.history import HistoryScreen
from tests.flows.stage import NARROW, SIZES, Looks, at_home, browse, press

pytestmark = pytest.mark.usefixtures("still")


def words(pilot: Pilot[None]) -> list[str]:
    return [
        row.word for row in pilot.app.screen.query_one(KeyList).rows if not isinstance(row, str)
    ]


async def test_a_key_is_found_and_run(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "question_mark", "slash", *"30 days")
    assert words(pilot) == ["history"]
    assert await looks(pilot, "help_filtered", SIZES)
    await press(pilot, "enter", "enter")
    assert isinstance(pilot.app.screen, HistoryScreen)


async def test_an_action_is_run_where_its_key_would_have_been(pilot: Pilot[None]) -> None:
    await press(pilot, "question_mark", "slash", *"next sort", "enter", "enter")
    assert at_home(pilot)
    assert "sort:" in browse(pilot).query_line


async def test_only_keys_of_the_app_work_everywhere(pilot: Pilot[None]) -> None:
    await press(pilot, "S", "question_mark")
    rows = [row for row in pilot.app.screen.query_one(KeyList).rows if not isinstance(row, str)]
    groups = {row.word: row.group for row in rows}
    assert groups["all projects"] == groups["earlier folders"] == "Here"
    assert groups["quit"] == groups["history"] == "Everywhere"


async def test_escape_clears_the_words_then_leaves(pilot: Pilot[None]) -> None:
    await press(pilot, "question_mark", "slash", *"nowhere")
    assert words(pilot) == []
    await press(pilot, "escape")
    assert isinstance(pilot.app.screen, HelpScreen)
    assert len(words(pilot)) > 30
    await press(pilot, "escape")
    assert at_home(pilot)


async def test_a_meaning_that_is_cut_off_is_shown_whole(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "question_mark", "slash", *"stale", "enter")
    assert await looks(pilot, "help_narrow", (NARROW,))
