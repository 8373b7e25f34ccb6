"""What every picker shares: a box to type in above a list, of which one row is picked."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import MOVE, RowList
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.titled import Titled

T = TypeVar("T")


def stepping(name: str) -> list[BindingType]:
    """The keys of a picker beside the one that picks, their ids `<name>.down` and so on."""
    return [
        Binding("escape", "dismiss(None)", "back", id=f"{name}.back"),
        Binding("down", "step(1)", "down", show=False, group=MOVE, id=f"{name}.down"),
        Binding("up", "step(-1)", "up", show=False, group=MOVE, id=f"{name}.up"),
        Binding("pagedown", "step(10)", "ten down", show=False, group=MOVE, id=f"{name}.pgdn"),
        Binding("pageup", "step(-10)", "ten up", show=False, group=MOVE, id=f"{name}.pgup"),
    ]


class PickList(RowList):
    """The rows to pick from. `narrowed_to` is what was typed for those that are listed."""

    def __init__(self) -> None:
        super().__init__(id="picker-list")
        self.narrowed_to = ""

    @property
    def cursor_stays(self) -> bool:
        """The cursor shows while the box above has the focus."""
        return True

    def list_rows(self, number: int, typed: str) -> None:
        """Draw so many rows, those for what was `typed`."""
        self.narrowed_to = typed
        self.row_count = number
        self.cursor = 0
        self.reload()

    def clicked(self, index: int, times: int) -> None:
        """One click chooses."""
        self.action_choose()


class PickerWindow(Titled, Vertical):
    """What stands around box and list, with a title in its border."""


class ListPicker(ModalScreen[T | None]):
    """A list that narrows while one types; gives what is picked, or None.

    Enter may overtake the last letters: it picks of what is listed for all of them.
    """

    CSS_PATH = str(Path(__file__).with_name("dialogs.tcss"))  # its subclasses live elsewhere
    AUTO_FOCUS = "#picker-text"
    wide: ClassVar[bool] = False

    def __init__(self, rows: PickList, *, placeholder: str, restrict: str = "") -> None:
        """`restrict` is a pattern for what can be typed."""
        super().__init__()
        self._rows = rows
        self._placeholder = placeholder
        self._restrict = restrict
        self._picking = False

    @abstractmethod
    def narrow(self, typed: str) -> None:
        """List what fits what is typed, at once or, with `narrowed` said then, later."""

    @abstractmethod
    def pick(self) -> None:
        """Give what the cursor is at."""

    def compose(self) -> ComposeResult:
        """A box to type in above the list."""
        with PickerWindow(id="picker") as window:
            window.set_class(self.wide, "-wide")
            yield Box(
                id="picker-text", placeholder=self._placeholder, restrict=self._restrict or None
            )
            yield StatusLine(id="picker-said")
            yield self._rows
        yield KeyBar(id="keys")

    @property
    def window(self) -> PickerWindow:
        """The window, whose border names what is listed."""
        return self.query_one(PickerWindow)

    @property
    def typed(self) -> str:
        """What stands in the box."""
        return self.query_one(Input).value.strip()

    def say(self, sentence: str) -> None:
        """Say something above the list."""
        self.query_one(StatusLine).say(sentence)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        self.narrow(self.typed)

    def narrowed(self) -> None:
        """The list is there; pick what was asked for in the meantime."""
        if self._picking:
            self._picking = False
            self.action_pick()

    def pick_later(self) -> None:
        """Pick once the list is there."""
        self._picking = True

    def action_pick(self) -> None:
        """Give what the cursor is at, of the list for what is typed."""
        if self._rows.narrowed_to != self.typed:
            self.narrow(self.typed)
        if self._rows.narrowed_to == self.typed:
            self.pick()
        else:
            self.pick_later()

    def action_step(self, rows: int) -> None:
        """Move in the list while the box keeps the focus."""
        self._rows.action_move(rows)

    def on_row_list_chosen(self) -> None:
        """Give what was clicked."""
        self.pick()
