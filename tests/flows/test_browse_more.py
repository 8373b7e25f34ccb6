"""What daily users reach for: ranges, all, panes by number, the new memory, the theme kept."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static, TextArea

from memtui.tui.browse.results import ResultList
from memtui.tui.dialogs.counted import AgentPicker
from memtui.tui.frame import type_ahead
from memtui.tui.injection.request_bar import RequestLine
from memtui.tui.injection.screen import InjectionScreen
from memtui.tui.widgets.key_bar import KeyBar
from store import Memory
from store.operations.apply import Applied
from store.operations.plan import GoesOn, Plan
from store.settings.files import user_file
from tests.flows.stage import NORMAL, app_on, browse, fill, open_at, press, settled, swap, write
from tests.flows.stories import observations, toasts
from tests.store.factories import observation

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return fill(tmp_path / "memory", observations())


def rows(pilot: Pilot[None]) -> ResultList:
    return browse(pilot).query_one(ResultList)


def words(pilot: Pilot[None]) -> list[str]:
    """The words of the keys at the bottom."""
    return [key[2] for key in pilot.app.screen.query_one(KeyBar).keys]


def emptiness(pilot: Pilot[None]) -> str:
    """What stands where the rows would."""
    return str(browse(pilot).query_one("#sentence", Static).render())


async def test_where_all_is_archived_nothing_seems_lost(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "asterisk", "a", "enter")
        assert not rows(pilot).total
        assert "Everything here is archived." in emptiness(pilot)
        assert "is:archived" in emptiness(pilot)
        await press(pilot, "u")
        assert rows(pilot).total == len(observations())


async def test_without_a_memory_no_search_is_to_blame(nothing: Path) -> None:
    async with app_on(nothing).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        assert "Write one:  n" in emptiness(pilot)
        await press(pilot, "o")
        assert "No memories yet." in emptiness(pilot)


async def test_columns_stay_while_one_types_and_fit_what_was_found_then(store: Path) -> None:
    with open_at(store) as memory:
        memory.store([observation(agent="a-name-of-twenty-let", content="Other.", id="obs-long")])
    async with app_on(store).run_test(size=(200, 50)) as pilot:
        await settled(pilot)
        wide = rows(pilot)._columns
        await press(pilot, "slash", *"lock")
        assert rows(pilot)._columns == wide
        await press(pilot, "enter", "escape")
        narrow = rows(pilot)._columns
        assert narrow.agent < wide.agent
        await press(pilot, "escape")
        assert rows(pilot)._columns == wide


async def test_keys_wait_for_an_operation_however_long_it_takes(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type_ahead, "_HELD", 0.02)

    def opening(path: Path) -> Memory:
        memory = open_at(path)
        apply = memory.apply

        def slowly(plan: Plan, goes_on: GoesOn | None = None) -> Applied:
            time.sleep(0.2)
            return apply(plan, goes_on)

        swap(memory, "apply", slowly)
        return memory

    async with app_on(store, opening=opening).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        first, second = (hit.entry.id for hit in rows(pilot).hits[:2])
        await press(pilot, "a", "p")
        await settled(pilot)
        with open_at(store) as memory:
            assert memory.get(first).archived
            assert not memory.get(first).pinned
            assert memory.get(second).pinned


async def test_a_range_and_all_are_selected(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        ids = [hit.entry.id for hit in rows(pilot).hits]
        await press(pilot, "j", "v", "j", "j", "v")
        assert [hit.entry.id for hit in rows(pilot).selection] == ids[1:4]
        await press(pilot, "asterisk")
        assert [hit.entry.id for hit in rows(pilot).selection] == ids
        await press(pilot, "asterisk")
        assert rows(pilot).selection == ()


async def test_a_range_follows_the_cursor_until_it_ends(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        ids = [hit.entry.id for hit in rows(pilot).hits]

        def chosen() -> list[str]:
            return [hit.entry.id for hit in rows(pilot).selection]

        await press(pilot, "j", "v", "j", "j")
        assert chosen() == ids[1:4]
        await press(pilot, "ctrl+r")
        await settled(pilot)
        await press(pilot, "k")
        assert chosen() == ids[1:3]
        await press(pilot, "escape", "v", "j")
        assert chosen() == ids[2:4]
        await press(pilot, "v", "j")
        assert chosen() == ids[2:4]


async def test_all_means_those_that_are_not_loaded_yet_too(tmp_path: Path) -> None:
    path = fill(tmp_path / "memory", [observation(f"Fact {number}") for number in range(130)])
    async with app_on(path).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        assert rows(pilot).loaded == 50
        await press(pilot, "asterisk")
        await settled(pilot)
        assert len(rows(pilot).selection) == 130


async def test_panes_have_numbers(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        for key, name in (
            ("1", "agents"),
            ("2", "categories"),
            ("4", "observation"),
            ("3", "results"),
        ):
            await press(pilot, key)
            assert pilot.app.focused is not None
            assert pilot.app.focused.id == name


async def test_the_key_that_archives_says_restore_where_it_restores(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        assert "archive" in words(pilot)
        await press(pilot, "a")
        await settled(pilot)
        browse(pilot).set_query("is:archived")
        await settled(pilot)
        at = rows(pilot).hits[0].entry.id
        assert "restore" in words(pilot)
        assert "archive" not in words(pilot)
        await press(pilot, "a")
        with open_at(store) as memory:
            assert not memory.get(at).archived


async def test_a_new_memory_is_the_selected_one(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "G", "n")
        pilot.app.screen.query_one(TextArea).insert("Ask the lock who holds it.")
        await settled(pilot)
        await press(pilot, "ctrl+s")
        await settled(pilot)
        hit = rows(pilot).hit
        assert hit is not None
        assert "Ask the lock" in hit.entry.summary


async def test_the_theme_that_is_chosen_is_kept(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        pilot.app.theme = "nord"
        await settled(pilot)
        assert toasts(pilot) == []
    assert user_file().read_text() == 'theme = "nord"\n'
    async with app_on(store, theme="").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        assert pilot.app.theme == "nord"


async def test_up_from_the_first_row_walks_back_through_the_searches(sample: Path) -> None:
    async with app_on(sample).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        for words in ("lock", "agent:devops", "retry"):
            await write(pilot, words)
            await press(pilot, "escape", "escape")
        await press(pilot, "slash", "up")
        assert browse(pilot).query_line == "retry"
        await press(pilot, "down", "up", "up")
        assert browse(pilot).query_line == "agent:devops"
        await press(pilot, "up")
        assert browse(pilot).query_line == "lock"
    async with app_on(sample).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "slash", "up")
        assert browse(pilot).query_line == "retry"


async def test_the_gauge_and_what_the_preview_asks_for_are_clicked(sample: Path) -> None:
    async with app_on(sample).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await pilot.click("#gauge")
        await settled(pilot)
        assert isinstance(pilot.app.screen, InjectionScreen)
        await pilot.click(RequestLine, offset=(6, 0))
        await settled(pilot)
        assert isinstance(pilot.app.screen_stack[-1], AgentPicker)
