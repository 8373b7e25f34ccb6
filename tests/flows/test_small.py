"""Windows as small as 40x10, where one pane shows at a time."""

from __future__ import annotations

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widget import Widget

from memtui.tui.browse.agent_list import AgentList
from memtui.tui.browse.category_tree import CategoryTree
from memtui.tui.browse.results import ResultList
from memtui.tui.injection.candidates import CandidatesPane
from memtui.tui.memory.pane import ObservationView
from memtui.tui.widgets.key_bar import KeyBar
from tests.flows.pictures import resized
from tests.flows.stage import Looks, go_home, press

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


async def test_a_pane_has_room(pilot: Pilot[None], looks: Looks) -> None:
    await resized(pilot, SMALL)
    assert await looks(pilot, "browse")
    for key, pane in PANES:
        await press(pilot, key)
        shown = pilot.app.screen.query_one(pane)
        assert shown.display, key
        assert shown.size.height >= 3, key
        assert shown.size.width >= 34, key
    assert await looks(pilot, "injection")


async def test_the_way_out_is_not_cut(pilot: Pilot[None]) -> None:
    await resized(pilot, SMALL)
    for keys in ((), ("H",), ("comma",), ("S",), ("i",), ("A",)):
        await press(pilot, *keys)
        bar = pilot.app.screen.query_one(KeyBar).render()
        assert isinstance(bar, Content)
        assert bar.plain.endswith("q quit" if not keys else "? help"), keys
        assert not keys or "esc back" in bar.plain
        await go_home(pilot)
