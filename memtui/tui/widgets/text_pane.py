"""A pane to read paragraphs in, which writes to the terminal only the lines that change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Region, clamp
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import plural
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import Paragraph, wrapped_lines
from memtui.tui.widgets.panes import Titled


class TextPane(Titled, Widget, can_focus=True):
    """Paragraphs of any length at a fixed size; its last line counts those below it.

    It scrolls by itself: a text that Textual scrolls is laid out with the screen, and written
    whole, twice, each time that its height changes.
    """

    BINDINGS = bindings("reader")
    widest: ClassVar[int | None] = None
    """Cells of the longest line, where that is not the width of the pane."""
    top = reactive(0, repaint=False)
    """The line of the text that is shown first."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._paragraphs: tuple[Paragraph, ...] = ()
        self._lines: list[Content] = []
        self._visible: list[Content] = []

    def show(self, paragraphs: Sequence[Paragraph], *, from_top: bool) -> None:
        """Show other paragraphs, from their beginning or at the line where one reads."""
        self._paragraphs = tuple(paragraphs)
        self._lay_out()
        self.top = 0 if from_top else self.top
        self._draw()

    @property
    def text(self) -> str:
        return "\n".join(line.plain for line in self._lines)

    def on_resize(self) -> None:
        self._lay_out()
        self.top = self.top  # within the new lines
        self._draw()

    def _lay_out(self) -> None:
        width = min(self.size.width, self.widest or self.size.width)
        self._lines = wrapped_lines(self._paragraphs, width) if width else []

    def validate_top(self, top: int) -> int:
        return clamp(top, 0, max(0, len(self._lines) - self.size.height))

    def watch_top(self) -> None:
        self._draw()

    def _draw(self) -> None:
        height, rest = self.size.height, self._lines[self.top :]
        before, self._visible = self._visible, rest[:height]
        if 1 < height < len(rest):
            below = len(rest) - height + 1
            self._visible[-1] = Content.styled(f"↓ {plural(below, 'more line')}", "$dim")
        pairs = enumerate(zip_longest(before, self._visible, fillvalue=Content("")))
        changed = [
            Region(0, y, max(old.cell_length, new.cell_length), 1)
            for y, (old, new) in pairs
            if not old.is_same(new)
        ]
        if changed:
            self.refresh(*changed)

    def render(self) -> RenderResult:
        return Content("\n").join(self._visible)

    def action_by(self, lines: int) -> None:
        self.top += lines

    def action_page(self, pages: int) -> None:
        self.top += pages * max(1, self.size.height - 1)

    def action_to(self, end: bool) -> None:
        self.top = len(self._lines) if end else 0

    def on_mouse_scroll_down(self) -> None:
        self.action_by(1)

    def on_mouse_scroll_up(self) -> None:
        self.action_by(-1)
