"""A list of one-line rows with a cursor: the base of every list on our screens.

It draws only the lines that are seen, so its cost does not grow with its rows.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size, clamp
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions

from memtui.tui.message import Message

MOVE = Binding.Group("Move")
CHOOSE = Binding.Group("Choose")


class RowList(ScrollView, can_focus=True):
    """Rows of one line each. Subclasses give `row` and set `row_count`."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--hover"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", show=False, group=MOVE, id="list.down"),
        Binding("up,k", "move(-1)", "up", show=False, group=MOVE, id="list.up"),
        Binding("pagedown,ctrl+d", "page(1)", "page down", show=False, group=MOVE, id="list.pgdn"),
        Binding("pageup,ctrl+u", "page(-1)", "page up", show=False, group=MOVE, id="list.pgup"),
        Binding("g,home", "first", "first row", show=False, group=MOVE, id="list.first"),
        Binding("G,end", "last", "last row", show=False, group=MOVE, id="list.last"),
    ]

    row_count = reactive(0)
    cursor = reactive(0)
    hovered: reactive[int | None] = reactive(None)

    class Moved(Message):
        """The cursor came to another row."""

        rows: RowList
        index: int

        @property
        def control(self) -> RowList:
            """The list that says so."""
            return self.rows

    class Chosen(Message):
        """A row was chosen with a key or the mouse."""

        rows: RowList
        index: int

        @property
        def control(self) -> RowList:
            """The list that says so."""
            return self.rows

    @abstractmethod
    def row(self, index: int, width: int) -> Content:
        """The content of a row for `width` cells."""

    def reload(self) -> None:
        """Draw every row anew, after what stands in them has changed."""
        self.virtual_size = Size(0, self.row_count)  # rows are as wide as there is room
        self.vertical_scrollbar.window_virtual_size = self.row_count  # else it lags by a frame
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return clamp(cursor, 0, max(0, self.row_count - 1))

    def validate_row_count(self, row_count: int) -> int:
        """A list has no rows or some."""
        return max(0, row_count)

    def watch_row_count(self) -> None:
        """Make room for the rows and keep the cursor among them."""
        self.reload()
        self.cursor = self.validate_cursor(self.cursor)

    def watch_cursor(self, old: int, new: int) -> None:
        """Show the row under the cursor."""
        self.refresh_row(old)
        self.refresh_row(new)
        self.scroll_to_cursor()
        if self.row_count:
            self.post_message(self.Moved(self, new))

    def watch_hovered(self, old: int | None, new: int | None) -> None:
        """Redraw the rows the mouse left and entered."""
        for index in (old, new):
            if index is not None:
                self.refresh_row(index)

    def refresh_row(self, index: int) -> None:
        """Draw one row anew."""
        self.refresh_line(index)

    def scroll_to_cursor(self) -> None:
        """Scroll as little as shows the cursor."""
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)

    def on_resize(self) -> None:
        """Keep the cursor in sight, once the new size is known to all."""
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
        if index == self.cursor and (self.has_focus or self.cursor_stays):
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

    @property
    def cursor_stays(self) -> bool:
        """Whether the cursor shows while another widget has the focus."""
        return False

    def on_focus(self) -> None:
        """The cursor shows."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor hides, or dims."""
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Remember the row under the mouse."""
        self.hovered = self._row_at(event)

    def _row_at(self, event: events.MouseEvent) -> int | None:
        """The row under the mouse; None beside them. What a style carries would tell, too, and is
        read anew for every piece of every row that is drawn.
        """
        at = event.get_content_offset(self)
        index = self.scroll_offset.y + at.y if at is not None else self.row_count
        return index if index < self.row_count else None

    def on_leave(self) -> None:
        """No row is under the mouse."""
        self.hovered = None

    def on_click(self, event: events.Click) -> None:
        """Go to the row that was clicked; a second click on it chooses it."""
        index = self._row_at(event)
        if index is not None:
            self.cursor = index
            self.clicked(index, event.chain)

    def clicked(self, index: int, times: int) -> None:
        """What a click does beyond moving the cursor: by default the second one chooses."""
        if times == 2:
            self.post_message(self.Chosen(self, index))

    def action_move(self, rows: int) -> None:
        """Move the cursor by so many rows."""
        self.cursor += rows

    def action_page(self, pages: int) -> None:
        """Move the cursor by so many pages."""
        self.cursor += pages * max(1, self.scrollable_content_region.height - 1)

    def action_first(self) -> None:
        """Go to the first row."""
        self.cursor = 0

    def action_last(self) -> None:
        """Go to the last row."""
        self.cursor = self.row_count - 1

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.row_count:
            self.post_message(self.Chosen(self, self.cursor))


def _parsed(style: str | Style) -> Style:
    """A style as it is written in a row; each is parsed once."""
    return style if isinstance(style, Style) else Style.parse(style)
