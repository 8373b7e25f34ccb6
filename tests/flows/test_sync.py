"""Memories the same on all machines: seen before it is done, done, and undone in the app."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.browse.results import ResultList
from memtui.tui.dialogs.prompt import ConfirmScreen
from store.backends.user_data import KeptProject, mine_memory, projects_folder, write_project
from store.memory import Memory
from store.settings.schema import Settings
from store.sync.sync import Sync
from tests.flows.stage import NOW, SIZES, Looks, browse, open_at, press, running
from tests.flows.stories import observations, toasts
from tests.store.sync.machines import bare

pytestmark = pytest.mark.usefixtures("still")

REMOTE = "box:memory.git"


class _Homes:
    """Two machines and a repository between them."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._patch = monkeypatch
        bare(folder / "memory.git")
        config = folder / "gitconfig"
        config.write_text(f'[url "{folder}/"]\n\tinsteadOf = box:\n')
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
        monkeypatch.setenv("MEMTUI_SYNC_REMOTE", REMOTE)

    def go(self, name: str) -> Path:
        """Go to a machine; the user's own memory there."""
        for kind in ("CACHE", "DATA", "CONFIG", "STATE"):
            self._patch.setenv(f"XDG_{kind}_HOME", str(self.folder / name / kind.lower()))
        return mine_memory()

    def sync(self) -> None:
        Sync(
            Settings(sync_remote=REMOTE),
            clock=lambda: NOW,
            open_memory=lambda path: Memory(path, clock=lambda: NOW),
        ).run()


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Homes:
    return _Homes(tmp_path, monkeypatch)


async def sync(pilot: Pilot[None]) -> None:
    await press(pilot, "ctrl+p", *"sync", "enter")


async def test_what_goes_where_is_shown_done_and_undone(homes: _Homes, looks: Looks) -> None:
    first, *others = observations()
    with open_at(homes.go("one")) as memory:
        memory.store([first._replace(issue_number=0), *others[:2]])
    homes.sync()
    with open_at(homes.go("two")) as memory:
        memory.store(others[2:5])
    async with running(homes.go("two")) as pilot:
        await sync(pilot)
        assert await looks(pilot, "first_sync", SIZES)
        await press(pilot, "enter")
        assert toasts(pilot)[-1] == "Synced: 3 changes sent, 3 received · u to undo"
        assert len(browse(pilot).query_one(ResultList).rows) == 6
        await sync(pilot)
        assert toasts(pilot)[-1] == "All machines have the same memories."
        await press(pilot, "u")
        assert len(browse(pilot).query_one(ResultList).rows) == 3


async def test_how_what_came_to_other_memories_is_undone_is_said(homes: _Homes) -> None:
    first, second, third, *_ = observations()
    with open_at(homes.go("two")) as memory:
        memory.store([third])
    with open_at(homes.go("one")) as memory:
        memory.store([first])
    place = projects_folder() / "shop-1a2b3c4d"
    write_project(KeptProject(place, ("/shop",), ("host/me/shop",)))
    with open_at(place / ".agentx" / "memory") as memory:
        memory.store([second])
    homes.sync()
    async with running(homes.go("two")) as pilot:
        await sync(pilot)
        await press(pilot, "enter")
        shop = projects_folder() / "shop-1a2b3c4d-synced" / ".agentx" / "memory"
        elsewhere = f"What came elsewhere: memtui --dir {shop} undo"
        assert toasts(pilot)[-1] == (f"Synced: 1 change sent, 2 received. {elsewhere} · u to undo")


async def test_what_both_sides_edited_is_shown(homes: _Homes, looks: Looks) -> None:
    first, *_ = observations()
    mine = homes.go("one")
    with open_at(mine) as memory:
        memory.store([first])
    homes.sync()
    homes.go("two")
    homes.sync()
    for name, words in (("one", "Tabs."), ("two", "Spaces.")):
        later = NOW + timedelta(minutes=len(words))
        with Memory(homes.go(name), clock=lambda at=later: at) as memory:  # type: ignore[misc]
            memory.apply(memory.plan.edit(first.id, {"content": words}))
        if name == "one":
            homes.sync()
    async with running(homes.go("two")) as pilot:
        await sync(pilot)
        assert await looks(pilot, "sync_with_a_conflict", SIZES)
        await press(pilot, "enter", "enter", "r")
        assert await looks(pilot, "versions_of_two_machines")


async def test_without_a_repository_or_offline_it_says_so(
    homes: _Homes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_at(homes.go("one")) as memory:
        memory.store(observations())
    (homes.folder / "memory.git").rename(homes.folder / "away")
    async with running(homes.go("one")) as pilot:
        await sync(pilot)
        assert not isinstance(pilot.app.screen, ConfirmScreen)
        assert "can't be reached" in toasts(pilot)[-1]
    monkeypatch.delenv("MEMTUI_SYNC_REMOTE")
    async with running(homes.go("one")) as pilot:
        await sync(pilot)
        assert "No repository to sync with." in toasts(pilot)[-1]
