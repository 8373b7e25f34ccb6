"""Three levels in the app: marked in lists, counted in the gauge, named in the preview, moved."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from store import Memory, Observation, open_memory
from store.backends.location import FOLDER, LEVELS
from store.backends.user_data import mine_memory
from store.model import FINDER
from tests.flows.stage import NOW, SIZES, Looks, press, running, screen_text, write
from tests.flows.stories import toasts
from tests.store.repositories import repository, tracked_project

pytestmark = pytest.mark.usefixtures("still")


def _memory(number: int, category: str, content: str, level: str, **more: object) -> Observation:
    fields = {"id": f"obs-engineer-0-1772400000000-level{number}", "level": level, **more}
    return Observation("engineer", 0, category, content, timestamp=NOW, **fields)  # type: ignore[arg-type]


HELD = (
    _memory(1, "lesson", "Always write the test before the fix", "mine", pinned=True),
    _memory(2, "key-fact", "My editor indents with four spaces", "mine"),
    _memory(3, "decision", "Carts are kept for one day in the session", "team", pinned=True),
    _memory(4, "error", "The build fails where the cache is older than the lock file", "team"),
    _memory(5, "handoff", "The export is half done: the totals are missing", "project"),
    _memory(6, "key-fact", "Sample data is in /home/ana/shop/samples", "project", pinned=True),
)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with memories of all levels, one of which names a home folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tracked_project(tmp_path / "shop")
    with _opened(root) as memory:
        memory.store(HELD)
    return root


def _opened(root: Path) -> Memory:
    return open_memory(f"{LEVELS}{root}", cache=root.parent / "cache", clock=lambda: NOW)


@asynccontextmanager
async def _app(root: Path) -> AsyncIterator[Pilot[None]]:
    async with running(root / FOLDER, opening=lambda _: _opened(root)) as pilot:
        yield pilot


async def test_levels_are_marked_counted_and_named(shop: Path, looks: Looks) -> None:
    async with _app(shop) as pilot:
        assert await looks(pilot, "levels are marked", SIZES)
        await press(pilot, "i")
        assert await looks(pilot, "the preview names levels", SIZES)
        await press(pilot, "escape", "slash")
        await write(pilot, "level:mine ")
        assert "2 of 6" in screen_text(pilot)


async def test_a_memory_moves_and_one_with_a_home_folder_stays(shop: Path, looks: Looks) -> None:
    async with _app(shop) as pilot:
        await press(pilot, "slash")
        await write(pilot, "editor ")
        await press(pilot, "escape", "ampersand")
        assert await looks(pilot, "a level is picked", SIZES)
        await press(pilot, "enter")
        assert await looks(pilot, "a move is previewed", SIZES)
        await press(pilot, "enter")
        assert "Moved 1 memory to project" in toasts(pilot)[-1]
        await press(pilot, "u")
        await press(pilot, "escape", "slash")
        await write(pilot, "samples ")
        await press(pilot, "escape", "ampersand", "G", "enter")
        assert await looks(pilot, "a home folder stays", SIZES)


async def test_of_several_those_that_can_move(shop: Path, looks: Looks) -> None:
    async with _app(shop) as pilot:
        await press(pilot, "space", "space", "space", "ampersand", "G")
        assert await looks(pilot, "some can move", SIZES)
        await press(pilot, "enter", "enter")
        assert "Moved 1 memory to team" in toasts(pilot)[-1]


@pytest.mark.parametrize(
    ("is_named", "shown"),
    [
        (False, ("✓ project", "begins", "Begin one with")),
        (True, ("Open it without --dir.",)),
    ],
)
async def test_where_no_level_begins_the_reason_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_named: bool, shown: Sequence[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    root = repository(tmp_path / "shop").root
    place = mine_memory() if is_named else root / FOLDER
    with open_memory(place) as memory:
        memory.store([HELD[1]._replace(level="")])
    async with running(place) as pilot:
        await press(pilot, "ampersand", "G", "enter")
        for words in shown:
            assert words in screen_text(pilot)


async def test_the_levels_complete_in_the_search_box(shop: Path) -> None:
    async with _app(shop) as pilot:
        await press(pilot, "slash")
        await write(pilot, "lev")
        await press(pilot, "tab")
        await write(pilot, "m")
        await press(pilot, "tab")
        assert "level:mine" in screen_text(pilot)
        assert "2 of 6" in screen_text(pilot)


async def test_an_operation_says_whose_memories_it_changes(shop: Path) -> None:
    async with _app(shop) as pilot:
        await press(pilot, "slash")
        await write(pilot, "editor ")
        await press(pilot, "escape", "a")
        assert toasts(pilot)[-1] == "Archived 1 memory of mine · u to undo"
        await press(pilot, "u")
        assert toasts(pilot)[-1] == "Undone: archive 1 memory of mine · U to redo"
        await press(pilot, "escape", *["space"] * 5, "d")
        assert "Delete 5 memories (1 mine, 2 team)" in screen_text(pilot)


async def test_a_new_memory_is_of_the_level_that_is_asked_for(shop: Path) -> None:
    async with _app(shop) as pilot:
        await press(pilot, "slash")
        await write(pilot, "level:mine ")
        await press(pilot, "escape", "n")
        assert "level: mine" in screen_text(pilot)
        await write(pilot, "Tabs, never spaces")
        await press(pilot, "ctrl+s")
        assert "3 of 7" in screen_text(pilot)
    with _opened(shop) as memory:
        assert memory.search("tabs").hits[0].entry.level == "mine"


async def test_a_rule_of_all_projects_is_offered_and_a_level_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: Looks
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    root = repository(tmp_path / "shop").root
    with open_memory(root / FOLDER) as memory:
        rule = _memory(7, "lesson", "Always answer in British English", "")
        memory.store([rule._replace(extra={FINDER: "rules"})])
    async with running(root / FOLDER) as pilot:
        assert await looks(pilot, "a rule is offered", SIZES)
        await press(pilot, "ampersand", "enter")
        assert await looks(pilot, "a level begins", SIZES)
        await press(pilot, "enter")
        assert mine_memory().is_dir()


@pytest.mark.parametrize(
    ("is_joined", "offer"),
    [(True, "Import your CLAUDE.md"), (False, "Begin a memory for all")],
)
async def test_notes_of_the_user_are_offered_for_all_projects(
    shop: Path, monkeypatch: pytest.MonkeyPatch, is_joined: bool, offer: str
) -> None:
    home = shop.parent / "home"
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "CLAUDE.md").write_text("- Prefer small functions\n")
    monkeypatch.setenv("HOME", str(home))
    async with _app(shop) if is_joined else running(shop / FOLDER) as pilot:
        await press(pilot, "W")
        assert offer in screen_text(pilot)


async def test_the_doctor_repairs_each_level_in_its_place(shop: Path, looks: Looks) -> None:
    for place in (mine_memory(), shop / FOLDER):
        (place / "issue-7.json").write_text("{cut")
    async with _app(shop) as pilot:
        await press(pilot, "exclamation_mark")
        assert await looks(pilot, "the doctor names levels", SIZES)
        await press(pilot, "enter", "enter")
        assert "No problems" in screen_text(pilot)
    for place in (mine_memory(), shop / FOLDER):
        assert len([*(place / "quarantine").glob("*issue-7.json")]) == 1
