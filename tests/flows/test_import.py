"""Import in the app: a source is picked, its plan shown, applied and undone."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.tui.browse.results import ResultList
from memtui.tui.dialogs.picker import PickList
from memtui.tui.dialogs.plan import PlanScreen
from memtui.tui.import_.picker import SourcePicker
from tests.flows.stage import NORMAL, Compare, app_on, at_home, browse, fill, press, settled
from tests.flows.stories import observations, toasts

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a memory, a bank of notes, and notes elsewhere."""
    folder = tmp_path / "shop"
    fill(folder / ".agentx" / "memory", observations())
    bank = folder / "memory-bank"
    bank.mkdir()
    (bank / "patterns.md").write_text("# Patterns\n\n- Every handler is idempotent.\n")
    (folder / "docs").mkdir()
    (folder / "docs" / "notes.md").write_text("# Notes\n\n- Deploys go out on Tuesdays only.\n")
    (folder / "docs" / "picture.png").write_bytes(b"")
    return folder


def listed(pilot: Pilot[None]) -> list[str]:
    assert isinstance(pilot.app.screen, SourcePicker)
    return [each.typed for each in pilot.app.screen.query_one(PickList).rows]


def test_picker(snap_compare: Compare, project: Path) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "X")
        pilot.app.screen.query_one("#picker").border_subtitle = "~/shop"

    app = app_on(project / ".agentx" / "memory")
    assert snap_compare(app, terminal_size=NORMAL, run_before=flow)


async def test_a_source_is_picked_previewed_applied_and_undone(project: Path) -> None:
    async with app_on(project / ".agentx" / "memory").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "X")
        assert listed(pilot) == ["memory-bank", "docs/"]
        await press(pilot, "d", "tab")
        assert pilot.app.screen.query_one(Input).value == "docs/"
        assert listed(pilot) == ["docs/", "docs/notes.md"]
        await press(pilot, "down", "enter")
        assert isinstance(pilot.app.screen, PlanScreen)
        assert len(browse(pilot).query_one(ResultList).hits) == 7
        await press(pilot, "enter")
        assert toasts(pilot) == ["Imported 1 memory · u to undo"]
        assert len(browse(pilot).query_one(ResultList).hits) == 8
        await press(pilot, "u")
        assert len(browse(pilot).query_one(ResultList).hits) == 7


async def test_what_is_there_already_and_what_is_no_source_are_said(project: Path) -> None:
    async with app_on(project / ".agentx" / "memory").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "X", "enter", "enter", "X", "enter")
        assert toasts(pilot)[-1] == "Everything in it is already stored."
        await press(pilot, "X", "q", "q")
        assert listed(pilot) == []
        await press(pilot, "enter", "escape")
        assert at_home(pilot)


@pytest.mark.parametrize("typed", ["~nobody-here", "~nobody-here/notes", "a" * 300, "a\0b/c"])
async def test_what_names_no_place_is_none(project: Path, typed: str) -> None:
    async with app_on(project / ".agentx" / "memory").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "X")
        pilot.app.screen.query_one(Input).value = typed
        await settled(pilot)
        assert listed(pilot) == []
        await press(pilot, "escape")
        assert at_home(pilot)


async def test_enter_waits_for_what_the_last_letters_mean(project: Path) -> None:
    async with app_on(project / ".agentx" / "memory").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "X")
        picker = cast(SourcePicker, pilot.app.screen)
        picker.query_one(Input).value = "docs/notes.md"
        picker.action_pick()  # what is listed is still the project
        await settled(pilot)
        assert isinstance(pilot.app.screen, PlanScreen)
        assert "Deploys go out" in str(pilot.app.screen._plan.changes)
