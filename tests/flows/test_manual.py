"""The manual, reached from the help of a screen, with a page for each."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import MarkdownViewer

import memtui.tui
from memtui.tui.help.manual import ManualScreen, manual_folder
from memtui.tui.help.screen import PAGES
from tests.flows.stage import (
    SIZES,
    Looks,
    at_home,
    press,
    running,
)

pytestmark = pytest.mark.usefixtures("still")


async def test_help_leads_to_the_page_and_back(nothing: Path, looks: Looks) -> None:
    async with running(nothing) as pilot:
        await press(pilot, "question_mark", "m")
        assert await looks(pilot, "page_of_browse", SIZES)
        assert isinstance(pilot.app.screen, ManualScreen)
        viewer = pilot.app.screen.query_one(MarkdownViewer)
        assert "The home screen" in viewer.document.source
        await press(pilot, "i")
        assert "The manual of memtui" in viewer.document.source
        await press(pilot, "b")
        assert "The home screen" in viewer.document.source
        await press(pilot, "escape")
        assert at_home(pilot)


def test_every_page_is_there_and_every_screen_is_a_screen() -> None:
    assert [page for page in PAGES.values() if not (manual_folder() / page).is_file()] == []
    folder = Path(memtui.tui.__path__[0])
    code = "\n".join(path.read_text() for path in folder.rglob("*.py"))
    assert [name for name in PAGES if f"class {name}(" not in code] == []
