"""A pane of text that scrolls with letters and arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll

from memtui.tui.frame.keys import bindings
from memtui.tui.widgets.titled import Titled

if TYPE_CHECKING:
    from textual.widget import Widget as _Mixed
else:
    _Mixed = object  # as in `titled`


class Scrolled(_Mixed):
    """Does what the keys of a reader ask for."""

    def action_by(self, lines: int) -> None:
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def action_page(self, pages: int) -> None:
        self.action_by(pages * max(1, self.content_size.height - 1))

    def action_to(self, end: bool) -> None:
        self.scroll_to(y=self.max_scroll_y if end else 0, animate=False, immediate=True)


class Reader(Scrolled, Titled, VerticalScroll):
    """Text to read; it takes the focus so that its keys scroll it."""

    BINDINGS = bindings("reader")
