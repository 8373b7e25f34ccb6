"""Windows as small as 40x10, where one pane shows at a time, and as large as 200x50."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.content import Content
from textual.widget import Widget

from memtui.tui.browse.panes import AgentList, CategoryTree
from memtui.tui.browse.results import ResultList
from memtui.tui.injection.candidates import CandidatesPane
from memtui.tui.memory.pane import ObservationView
from memtui.tui.widgets.bars import KeyBar
from tests.flows.stage import Compare, app_on, go_home, press, pressing, settled

pytestmark = pytest.mark.usefixtures("still")

SMALL = (40, 10)


PANES: tuple[tuple[str, type[Widget]], ...] = (
    ("3", ResultList),
    ("1", AgentList),
    ("2", CategoryTree),
    ("4", ObservationView),
    ("3", ResultList),
    ("i", CandidatesPane),
)


async def test_a_pane_has_room(sample: Path) -> None:
    async with app_on(sample).run_test(size=SMALL) as pilot:
        await settled(pilot)
        for key, pane in PANES:
            await press(pilot, key)
            shown = pilot.app.screen.query_one(pane)
            assert shown.display, key
            assert shown.size.height >= 3, key
            assert shown.size.width >= 34, key


async def test_the_way_out_is_not_cut(sample: Path) -> None:
    async with app_on(sample).run_test(size=SMALL) as pilot:
        await settled(pilot)
        for keys in ((), ("H",), ("comma",), ("S",), ("i",), ("A",)):
            await press(pilot, *keys)
            bar = pilot.app.screen.query_one(KeyBar).render()
            assert isinstance(bar, Content)
            assert bar.plain.endswith("q quit" if not keys else "? help"), keys
            assert not keys or "esc back" in bar.plain
            await go_home(pilot)


def test_browse(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), terminal_size=SMALL, run_before=settled)


def test_injection(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), terminal_size=SMALL, run_before=pressing("i"))
