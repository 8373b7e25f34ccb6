"""What Browse looks like in each of its states."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from store import MemoryPipeline
from store.errors import NoMemory
from store.notice import notice
from tests.flows.stage import (
    ALL_SIZES,
    NARROW,
    NORMAL,
    SIZES,
    Compare,
    app_on,
    press,
    pressing,
    settled,
    told,
    typing,
)

pytestmark = pytest.mark.usefixtures("still")


@ALL_SIZES
def test_home(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), run_before=settled)


@ALL_SIZES
def test_search(snap_compare: Compare, sample: Path) -> None:
    flow = typing("agent:engineer category:error,decision page")
    assert snap_compare(app_on(sample), run_before=flow)


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


def test_no_match(snap_compare: Compare, sample: Path) -> None:
    flow = typing("agent:architect quux")
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=flow)


def test_near_spellings(snap_compare: Compare, sample: Path) -> None:
    flow = typing("carier labels")
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=flow)


def test_completion(snap_compare: Compare, sample: Path) -> None:
    flow = typing("category:d")
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=flow)


def test_completion_of_a_near_miss(snap_compare: Compare, sample: Path) -> None:
    flow = typing("agent:archtect")
    assert snap_compare(app_on(sample), terminal_size=NARROW, run_before=flow)


def test_chosen(snap_compare: Compare, sample: Path) -> None:
    flow = pressing("shift+tab", "j", "space", "tab", "tab")
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=flow)


def test_narrow_choices(snap_compare: Compare, sample: Path) -> None:
    flow = pressing("shift+tab", "j", "j", "space")
    assert snap_compare(app_on(sample), terminal_size=NARROW, run_before=flow)


def test_tiny(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), terminal_size=(40, 12), run_before=settled)


def test_zoomed_observation(snap_compare: Compare, sample: Path) -> None:
    flow = pressing("tab", "z")
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=flow)


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


def test_paged(snap_compare: Compare, many: Path) -> None:
    flow = pressing("G")
    assert snap_compare(app_on(many), terminal_size=NORMAL, run_before=flow)


def test_issue_picker(snap_compare: Compare, sample: Path) -> None:
    flow = pressing("number_sign", "down", "down")
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=flow)


@SIZES
def test_help(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), run_before=pressing("question_mark"))


async def _palette(pilot: Pilot[None], *keys: str) -> None:
    await settled(pilot)
    await press(pilot, "ctrl+p", *keys)
    options = pilot.app.screen.query_one(OptionList)
    while not options.option_count or "--populating" in options.classes:
        await pilot.pause(0.02)


def test_palette(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=_palette)


def test_palette_jump(snap_compare: Compare, sample: Path) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        await _palette(pilot, *"issue", "space", "1", "8")

    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=flow)


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
    def refuse(path: Path) -> MemoryPipeline:
        raise NoMemory("No memory found at .agentx/memory.", "`memtui demo` shows a sample.")

    app = app_on(tmp_path, opening=refuse)
    assert snap_compare(app, terminal_size=NORMAL, run_before=settled)
