"""The manual, reached from the help of a screen, with a page for each."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import MarkdownViewer

from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.frame.route import Route, screen_class
from memtui.tui.help.manual import ManualScreen, manual_folder
from tests.flows.stage import SIZES, Looks, at_home, press, running

pytestmark = pytest.mark.usefixtures("still")


async def test_help_leads_to_the_page_and_back(nothing: Path, looks: Looks) -> None:
    async with running(nothing) as pilot:
        await press(pilot, "question_mark", "b")
        assert await looks(pilot, "page_of_browse", SIZES)
        assert isinstance(pilot.app.screen, ManualScreen)
        viewer = pilot.app.screen.query_one(MarkdownViewer)
        assert "The home screen" in viewer.document.source
        for key, line in (("j", 1), ("G", viewer.max_scroll_y), ("g", 0)):
            await press(pilot, key)
            assert viewer.scroll_y == line, key
        await press(pilot, "1")
        assert "The manual of memtui" in viewer.document.source
        await press(pilot, "h")
        assert "The home screen" in viewer.document.source
        await press(pilot, "escape")
        assert at_home(pilot)


def test_screens_name_the_pages_of_the_manual() -> None:
    screens = [BrowseScreen, *map(screen_class, Route.__subclasses__())]
    named = {getattr(screen, "MANUAL_PAGE", "") for screen in screens} - {""}
    manual = manual_folder()
    pages = {str(path.relative_to(manual)) for path in manual.glob("screens/*.md")}
    assert named == pages | {"settings.md"}
