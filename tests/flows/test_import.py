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
from tests.flows.stage import Looks, browse, fill, press, running, settled
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


async def test_a_source_is_picked_previewed_applied_and_undone(project: Path, looks: Looks) -> None:
    async with running(project / ".agentx" / "memory") as pilot:
        await press(pilot, "X")
        pilot.app.screen.query_one("#picker").border_subtitle = "~/shop"
        assert await looks(pilot, "picker")
        assert listed(pilot) == ["memory-bank", "docs/"]
        for nowhere in ("~nobody-here/notes", "a\0b/c"):
            pilot.app.screen.query_one(Input).value = nowhere
            await settled(pilot)
            assert listed(pilot) == []
        pilot.app.screen.query_one(Input).value = ""
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
