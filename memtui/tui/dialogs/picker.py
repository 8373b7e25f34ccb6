"""Pick one row of a list, which narrows as one types where there is a box to type in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.formatting import fit
from memtui.tui.frame.keys import bindings
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine, Titled
from memtui.tui.widgets.row_list import RowList
from store.text.display import visible

RowT = TypeVar("RowT")
T = TypeVar("T")


class PickList(RowList, Generic[RowT, T]):
    """The rows to pick from. `narrowed_to` is what was typed for those that are listed."""

    def __init__(self, picker: Picker[RowT, T]) -> None:
        super().__init__(id="picker-list")
        self._picker = picker
        self.rows: Sequence[RowT] = ()
        self.narrowed_to: str | None = None

    def show(self, rows: Sequence[RowT], typed: str) -> None:
        """List these, found for what was `typed`."""
        self.rows, self.narrowed_to = rows, typed
        self.row_count = len(rows)
        self.cursor = 0
        self.reload()

    @property
    def at(self) -> RowT | None:
        return self.rows[self.cursor] if self.rows else None

    @property
    def cursor_stays(self) -> bool:
        return True

    def row(self, index: int, width: int) -> Content:
        cursor = Content.styled("▸ " if index == self.cursor else "  ", "$accent-text")
        return self._picker.draw(self.rows[index], cursor, width)

    def clicked(self, index: int, times: int) -> None:
        self.action_choose()


class PickerWindow(Titled, Vertical):
    """The frame around box, rows and what is said of the row under the cursor."""


class Picker(ModalScreen[T | None], Generic[RowT, T]):
    """Gives what is picked, or None.

    Enter may overtake the last letters: it picks of what is listed for all of them.
    """

    BINDINGS = bindings("picker")
    CSS_PATH = str(Path(__file__).with_name("dialogs.tcss"))  # its subclasses live elsewhere
    placeholder: ClassVar[str] = ""
    """What stands in the empty box; without it there is no box."""
    restrict: ClassVar[str] = ""
    """A pattern for what can be typed."""
    wide: ClassVar[bool] = False
    previews: ClassVar[bool] = False
    """Whether what is picked is shown before anything is done with it."""

    def __init__(self, title: str, count: str = "") -> None:
        super().__init__()
        self._window_title = (title, count)
        self.list = PickList[RowT, T](self)
        self._picking = False

    @abstractmethod
    def narrow(self, typed: str) -> None:
        """List what fits what is typed by `list.show`; where that is later, call `narrowed`."""

    @abstractmethod
    def draw(self, row: RowT, cursor: Content, width: int) -> Content:
        """A row of so many cells that begins with the cursor's mark."""

    @abstractmethod
    def value_of(self, row: RowT) -> T:
        """What picking a row gives."""

    def about(self, row: RowT) -> str:
        """What is said below the list of the row under the cursor."""
        return ""

    def compose(self) -> ComposeResult:
        with PickerWindow(id="picker") as window:
            window.set_class(self.wide, "-wide")
            window.set_class(not self.placeholder, "-short")
            if self.placeholder:
                self.list.can_focus = False
                yield Box(
                    id="picker-text",
                    placeholder=self.placeholder,
                    restrict=self.restrict or None,
                )
            yield StatusLine(id="picker-said")
            yield self.list
            yield Static(id="picker-about", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.window.set_title(*self._window_title)
        self.query_one("#picker-about").display = False
        self.set_focus(self.query_one(Box) if self.placeholder else self.list)
        self.narrow("")

    @property
    def window(self) -> PickerWindow:
        """The frame, whose border names what is listed."""
        return self.query_one(PickerWindow)

    @property
    def typed(self) -> str:
        return self.query_one(Input).value.strip() if self.placeholder else ""

    def say(self, sentence: str) -> None:
        """Say something above the list."""
        self.query_one(StatusLine).say(sentence)

    def on_input_changed(self) -> None:
        self.narrow(self.typed)

    @on(RowList.Moved)
    def show_about(self) -> None:
        """Say what there is to say of the row under the cursor."""
        about = self.query_one("#picker-about", Static)
        said = "" if (row := self.list.at) is None else self.about(row)
        about.display = bool(said)
        about.update(visible(said))

    def narrowed(self) -> None:
        """The list is there; pick what was asked for in the meantime."""
        if self._picking:
            self._picking = False
            self.action_pick()

    def pick_later(self) -> None:
        """Pick once the list is there."""
        self._picking = True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("pick", "preview"):
            return self.previews == (action == "preview")
        return action != "complete"

    def action_preview(self) -> None:
        self.action_pick()

    def action_pick(self) -> None:
        """Give what the cursor is at, of the list for what is typed."""
        if self.list.narrowed_to != self.typed:
            self.narrow(self.typed)
        if self.list.narrowed_to == self.typed:
            self.pick()
        else:
            self.pick_later()

    def action_step(self, rows: int) -> None:
        """Move in the list while the box keeps the focus."""
        self.list.action_move(rows)

    @on(RowList.Chosen)
    def pick(self) -> None:
        """Give what the cursor is at."""
        if (row := self.list.at) is not None:
            self.dismiss(self.value_of(row))


class ShortPicker(Picker[RowT, T]):
    """A few rows without a box, each a name and a fact at its right end."""

    def __init__(self, title: str, rows: Sequence[tuple[RowT, str, str]], at: int = 0) -> None:
        """`rows` are what they are of, name and fact; the cursor begins `at` one of them."""
        super().__init__(title)
        self._facts = {id(row): (name, fact) for row, name, fact in rows}
        self._all = [row for row, _, _ in rows]
        self._begin = at

    def narrow(self, typed: str) -> None:
        self.list.show(self._all, typed)
        self.list.cursor = self._begin
        self.show_about()

    def draw(self, row: RowT, cursor: Content, width: int) -> Content:
        name, fact = self._facts[id(row)]
        named = fit(visible(name, newlines=False), max(0, width - len(fact) - 4))
        return Content.assemble(cursor, named, (f" {fact} ", "$dim"))
