"""A pane of text that scrolls with letters and arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from memtui.tui.widgets.row_list import MOVE
from memtui.tui.widgets.titled import Titled

if TYPE_CHECKING:
    from textual.widget import Widget as _Mixed
else:
    _Mixed = object  # as in `titled`


def scroll_keys(widget: str) -> list[BindingType]:
    """The keys that scroll what is `Scrolled`, their ids beginning with the widget's name."""
    keys = (
        ("j,down", "by(1)", "down", "down"),
        ("k,up", "by(-1)", "up", "up"),
        ("pagedown,ctrl+d", "page(1)", "page down", "pgdn"),
        ("pageup,ctrl+u", "page(-1)", "page up", "pgup"),
        ("g,home", "to(False)", "top", "top"),
        ("G,end", "to(True)", "end", "end"),
    )
    return [
        Binding(key, action, name, show=False, group=MOVE, id=f"{widget}.{id_}")
        for key, action, name, id_ in keys
    ]


class Scrolled(_Mixed):
    """Does what `scroll_keys` ask for."""

    def action_by(self, lines: int) -> None:
        """Scroll by lines, at once, so that keys pressed fast add up."""
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self.action_by(pages * max(1, self.content_size.height - 1))

    def action_to(self, end: bool) -> None:
        """Scroll to the top or the end."""
        self.scroll_to(y=self.max_scroll_y if end else 0, animate=False, immediate=True)


class Reader(Scrolled, Titled, VerticalScroll):
    """Text to read; it takes the focus so that its keys scroll it."""

    BINDINGS: ClassVar[list[BindingType]] = scroll_keys("reader")
