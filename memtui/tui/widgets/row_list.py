"""A list of one-line rows with a cursor: the base of every list on our screens."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from textual import events
from textual.content import Content
from textual.geometry import Size, clamp
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style

from memtui.tui.frame.keys import bindings
from memtui.tui.widgets.line_view import LineView

T = TypeVar("T")


@dataclass
class _AboutRow(Message):
    rows: RowList[Any]
    index: int

    @property
    def control(self) -> RowList[Any]:
        return self.rows


class RowList(LineView, Generic[T], can_focus=True):
    """Rows of one line each, which subclasses draw with `row`."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--hover"}
    BINDINGS = bindings("list")

    rows: Sequence[T] = ()
    keeps_cursor: ClassVar[bool] = False
    """True if the cursor is shown while the focus is elsewhere."""
    cursor = reactive(0, repaint=False)
    hovered: reactive[int | None] = reactive(None, repaint=False)

    class Moved(_AboutRow):
        """The cursor moved."""

    class Chosen(_AboutRow):
        """A row was chosen by Enter or a double click."""

    def cursor_mark(self, index: int) -> tuple[str, str]:
        """Return what a row begins with: two cells that show whether the cursor is on it."""
        return ("▸ " if index == self.cursor else "  ", "$accent-text")

    @abstractmethod
    def row(self, index: int, width: int) -> Content:
        """Return the content of a row for `width` cells."""

    @property
    def at(self) -> T | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def row_count(self) -> int:
        return len(self.rows)

    def list_rows(self, rows: Sequence[T]) -> None:
        """Show other rows; the cursor stays in its place as far as there are so many."""
        self.rows = rows
        self.virtual_size = Size(0, len(rows))  # rows are as wide as there is room
        self.vertical_scrollbar.window_virtual_size = len(rows)  # else it lags by a frame
        self.refresh()
        self.cursor = self.validate_cursor(self.cursor)

    def validate_cursor(self, cursor: int) -> int:
        return clamp(cursor, 0, max(0, len(self.rows) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        self.refresh_line(old)
        self.refresh_line(new)
        self.scroll_to_cursor()
        if self.rows:
            self.post_message(self.Moved(self, new))

    def watch_hovered(self, old: int | None, new: int | None) -> None:
        for index in (old, new):
            if index is not None:
                self.refresh_line(index)

    @property
    def cursor_line(self) -> int:
        return self.cursor - self.scroll_offset.y

    def put_cursor(self, index: int, line: int) -> None:
        """Move the cursor to a row, and scroll until that is on this line of the widget."""
        self.cursor = index
        self.scroll_to(y=index - line, animate=False, force=True, immediate=True)

    def on_resize(self) -> None:
        self.call_after_refresh(self.scroll_to_cursor)

    def scroll_to_cursor(self) -> None:
        self.reveal(self.cursor)

    def line(self, index: int, width: int) -> tuple[Content, Style]:
        component = ""
        if index == self.cursor and (self.has_focus or self.keeps_cursor):
            component = "row-list--cursor"
        elif index == self.hovered:
            component = "row-list--hover"
        style = self.get_visual_style(component) if component else self.visual_style
        return self.row(index, width), style

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.hovered = self._row_at(event)

    def _row_at(self, event: events.MouseEvent) -> int | None:
        """Return the row under the mouse, if any, without the style there: that would be read for
        every piece of every row that is drawn.
        """
        at = event.get_content_offset(self)
        index = self.scroll_offset.y + at.y if at is not None else len(self.rows)
        return index if index < len(self.rows) else None

    def on_leave(self) -> None:
        self.hovered = None

    def on_click(self, event: events.Click) -> None:
        index = self._row_at(event)
        if index is not None:
            self.cursor = index
            self.clicked(index, event.chain)

    def clicked(self, index: int, times: int) -> None:
        if times == 2:
            self.post_message(self.Chosen(self, index))

    def action_move(self, rows: int) -> None:
        self.cursor += rows

    def action_page(self, pages: int) -> None:
        self.cursor += pages * max(1, self.scrollable_content_region.height - 1)

    def action_first(self) -> None:
        self.cursor = 0

    def action_last(self) -> None:
        self.cursor = len(self.rows) - 1

    def action_choose(self) -> None:
        if self.rows:
            self.post_message(self.Chosen(self, self.cursor))
