"""What Browse looks like in each of its states."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from store import Memory
from store.errors import NoMemory
from store.notice import notice
from tests.flows.stage import (
    ALL_SIZES,
    NARROW,
    NORMAL,
    SIZES,
    Compare,
    Looks,
    app_on,
    press,
    pressing,
    settled,
    told,
    typing,
    write,
)

pytestmark = pytest.mark.usefixtures("still")


@ALL_SIZES
async def test_home(pilot: Pilot[None], looks: Looks) -> None:
    assert await looks(pilot)


@ALL_SIZES
async def test_search(pilot: Pilot[None], looks: Looks) -> None:
    await write(pilot, "agent:engineer category:error,decision page")
    assert await looks(pilot)


@ALL_SIZES
def test_observation(snap_compare: Compare, strange: Path) -> None:
    flow = typing("category:procedure", "enter")
    assert snap_compare(app_on(strange), run_before=flow)


@ALL_SIZES
def test_empty_store(snap_compare: Compare, nothing: Path) -> None:
    assert snap_compare(app_on(nothing), run_before=settled)


def test_light_theme(snap_compare: Compare, sample: Path) -> None:
    app = app_on(sample, theme="catppuccin-latte")
    flow = typing("agent:engineer -retry page")
    assert snap_compare(app, terminal_size=NORMAL, run_before=flow)


def test_terminal_colours(snap_compare: Compare, sample: Path) -> None:
    app = app_on(sample, theme="ansi-dark")
    assert snap_compare(app, terminal_size=NORMAL, run_before=typing("page"))


def test_no_color(snap_compare: Compare, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=typing("page"))


async def test_no_match(pilot: Pilot[None], looks: Looks) -> None:
    await write(pilot, "agent:architect quux")
    assert await looks(pilot)


async def test_near_spellings(pilot: Pilot[None], looks: Looks) -> None:
    await write(pilot, "carier labels")
    assert await looks(pilot)


async def test_completion(pilot: Pilot[None], looks: Looks) -> None:
    await write(pilot, "category:d")
    assert await looks(pilot)


def test_narrow_choices(snap_compare: Compare, sample: Path) -> None:
    flow = pressing("shift+tab", "j", "j", "space")
    assert snap_compare(app_on(sample), terminal_size=NARROW, run_before=flow)


def test_tiny(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), terminal_size=(40, 12), run_before=settled)


async def test_zoomed_observation(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "tab", "z")
    assert await looks(pilot)


def test_long_text(snap_compare: Compare, strange: Path) -> None:
    flow = typing("category:handoff,task", "down")
    assert snap_compare(app_on(strange), terminal_size=NARROW, run_before=flow)


@SIZES
def test_wide_letters(snap_compare: Compare, strange: Path) -> None:
    assert snap_compare(app_on(strange), run_before=pressing("j", "j", "j"))


def test_hostile_content(snap_compare: Compare, strange: Path) -> None:
    flow = typing("category:error", "escape", "j")
    assert snap_compare(app_on(strange), terminal_size=NORMAL, run_before=flow)


def test_many_agents(snap_compare: Compare, many: Path) -> None:
    flow = pressing("tab", "tab", "G")
    assert snap_compare(app_on(many), terminal_size=NORMAL, run_before=flow)


async def test_issue_picker(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "number_sign", "down", "down")
    assert await looks(pilot)


@SIZES
async def test_help(pilot: Pilot[None], looks: Looks) -> None:
    await press(pilot, "question_mark")
    assert await looks(pilot)


async def _palette(pilot: Pilot[None], *keys: str) -> None:
    await settled(pilot)
    await press(pilot, "ctrl+p", *keys)
    options = pilot.app.screen.query_one(OptionList)
    while not options.option_count or "--populating" in options.classes:
        await pilot.pause(0.02)


async def test_palette(pilot: Pilot[None], looks: Looks) -> None:
    await _palette(pilot)
    assert await looks(pilot)


def test_read_only_store(snap_compare: Compare, sample: Path) -> None:
    app = app_on(sample, opening=told(lambda state: state._replace(writable=False)))
    assert snap_compare(app, terminal_size=NORMAL, run_before=settled)


def test_unreadable_file(snap_compare: Compare, tmp_path: Path, sample: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    for file in sorted(sample.glob("issue-*.json"))[:3]:
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "issue-404.json").write_text('{"version": 1, "observations": [{"id": "cut off')
    assert snap_compare(app_on(folder), terminal_size=NORMAL, run_before=settled)


def test_lagging_index(snap_compare: Compare, sample: Path) -> None:
    busy = notice("index-busy")
    app = app_on(sample, opening=told(lambda state: state._replace(notice=busy)))
    assert snap_compare(app, terminal_size=NORMAL, run_before=settled)


def test_memory_that_cannot_be_opened(snap_compare: Compare, tmp_path: Path) -> None:
    def refuse(path: Path) -> Memory:
        raise NoMemory("No memory found at .agentx/memory.", "`memtui demo` shows a sample.")

    app = app_on(tmp_path, opening=refuse)
    assert snap_compare(app, terminal_size=NORMAL, run_before=settled)
