"""What the keys of Browse do."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from shutil import copytree

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea
from textual.worker import Worker

from memtui.hooks.next_session import next_session, starting
from memtui.tui.browse.agent_list import AgentList
from memtui.tui.browse.category_tree import CategoryTree
from memtui.tui.browse.panes import Panes
from memtui.tui.browse.results import ResultList
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.browse.search import Request
from memtui.tui.browse.search_bar import SearchBar
from memtui.tui.dialogs.counted import IssuePicker
from memtui.tui.help.screen import HelpScreen
from memtui.tui.injection.request_bar import TaskBox
from memtui.tui.memory.screen import ObservationScreen
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.paragraphs import Paragraphs
from memtui.tui.widgets.token_gauge import TokenGauge
from memtui.words.sentences import told_in_words
from store import Memory
from tests.flows.stage import (
    NARROW,
    NORMAL,
    app_on,
    browse,
    burst,
    go_home,
    open_at,
    press,
    settled,
    write,
)
from tests.flows.stories import with_keys

pytestmark = pytest.mark.usefixtures("still")


def rows(pilot: Pilot[None]) -> ResultList:
    return browse(pilot).query_one(ResultList)


def panes(pilot: Pilot[None]) -> Panes:
    return browse(pilot).query_one(Panes)


async def test_results_have_the_focus_and_the_first_row(pilot: Pilot[None]) -> None:
    assert rows(pilot).has_focus
    assert (rows(pilot).loaded, rows(pilot).total, rows(pilot).cursor) == (50, 340, 0)


BOXES: dict[str, tuple[tuple[str, ...], type[Input | TextArea]]] = {
    "picker": (("number_sign",), Input),
    "saving": (("x",), Input),
    "transcripts": (("C",), Input),
    "task": (("i", "T"), TaskBox),
    "palette": (("ctrl+p",), Input),
    "writing": (("n",), TextArea),
    "search": (("slash",), SearchBar),
}


async def test_no_box_blinks(pilot: Pilot[None]) -> None:
    for name, (keys, kind) in BOXES.items():
        await press(pilot, *keys)
        box = pilot.app.focused
        assert isinstance(box, kind), name
        assert not box.cursor_blink, name
        await go_home(pilot)


async def test_moving_with_letters_and_arrows(pilot: Pilot[None]) -> None:
    await press(pilot, "j", "down", "j", "k")
    assert rows(pilot).cursor == 2
    await press(pilot, "up", "up", "up")
    assert rows(pilot).cursor == 0
    await press(pilot, "pagedown")
    assert rows(pilot).cursor > 5
    await press(pilot, "g")
    assert rows(pilot).cursor == 0


async def test_the_end_loads_the_next_pages(many: Path) -> None:
    async with app_on(many).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        for loaded in (150, 250, 350, 350):
            await press(pilot, "G")
            assert rows(pilot).loaded == loaded
        assert rows(pilot).cursor == 349


async def test_letters_type_in_the_box_and_arrows_move_the_rows(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", *"jqz", "space", "g", "slash", "number_sign")
    assert browse(pilot).query_line == "jqz g/#"
    await press(pilot, "ctrl+u", *"page", "down", "down")
    assert rows(pilot).cursor == 2
    assert browse(pilot).query_one(SearchBar).has_focus


async def test_a_burst_of_keys_lands_where_it_was_meant(pilot: Pilot[None]) -> None:
    await burst(pilot, "slash", *"page", "space", *"zoom", "enter")
    assert browse(pilot).query_line == "page zoom"
    await burst(pilot, "escape", "escape", "number_sign", *"181", "enter", "tab", "tab")
    assert browse(pilot).query_line.startswith("issue:181")
    assert panes(pilot).agents.has_focus


async def test_letters_of_a_burst_are_searched_together(
    pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch
) -> None:
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
    await burst(pilot, *"rollback")
    assert browse(pilot).query_line == "rollback"
    assert asked == ["rollback"]


async def test_enter_waits_for_the_answer_of_what_was_just_typed(pilot: Pilot[None]) -> None:
    await burst(pilot, "slash", *"rollback", "enter")
    assert isinstance(pilot.app.screen, ObservationScreen)
    hit = rows(pilot).hit
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


async def test_q_quits_but_not_while_typing(sample: Path) -> None:
    async with app_on(sample).run_test(size=NORMAL) as pilot:
        await settled(pilot)
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


async def test_typing_a_filter_marks_the_lists(pilot: Pilot[None]) -> None:
    await write(pilot, "agent:tester layer:semantic")
    agents = browse(pilot).query_one(AgentList)
    lines = [agents.row(index, 30).plain for index in range(agents.row_count)]
    assert [line for line in lines if line.startswith("✓")] == [
        next(line for line in lines if "tester" in line)
    ]
    tree = browse(pilot).query_one(CategoryTree)
    assert tree.row(0, 30).plain.startswith("✓ ▾ semantic")


async def test_layers_fold(pilot: Pilot[None]) -> None:
    await press(pilot, "shift+tab", "j", "j")
    tree = panes(pilot).categories
    before = tree.row_count
    await press(pilot, "h")
    assert tree.row_count == before - 4
    assert "▸ semantic" in tree.row(tree.cursor, 30).plain
    await press(pilot, "l")
    assert tree.row_count == before
    await press(pilot, "space")
    assert browse(pilot).query_line == "layer:semantic "


async def test_picking_an_issue(pilot: Pilot[None]) -> None:
    await press(pilot, "number_sign", "1", "7", "6", "enter")
    assert browse(pilot).query_line == "issue:176 "
    await press(pilot, "number_sign", "enter")
    assert browse(pilot).query_line == ""
    await press(pilot, "number_sign", "x", "9", "9", "9", "enter")
    assert isinstance(pilot.app.screen, IssuePicker)
    await press(pilot, "escape")
    assert browse(pilot).query_line == ""


async def test_the_order_goes_round(pilot: Pilot[None]) -> None:
    orders = []
    for _ in range(5):
        await press(pilot, "o")
        orders.append(browse(pilot).query_line.strip())
    assert orders == [
        f"sort:{order}" for order in ("oldest", "tokens", "recalled", "relevance", "newest")
    ]


async def test_ctrl_twins_work_from_the_box(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", "ctrl+o")
    assert browse(pilot).query_line == "sort:oldest "
    await press(pilot, "ctrl+g")
    assert isinstance(pilot.app.screen, IssuePicker)
    await press(pilot, "escape", "f1")
    assert isinstance(pilot.app.screen, HelpScreen)
    await press(pilot, "escape", "ctrl+l")
    assert panes(pilot).zoomed is panes(pilot).results


async def test_help_and_no_match_name_chosen_keys(sample: Path, tmp_path: Path) -> None:
    path = copytree(sample, tmp_path / "memory")
    with_keys(path, clear="f2", manual="f3", back="f4")
    async with app_on(path).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await write(pilot, "category:handoff xyzzy agent:nobody")
        sentence = browse(pilot).query_one("#sentence", Static)
        assert str(sentence.content).endswith("; f2 clears the search.")
        await press(pilot, "escape", "question_mark")
        title = str(pilot.app.screen.query_one("#help-page").border_title)
        assert title.endswith("f3 manual · f4")


async def test_in_the_terminals_own_colours_the_row_one_is_at_stands_out(sample: Path) -> None:
    async with app_on(sample, theme="ansi-light").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        here, there = (
            [segment.style for segment in rows(pilot).render_line(y) if segment.text.strip()]
            for y in (0, 1)
        )
        assert all(style is not None and style.bold for style in here)
        assert not any(style is not None and style.bold for style in there)


async def test_help_tells_every_key_in_full(sample: Path) -> None:
    async with app_on(sample).run_test(size=NARROW) as pilot:
        await settled(pilot)
        tooltips = [each.binding.tooltip for each in pilot.app.screen.active_bindings.values()]
        await press(pilot, "question_mark")
        told = pilot.app.screen.query_one("#help-keys", Paragraphs).content.plain
        assert "…" not in told
        words = " ".join(told.split()).casefold()
        assert [it for it in tooltips if it.partition(",")[0].casefold() not in words] == []
        assert words.count("next pane") == 1


async def test_no_match_names_a_key_only_where_it_works(pilot: Pilot[None]) -> None:
    await write(pilot, "category:handoff xyzzy agent:nobody")
    sentence = browse(pilot).query_one("#sentence", Static)
    assert str(sentence.content).endswith("\nTry fewer words.")
    await press(pilot, "escape")
    assert str(sentence.content).endswith("\nTry fewer words; esc clears the search.")


async def test_zoom_gives_a_pane_the_screen(pilot: Pilot[None]) -> None:
    await press(pilot, "tab", "z")
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


async def test_narrow_windows_show_the_choices_while_one_is_in_them(sample: Path) -> None:
    async with app_on(sample).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert not panes(pilot).agents.is_on_screen
        await press(pilot, "tab", "tab")
        assert panes(pilot).agents.has_focus
        assert panes(pilot).agents.is_on_screen
        await press(pilot, "shift+tab", "shift+tab")
        assert not panes(pilot).agents.is_on_screen


async def test_any_size_works(sample: Path) -> None:
    async with app_on(sample).run_test(size=(1, 1)) as pilot:
        await settled(pilot)
        for size in ((1, 1), (10, 3), (40, 12), (300, 80)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            await press(pilot, "j", "tab", "tab", "number_sign", "escape")
            await press(pilot, "question_mark", "escape")
            await write(pilot, "agent:e")
            assert pilot.app.is_running, size
            await press(pilot, "escape", "escape")


async def test_completing_a_field_and_a_value(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", *"ag", "right")
    assert browse(pilot).query_line == "agent:"
    await press(pilot, *"re", "tab")
    assert browse(pilot).query_line == "agent:reviewer "
    assert browse(pilot).query_one(SearchBar).has_focus
    await press(pilot, *"category", "colon", "down", "enter")
    chosen = browse(pilot).query_line
    assert chosen.startswith("agent:reviewer category:")
    assert chosen.endswith(" ")
    await press(pilot, "tab", *"age")
    assert browse(pilot).query_line == f"{chosen}age"


async def test_tab_completes_what_is_shown_and_the_letters_after_it_type(
    pilot: Pilot[None],
) -> None:
    await burst(pilot, "slash", *"age", "tab", *"architect")
    assert browse(pilot).query_line == "agent:architect"
    assert browse(pilot).query_one(SearchBar).has_focus


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


async def test_the_gauge_shows_what_the_next_session_is_told(sample: Path) -> None:
    async with app_on(sample).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        gauge = browse(pilot).query_one(TokenGauge)
        with open_at(sample) as memory:
            told = memory.recall.plan(
                starting(memory, next_session("claude-code", sample.parent, {}))
            )
        assert gauge.filling is not None
        assert gauge.filling.label == "Next session"
        assert (gauge.filling.used, gauge.filling.unit) == (told.tokens, "tokens")
        assert gauge.filling.told == told_in_words(told.counts)
        assert gauge.filling.whose == "Claude Code"
        await press(pilot, "I")
        assert gauge.filling.whose == "Codex"


async def test_the_gauge_shows_the_recall_for_who_is_chosen(sample: Path) -> None:
    async with app_on(sample).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        gauge = browse(pilot).query_one(TokenGauge)
        await write(pilot, "agent:devops issue:176")
        assert gauge.filling is not None
        assert gauge.filling.label == "Budget #176 devops"
        with open_at(sample) as memory:
            assert gauge.filling.total == memory.recall.plan("devops", 176).tokens


async def test_half_typed_queries_never_fail(sample: Path) -> None:
    async with app_on(sample).run_test(size=NARROW) as pilot:
        await settled(pilot)
        for typed in ('"auth', "auth:", "(", "C++", "a:b", "-x", "is:", "sort:x", "x" * 5000):
            browse(pilot).set_query("")
            await write(pilot, typed)
            assert browse(pilot).query_line == typed
            assert isinstance(pilot.app.focused, SearchBar)


async def test_the_whole_observation_scrolls(strange: Path) -> None:
    async with app_on(strange).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await write(pilot, "category:procedure")
        await press(pilot, "enter")
        await press(pilot, "j", "j")
        page = pilot.app.screen.query_one("#page")
        assert page.scroll_offset.y == 2
        await press(pilot, "G")
        assert page.scroll_offset.y == page.max_scroll_y
        await press(pilot, "g")
        assert page.scroll_offset.y == 0


async def test_the_mouse_is_at_the_row_below_it(pilot: Pilot[None]) -> None:
    """Also in a list that is scrolled; beside the rows it is at none."""
    found, agents = rows(pilot), browse(pilot).query_one(AgentList)
    await pilot.hover("#results", offset=(5, 2))
    assert found.hovered == 2
    found.scroll_to(y=1, animate=False, force=True)
    await settled(pilot)
    assert found.scroll_offset.y == 1
    await pilot.hover("#results", offset=(6, 3))
    assert found.hovered == 4
    await pilot.click("#results", offset=(6, 1))
    assert found.cursor == 2
    agents.row_count = 2
    await pilot.hover("#agents", offset=(5, 2))
    assert [each.hovered for each in (found, agents)] == [None, 1]
    await pilot.hover("#agents", offset=(5, 3))
    assert agents.hovered is None


@pytest.mark.parametrize("key", "s A H S W exclamation_mark i enter question_mark c".split())
async def test_q_goes_back_from_where_one_went_in(pilot: Pilot[None], key: str) -> None:
    await press(pilot, key)
    assert pilot.app.screen is not browse(pilot)
    await press(pilot, "q")
    assert pilot.app.screen is browse(pilot)
    assert pilot.app.is_running
