"""What daily users reach for: ranges, all, panes by number, the new memory, the theme kept."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.frame import type_ahead
from memtui.tui.widgets.key_bar import KeyBar
from store import Memory
from store.operations.apply import Applied
from store.operations.plan import GoesOn, Plan
from store.settings.files import user_file
from tests.flows.stage import browse, fill, open_at, press, rows, running, settled, swap, write
from tests.flows.stories import observations, toasts

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return fill(tmp_path / "memory", observations())


def words(pilot: Pilot[None]) -> list[str]:
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

    async with running(store, opening=opening) as pilot:
        first, second = (hit.entry.id for hit in rows(pilot).rows[:2])
        await press(pilot, "a", "p")
        await settled(pilot)
        with open_at(store) as memory:
            assert memory.get(first).archived
            assert not memory.get(first).pinned
            assert memory.get(second).pinned


async def test_ranges_are_selected_and_the_archive_key_says_where_it_restores(store: Path) -> None:
    async with running(store) as pilot:
        ids = [hit.entry.id for hit in rows(pilot).rows]
        await press(pilot, "j", "v", "j", "j", "v")
        assert [hit.entry.id for hit in rows(pilot).selection] == ids[1:4]
        await press(pilot, "asterisk")
        assert [hit.entry.id for hit in rows(pilot).selection] == ids
        await press(pilot, "asterisk")
        assert rows(pilot).selection == ()
        assert "archive" in words(pilot)
        await press(pilot, "a")
        browse(pilot).set_query("is:archived")
        await settled(pilot)
        at = rows(pilot).rows[0].entry.id
        assert "restore" in words(pilot)
        assert "archive" not in words(pilot)
        await press(pilot, "a")
        with open_at(store) as memory:
            assert not memory.get(at).archived


async def test_theme_and_searches_are_kept(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with running(store) as pilot:
        await press(pilot, "ctrl+p", *"theme", "enter")
        await press(pilot, "down", "down", "down")
        assert pilot.app.theme == "nord"
        assert not user_file().exists()
        await press(pilot, "escape")
        assert pilot.app.theme == "memtui"
        await press(pilot, "ctrl+p", *"theme", "enter")
        await press(pilot, *"nord", "enter")
        assert toasts(pilot) == []
        assert user_file().read_text() == 'theme = "nord"\n'
        for query in ("lock", "agent:devops", "retry"):
            await write(pilot, query)
            await press(pilot, "escape", "escape")
        await press(pilot, "slash", "up")
        assert browse(pilot).query_line == "retry"
        await press(pilot, "down", "up", "up")
        assert browse(pilot).query_line == "agent:devops"
        await press(pilot, "up")
        assert browse(pilot).query_line == "lock"
    async with running(store, theme="") as pilot:
        assert pilot.app.theme == "nord"
        await press(pilot, "slash", "up")
        assert browse(pilot).query_line == "retry"
