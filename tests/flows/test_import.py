"""Import in the app: a source is picked, its plan shown, applied and undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.tui.browse.results import ResultList
from memtui.tui.dialogs.picker import PickList
from memtui.tui.dialogs.prompt import ConfirmScreen
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
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert len(browse(pilot).query_one(ResultList).rows) == 7
        await press(pilot, "enter")
        assert toasts(pilot) == ["Imported 1 memory · u to undo"]
        assert len(browse(pilot).query_one(ResultList).rows) == 8
        await press(pilot, "u")
        assert len(browse(pilot).query_one(ResultList).rows) == 7


@pytest.mark.parametrize("typed", ["~nobody-here/notes", "a\0b/c"])
async def test_what_names_no_place_is_none(project: Path, typed: str) -> None:
    async with app_on(project / ".agentx" / "memory").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "X")
        pilot.app.screen.query_one(Input).value = typed
        await settled(pilot)
        assert listed(pilot) == []
        await press(pilot, "escape")
        assert at_home(pilot)
