"""A pane of text: scrolled by keys, with a count of the lines below, and wrapped anew."""

from __future__ import annotations

from textual.app import App, ComposeResult

from memtui.tui.frame.paragraphs import plain
from memtui.tui.widgets.text_pane import TextPane

LINES = [plain(f"line {number}") for number in range(1, 9)]


class Desk(App[None]):
    CSS = ".bordered { border: round red; }"

    def compose(self) -> ComposeResult:
        yield TextPane(id="pane")


async def test_long_text_is_scrolled() -> None:
    async with Desk().run_test(size=(20, 4)) as pilot:
        pane = pilot.app.query_one(TextPane)
        pane.show(LINES, from_top=True)
        pane.focus()
        for key, shown in [
            ("k", "line 1\nline 2\nline 3\n↓ 5 more lines"),
            ("j", "line 2\nline 3\nline 4\n↓ 4 more lines"),
            ("pagedown", "line 5\nline 6\nline 7\nline 8"),
            ("k", "line 4\nline 5\nline 6\n↓ 2 more lines"),
            ("G", "line 5\nline 6\nline 7\nline 8"),
            ("g", "line 1\nline 2\nline 3\n↓ 5 more lines"),
        ]:
            await pilot.press(key)
            assert str(pane.render()) == shown
        pane.show(LINES[:2], from_top=False)
        assert str(pane.render()) == "line 1\nline 2"


async def test_narrow_window_wraps_anew() -> None:
    async with Desk().run_test(size=(20, 4)) as pilot:
        pane = pilot.app.query_one(TextPane)
        pane.show([plain("three words more and others")], from_top=True)
        assert str(pane.render()) == "three words more and\nothers"
        await pilot.resize_terminal(12, 4)
        assert str(pane.render()) == "three words\nmore and\nothers"


async def test_title_and_changed_lines_are_drawn_alone() -> None:
    async with Desk().run_test(size=(20, 6)) as pilot:
        pane = pilot.app.query_one(TextPane)
        pane.add_class("bordered")
        await pilot.pause()
        pane.show(LINES[:4], from_top=True)
        pane._exchange_repaint_regions()
        pane.show([*LINES[:2], *LINES[4:6]], from_top=True)
        pane.set_title("Other", "6 lines")
        drawn = sorted((region.y, region.height) for region in pane._exchange_repaint_regions())
        assert drawn == [(0, 1), (3, 1), (4, 1)]  # the border with the title, the last two lines
