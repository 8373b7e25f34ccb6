"""A pane of text that scrolls with letters and arrows."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from memtui.tui.widgets.row_list import MOVE
from memtui.tui.widgets.titled import Titled


class Reader(Titled, VerticalScroll):
    """Text to read; it takes the focus so that its keys scroll it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "by(1)", "down", show=False, group=MOVE, id="reader.down"),
        Binding("k,up", "by(-1)", "up", show=False, group=MOVE, id="reader.up"),
        Binding(
            "pagedown,ctrl+d", "page(1)", "page down", show=False, group=MOVE, id="reader.pgdn"
        ),
        Binding("pageup,ctrl+u", "page(-1)", "page up", show=False, group=MOVE, id="reader.pgup"),
        Binding("g,home", "to(False)", "top", show=False, group=MOVE, id="reader.top"),
        Binding("G,end", "to(True)", "end", show=False, group=MOVE, id="reader.end"),
    ]

    def action_by(self, lines: int) -> None:
        """Scroll by lines, at once, so that keys pressed fast add up."""
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self.action_by(pages * max(1, self.content_size.height - 1))

    def action_to(self, end: bool) -> None:
        """Scroll to the top or the end."""
        y = self.max_scroll_y if end else 0
        self.scroll_to(y=y, animate=False, immediate=True)
