"""A list of one-line rows with a cursor: the base of every list on our screens.

It draws only the lines that are seen, so its cost does not grow with its rows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from textual import events
from textual.content import Content
from textual.geometry import Region, Size, clamp
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions

from memtui.tui.frame.keys import bindings

T = TypeVar("T")


class RowList(ScrollView, Generic[T], can_focus=True):
    """Rows of one line each, which subclasses draw with `row`."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--hover"}
    BINDINGS = bindings("list")

    rows: Sequence[T] = ()
    keeps_cursor: ClassVar[bool] = False
    """True if the cursor is shown while the focus is elsewhere."""
    row_count = reactive(0)
    cursor = reactive(0)
    hovered: reactive[int | None] = reactive(None)

    @dataclass
    class Moved(Message):
        rows: RowList[Any]
        index: int

        @property
        def control(self) -> RowList[Any]:
            return self.rows

    @dataclass
    class Chosen(Message):
        rows: RowList[Any]
        index: int

        @property
        def control(self) -> RowList[Any]:
            return self.rows

    def cursor_mark(self, index: int) -> tuple[str, str]:
        """Return what a row begins with: two cells that show whether the cursor is on it."""
        return ("▸ " if index == self.cursor else "  ", "$accent-text")

    @abstractmethod
    def row(self, index: int, width: int) -> Content:
        """Return the content of a row for `width` cells."""

    @property
    def at(self) -> T | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def list_rows(self, rows: Sequence[T]) -> None:
        """Show other rows; the cursor stays in its place as far as there are so many."""
        self.rows = rows
        self.row_count = len(rows)
        self.reload()

    def reload(self) -> None:
        self.virtual_size = Size(0, self.row_count)  # rows are as wide as there is room
        self.vertical_scrollbar.window_virtual_size = self.row_count  # else it lags by a frame
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        return clamp(cursor, 0, max(0, self.row_count - 1))

    def validate_row_count(self, row_count: int) -> int:
        return max(0, row_count)

    def watch_row_count(self) -> None:
        self.reload()
        self.cursor = self.validate_cursor(self.cursor)

    def watch_cursor(self, old: int, new: int) -> None:
        self.refresh_row(old)
        self.refresh_row(new)
        self.scroll_to_cursor()
        if self.row_count:
            self.post_message(self.Moved(self, new))

    def watch_hovered(self, old: int | None, new: int | None) -> None:
        for index in (old, new):
            if index is not None:
                self.refresh_row(index)

    def refresh_row(self, index: int) -> None:
        self.refresh_line(index)

    def scroll_to_cursor(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)

    def on_resize(self) -> None:
        self.call_after_refresh(self.scroll_to_cursor)

    def render_line(self, y: int) -> Strip:
        """Draw the row that stands at line `y` of the widget.

        Nothing in it is selected with the mouse, and no part is a link: asking for either would
        take as long as a fifth of drawing it.
        """
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if index >= self.row_count:
            return Strip.blank(width, self.visual_style.rich_style)
        component = ""
        if index == self.cursor and (self.has_focus or self.keeps_cursor):
            component = "row-list--cursor"
        elif index == self.hovered:
            component = "row-list--hover"
        style = self.get_visual_style(component) if component else self.visual_style
        content = self.row(index, width).truncate(width, ellipsis=True, pad=True)
        options = RenderOptions(_parsed, self.styles)  # type: ignore[arg-type]  # as Textual does
        strips = content.render_strips(width, 1, style, options)
        if not strips:
            return Strip.blank(width, style.rich_style)
        return strips[0].adjust_cell_length(width, style.rich_style)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.hovered = self._row_at(event)

    def _row_at(self, event: events.MouseEvent) -> int | None:
        """Return the row under the mouse; None beside them. What a style carries would tell, too,
        and is read anew for every piece of every row that is drawn.
        """
        at = event.get_content_offset(self)
        index = self.scroll_offset.y + at.y if at is not None else self.row_count
        return index if index < self.row_count else None

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
        self.cursor = self.row_count - 1

    def action_choose(self) -> None:
        if self.row_count:
            self.post_message(self.Chosen(self, self.cursor))


def _parsed(style: str | Style) -> Style:
    """Return a style as it is written in a row; each is parsed once."""
    return style if isinstance(style, Style) else Style.parse(style)
