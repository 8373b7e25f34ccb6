"""What the keys of Browse do."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.worker import Worker

from memtui.tui.browse.panes import Panes
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.browse.search import Request
from memtui.tui.browse.search_box import SearchBar
from memtui.tui.memory.screen import ObservationScreen
from memtui.tui.widgets.key_bar import KeyBar
from store import Memory
from tests.flows.pictures import resized
from tests.flows.stage import (
    Looks,
    browse,
    burst,
    press,
    rows,
    running,
    screen_text,
    settled,
    write,
)

pytestmark = pytest.mark.usefixtures("still")


def panes(pilot: Pilot[None]) -> Panes:
    return browse(pilot).query_one(Panes)


async def test_moving_with_letters_and_arrows(pilot: Pilot[None]) -> None:
    assert rows(pilot).has_focus
    assert (rows(pilot).row_count, rows(pilot).total, rows(pilot).cursor) == (50, 340, 0)
    await press(pilot, "j", "down", "j", "k")
    assert rows(pilot).cursor == 2
    await press(pilot, "up", "up", "up")
    assert rows(pilot).cursor == 0
    await press(pilot, "pagedown")
    assert rows(pilot).cursor > 5
    await press(pilot, "g")
    assert rows(pilot).cursor == 0


async def test_more_rows_are_loaded_on_the_way_and_all_for_the_last(
    many: Path, looks: Looks
) -> None:
    async with running(many) as pilot:
        await press(pilot, "tab", "tab", "G")
        assert await looks(pilot, "many_agents")
        await press(pilot, "3")
        assert (rows(pilot).row_count, rows(pilot).total) == (50, 350)
        await press(pilot, "pagedown", "pagedown")
        assert rows(pilot).row_count == 150
        await burst(pilot, "G", "enter")
        assert (rows(pilot).row_count, rows(pilot).cursor) == (350, 349)
        assert isinstance(pilot.app.screen, ObservationScreen)


async def test_a_burst_of_keys_lands_where_it_was_meant(
    pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    await burst(pilot, "slash", *"page", "space", *"zoom", "enter")
    assert browse(pilot).query_line == "page zoom"
    await burst(pilot, "escape", "escape", "number_sign", *"181", "enter", "tab", "tab")
    assert browse(pilot).query_line.startswith("issue:181")
    assert panes(pilot).agents.has_focus
    browse(pilot).set_query("")
    await press(pilot, "slash")
    asked: list[str] = []
    find = BrowseScreen._find

    def noted(
        screen: BrowseScreen,
        memory: Memory,
        request: Request,
        held: AbstractContextManager[None],
    ) -> Worker[None]:
        asked.append(request.typed)
        return find(screen, memory, request, held)

    monkeypatch.setattr(BrowseScreen, "_find", noted)
    await burst(pilot, *"rollback", "enter")
    assert asked == ["rollback"]
    assert isinstance(pilot.app.screen, ObservationScreen)
    hit = rows(pilot).at
    assert hit is not None
    assert "roll" in (hit.entry.summary + hit.snippet).lower()


async def test_escape_leaves_step_by_step_and_never_quits(pilot: Pilot[None]) -> None:
    await write(pilot, "page")
    await press(pilot, "enter", "escape")
    assert pilot.app.screen is browse(pilot)
    assert browse(pilot).query_line == "page"
    await press(pilot, "escape")
    assert browse(pilot).query_line == ""
    await press(pilot, "escape", "escape")
    assert pilot.app.is_running
    assert rows(pilot).total == 340


async def test_q_goes_back_from_where_one_went_in_and_quits_at_home(sample: Path) -> None:
    async with running(sample) as pilot:
        for key in ("s", "enter"):
            await press(pilot, key)
            assert pilot.app.screen is not browse(pilot)
            await press(pilot, "q")
            assert pilot.app.screen is browse(pilot)
        await press(pilot, "slash", "q")
        assert pilot.app.is_running
        await press(pilot, "escape")
        await press(pilot, "q")
    assert pilot.app.return_code == 0


async def test_tab_goes_round_the_panes(pilot: Pilot[None]) -> None:
    seen = []
    for _ in range(4):
        await press(pilot, "tab")
        assert pilot.app.focused is not None
        seen.append(pilot.app.focused.id)
    assert seen == ["observation", "agents", "categories", "results"]
    await press(pilot, "shift+tab")
    assert panes(pilot).categories.has_focus
    for key, name in (("1", "agents"), ("4", "observation"), ("3", "results")):
        await press(pilot, key)
        assert pilot.app.focused is not None
        assert pilot.app.focused.id == name


async def test_choosing_and_typing_are_one_query(pilot: Pilot[None]) -> None:
    await press(pilot, "tab", "tab", "j", "space")
    assert browse(pilot).query_line == "agent:engineer "
    assert rows(pilot).total == 94
    await press(pilot, "j", "enter")
    assert browse(pilot).query_line == "agent:engineer,devops "
    await press(pilot, "tab", "j", "space")
    assert browse(pilot).query_line == "category:decision agent:engineer,devops "
    await write(pilot, "page")
    assert browse(pilot).query_line == "category:decision agent:engineer,devops page"
    await press(pilot, "escape", "tab", "tab", "g", "space")
    assert browse(pilot).query_line == "category:decision page"


async def test_zoom_gives_a_pane_the_screen(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "tab", "z")
    assert await looks(pilot, "zoomed_observation")
    assert panes(pilot).observation.display
    assert not panes(pilot).results.display
    assert not panes(pilot).gauge.display
    await press(pilot, "tab")
    assert panes(pilot).observation.has_focus
    await press(pilot, "escape")
    assert panes(pilot).results.display
    await press(pilot, "z", "slash", "a")
    assert browse(pilot).query_one(SearchBar).has_focus
    assert panes(pilot).results.display


async def test_any_size_works(pilot: Pilot[None]) -> None:
    for size in ((1, 1), (40, 12)):
        await resized(pilot, size)
        await press(pilot, "j", "tab", "tab", "number_sign", "escape")
        await press(pilot, "question_mark", "escape")
        await write(pilot, "agent:e")
        assert pilot.app.is_running, size
        await press(pilot, "escape", "escape")


async def test_completing_a_field_and_a_value(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", *"ag", "right")
    assert browse(pilot).query_line == "agent:"
    await press(pilot, *"re")
    assert "Next session" in screen_text(pilot)  # there is no agent "re"
    await press(pilot, "tab")
    assert browse(pilot).query_line == "agent:reviewer "
    assert "Budget reviewer" in screen_text(pilot)
    assert browse(pilot).query_one(SearchBar).has_focus
    await press(pilot, *"category", "colon", "down", "enter")
    chosen = browse(pilot).query_line
    assert chosen.startswith("agent:reviewer category:")
    assert chosen.endswith(" ")
    await press(pilot, "tab", *"age")
    assert browse(pilot).query_line == f"{chosen}age"


async def test_clicking(pilot: Pilot[None]) -> None:
    await pilot.click("#agents", offset=(5, 3))
    await settled(pilot)
    assert browse(pilot).query_line == "agent:devops "
    await pilot.click("#results", offset=(5, 4))
    await settled(pilot)
    assert rows(pilot).cursor == 4
    await pilot.click("#results", offset=(5, 4), times=2)
    await settled(pilot)
    assert isinstance(pilot.app.screen, ObservationScreen)
    await press(pilot, "escape")
    x = browse(pilot).query_one(KeyBar).render().plain.index("search")  # type: ignore[union-attr]
    await pilot.click("#keys", offset=(x + 3, 0))
    await settled(pilot)
    assert browse(pilot).query_one(SearchBar).has_focus
    await press(pilot, "end", *"category", "colon", "l")
    await pilot.click("#completions", offset=(6, 1))
    await settled(pilot)
    assert browse(pilot).query_line == "agent:devops category:lesson "
