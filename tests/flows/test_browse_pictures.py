"""What Browse looks like in each of its states."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from store import Memory
from store.errors import NoMemory
from store.notice import notice
from tests.flows.stage import ALL_SIZES, NARROW, SIZES, Looks, press, running, told, write

pytestmark = pytest.mark.usefixtures("still")

TINY = ((40, 12),)


async def test_home(pilot: Pilot[None], looks: Looks) -> None:
    assert await looks(pilot, "home", ALL_SIZES)
    assert await looks(pilot, "tiny", TINY)
    await press(pilot, "question_mark")
    assert await looks(pilot, "help", SIZES)
    await press(pilot, "escape", "number_sign", "down", "down")
    assert await looks(pilot, "issue_picker")


async def test_searches(pilot: Pilot[None], looks: Looks) -> None:
    await write(pilot, "category:d")
    assert await looks(pilot, "completion")
    await press(pilot, "escape", "escape", "escape")
    await write(pilot, "carier labels")
    assert await looks(pilot, "near_spellings")
    await press(pilot, "escape", "escape")
    await write(pilot, "agent:architect quux")
    assert await looks(pilot, "no_match")


async def test_search(pilot: Pilot[None], looks: Looks) -> None:
    await write(pilot, "agent:engineer category:error,decision page")
    assert await looks(pilot, "search", ALL_SIZES)


async def test_narrow_choices(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "shift+tab", "j", "j", "space")
    assert await looks(pilot, "narrow_choices", (NARROW,))


async def test_palette(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "ctrl+p")
    assert await looks(pilot, "palette", SIZES)


async def test_strange_content(strange: Path, looks: Looks) -> None:
    async with running(strange) as pilot:
        await press(pilot, "j", "j", "j")
        assert await looks(pilot, "wide_letters", SIZES)
        await write(pilot, "category:error")
        await press(pilot, "escape", "j")
        assert await looks(pilot, "hostile_content")
        await press(pilot, "escape")
        await write(pilot, "category:procedure")
        await press(pilot, "enter")
        assert await looks(pilot, "observation", ALL_SIZES)
        await press(pilot, "escape", "escape")
        await write(pilot, "category:handoff,task")
        await press(pilot, "down")
        assert await looks(pilot, "long_text", (NARROW,))


async def test_empty_store(nothing: Path, looks: Looks) -> None:
    async with running(nothing) as pilot:
        assert await looks(pilot, "empty_store", ALL_SIZES)


async def test_light_theme(sample: Path, looks: Looks) -> None:
    async with running(sample, theme="catppuccin-latte") as pilot:
        await write(pilot, "agent:engineer -retry page")
        assert await looks(pilot)


async def test_terminal_colours(sample: Path, looks: Looks) -> None:
    async with running(sample, theme="ansi-dark") as pilot:
        await write(pilot, "page")
        assert await looks(pilot)


async def test_no_color(sample: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(sample) as pilot:
        await write(pilot, "page")
        assert await looks(pilot)


async def test_read_only_store(sample: Path, looks: Looks) -> None:
    opening = told(lambda state: state._replace(writable=False))
    async with running(sample, opening=opening) as pilot:
        assert await looks(pilot)


async def test_lagging_index(sample: Path, looks: Looks) -> None:
    opening = told(lambda state: state._replace(notice=notice("index-busy")))
    async with running(sample, opening=opening) as pilot:
        assert await looks(pilot)


async def test_unreadable_file(tmp_path: Path, sample: Path, looks: Looks) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    for file in sorted(sample.glob("issue-*.json"))[:3]:
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "issue-404.json").write_text('{"version": 1, "observations": [{"id": "cut off')
    async with running(folder) as pilot:
        assert await looks(pilot)


async def test_memory_that_cannot_be_opened(tmp_path: Path, looks: Looks) -> None:
    def refuse(path: Path) -> Memory:
        raise NoMemory("No memory found at .agentx/memory.", "`memtui demo` shows a sample.")

    async with running(tmp_path, opening=refuse) as pilot:
        assert await looks(pilot)
