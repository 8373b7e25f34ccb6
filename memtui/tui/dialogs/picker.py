"""A window to pick one row of a list, which narrows as one types: in its box, or after `/`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.tui.frame.keys import bindings
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Box, Reader, StatusLine, Window
from memtui.tui.widgets.row_list import RowList
from store.text.display import visible

RowT = TypeVar("RowT")
T = TypeVar("T")


class PickList(RowList[RowT], Generic[RowT, T]):
    keeps_cursor = True

    def __init__(self, picker: Picker[RowT, T]) -> None:
        super().__init__(id="picker-list")
        self._picker = picker

    def row(self, index: int, width: int) -> Content:
        cursor = Content.styled(*self.cursor_mark(index))
        return self._picker.draw(self.rows[index], cursor, width)

    def clicked(self, index: int, times: int) -> None:
        self.action_choose()


class Picker(ModalScreen[T | None], Generic[RowT, T]):
    """A screen that gives what is picked, or None.

    A subclass lists rows in `narrow`, draws one in `draw` and gives its value in `take`.
    """

    BINDINGS = bindings("picker")
    CSS_PATH = str(Path(__file__).with_name("dialogs.tcss"))  # its subclasses live elsewhere
    placeholder = ""
    """Text of the empty box; without it `/` opens one."""
    wide = False
    previews = False
    """True if the next screen shows what is picked before anything is done: Enter is `preview`."""

    def __init__(self, title: str, count: str = "", *, cursor: int = 0) -> None:
        super().__init__()
        self.list = PickList[RowT, T](self)
        self._heading, self._count, self._first_cursor = title, count, cursor
        self._listed_for: str | None = None
        self._is_pick_pending = False

    @abstractmethod
    def narrow(self, typed: str) -> object:
        """List the rows that match what is typed, by `show_rows`: at once or from a worker.

        The returned value is ignored.
        """

    @abstractmethod
    def draw(self, row: RowT, cursor: Content, width: int) -> Content:
        """Return a row of `width` cells that begins with the mark of the cursor."""

    @abstractmethod
    def take(self, row: RowT) -> None:
        """Leave by `dismiss` with the value of a row."""

    def about(self, row: RowT) -> str:
        """Return what is shown below the list while the cursor is on a row."""
        return ""

    def highlighted(self, row: RowT) -> object:
        """Follow the cursor, which is on another row now; the returned value is ignored."""

    def compose(self) -> ComposeResult:
        with Window(id="picker") as window:
            window.set_class(self.wide, "-wide")
            window.set_class(not self.placeholder, "-short")
            if self.placeholder:
                self.list.can_focus = False
                yield Box(id="picker-text", placeholder=self.placeholder)
            else:
                yield FilterBox()
            yield StatusLine(id="picker-said")
            yield self.list
            with Reader(id="picker-about"):
                yield Static(markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.window.set_title(self._heading, self._count)
        self.set_focus(self.query_one(Box) if self.placeholder else self.list)
        self.query_one("#picker-about").display = False
        self.narrow("")
        self.list.cursor = self._first_cursor

    @property
    def window(self) -> Window:
        return self.query_one(Window)

    @property
    def typed(self) -> str:
        return self.query_one(Input).value.strip()

    def show_message(self, sentence: str) -> None:
        self.query_one(StatusLine).show_message(sentence)

    def show_rows(self, rows: Sequence[RowT], typed: str) -> None:
        """List the rows that match `typed`, then pick one if Enter was pressed meanwhile."""
        self._listed_for = typed
        self.list.cursor = 0
        self.list.list_rows(rows)
        self.show_about()
        if self._is_pick_pending:
            self._is_pick_pending = False
            self.action_pick()

    def on_input_changed(self) -> None:
        self.narrow(self.typed)

    @on(RowList.Moved)
    def show_about(self) -> None:
        about = self.query_one("#picker-about", Reader)
        text = "" if (row := self.list.at) is None else self.about(row)
        about.display = bool(text)
        about.query_one(Static).update(visible(text))
        about.scroll_home(animate=False)
        if row is not None:
            self.highlighted(row)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("pick", "preview"):
            return self.previews == (action == "preview")
        if action == "filter":
            return not self.placeholder
        return action != "complete"

    def action_filter(self) -> None:
        self.query_one(FilterBox).open()

    def on_filter_box_left(self) -> None:
        self.set_focus(self.list)

    def action_pick(self) -> None:
        """Pick a row of those for all that is typed: Enter may overtake the last letters."""
        if self._listed_for != self.typed:
            self.narrow(self.typed)
        if self._listed_for == self.typed:
            self.pick()
        else:
            self.pick_later()

    action_preview = action_pick

    def pick_later(self) -> None:
        """Pick as soon as the next rows are listed."""
        self._is_pick_pending = True

    @on(RowList.Chosen)
    def pick(self) -> None:
        if (row := self.list.at) is not None:
            self.take(row)

    def action_step(self, rows: int) -> None:
        self.list.action_move(rows)
