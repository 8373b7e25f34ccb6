"""What daily users reach for: ranges, all, panes by number, the new memory, the theme kept."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.browse.results import ResultList
from memtui.tui.frame import type_ahead
from memtui.tui.widgets.bars import KeyBar
from store import Memory
from store.operations.apply import Applied
from store.operations.plan import GoesOn, Plan
from store.settings.files import user_file
from tests.flows.stage import NORMAL, app_on, browse, fill, open_at, press, settled, swap, write
from tests.flows.stories import observations, toasts

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return fill(tmp_path / "memory", observations())


def rows(pilot: Pilot[None]) -> ResultList:
    return browse(pilot).query_one(ResultList)


def words(pilot: Pilot[None]) -> list[str]:
    """The words of the keys at the bottom."""
    return [key[2] for key in pilot.app.screen.query_one(KeyBar).keys]


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
        first, second = (hit.entry.id for hit in rows(pilot).rows[:2])
        await press(pilot, "a", "p")
        await settled(pilot)
        with open_at(store) as memory:
            assert memory.get(first).archived
            assert not memory.get(first).pinned
            assert memory.get(second).pinned


async def test_a_range_and_all_are_selected(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        ids = [hit.entry.id for hit in rows(pilot).rows]
        await press(pilot, "j", "v", "j", "j", "v")
        assert [hit.entry.id for hit in rows(pilot).selection] == ids[1:4]
        await press(pilot, "asterisk")
        assert [hit.entry.id for hit in rows(pilot).selection] == ids
        await press(pilot, "asterisk")
        assert rows(pilot).selection == ()


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
        at = rows(pilot).rows[0].entry.id
        assert "restore" in words(pilot)
        assert "archive" not in words(pilot)
        await press(pilot, "a")
        with open_at(store) as memory:
            assert not memory.get(at).archived


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
