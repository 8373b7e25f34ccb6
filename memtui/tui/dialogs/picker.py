"""Pick one row of a list, which narrows as one types where there is a box to type in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.formatting import count, fit
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.routes import Choice, Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Box, Reader, StatusLine, Window
from memtui.tui.widgets.row_list import RowList
from store.text.display import visible, visible_line

RowT = TypeVar("RowT")
T = TypeVar("T")


class PickList(RowList[RowT], Generic[RowT, T]):
    """The rows to pick from. `narrowed_to` is what was typed for those that are listed."""

    keeps_cursor = True

    def __init__(self, picker: Picker[RowT, T]) -> None:
        super().__init__(id="picker-list")
        self._picker = picker
        self.narrowed_to: str | None = None

    def show(self, rows: Sequence[RowT], typed: str) -> None:
        """List these, found for what was `typed`."""
        self.narrowed_to = typed
        self.cursor = 0
        self.list_rows(rows)

    def row(self, index: int, width: int) -> Content:
        cursor = Content.styled(*self.cursor_mark(index))
        return self._picker.draw(self.rows[index], cursor, width)

    def clicked(self, index: int, times: int) -> None:
        self.action_choose()


class Picker(ModalScreen[T | None], Generic[RowT, T]):
    """Gives what is picked, or None.

    Enter may overtake the last letters: it picks of what is listed for all of them.
    """

    BINDINGS = bindings("picker")
    CSS_PATH = str(Path(__file__).with_name("dialogs.tcss"))  # its subclasses live elsewhere
    placeholder = ""
    """Stands in the empty box; without it there is no box."""
    wide = False
    previews = False
    """True if what is picked is shown before anything is done with it."""

    def __init__(self, title: str, count: str = "") -> None:
        super().__init__()
        self._window_title = (title, count)
        self.list = PickList[RowT, T](self)
        self._picking = False
        self.at = 0
        """The row that the cursor begins at."""

    @abstractmethod
    def narrow(self, typed: str) -> object:
        """List what fits what is typed by `list.show`; where that is later, call `narrowed`.

        What it returns is ignored: an `exclusive_worker` returns its worker.
        """

    @abstractmethod
    def draw(self, row: RowT, cursor: Content, width: int) -> Content:
        """Return a row of so many cells that begins with the cursor's mark."""

    @abstractmethod
    def take(self, row: RowT) -> None:
        """Leave with what a row gives, by `dismiss`."""

    def about(self, row: RowT) -> str:
        return ""

    def compose(self) -> ComposeResult:
        with Window(id="picker") as window:
            window.set_class(self.wide, "-wide")
            window.set_class(not self.placeholder, "-short")
            if self.placeholder:
                self.list.can_focus = False
                yield Box(id="picker-text", placeholder=self.placeholder)
            yield StatusLine(id="picker-said")
            yield self.list
            with Reader(id="picker-about"):
                yield Static(markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.window.set_title(*self._window_title)
        self.query_one("#picker-about").display = False
        self.set_focus(self.query_one(Box) if self.placeholder else self.list)
        self.narrow("")
        self.list.cursor = self.at
        self.show_about()

    @property
    def window(self) -> Window:
        return self.query_one(Window)

    @property
    def typed(self) -> str:
        return self.query_one(Input).value.strip() if self.placeholder else ""

    def say(self, sentence: str) -> None:
        self.query_one(StatusLine).say(sentence)

    def on_input_changed(self) -> None:
        self.narrow(self.typed)

    @on(RowList.Moved)
    def show_about(self) -> None:
        about = self.query_one("#picker-about", Reader)
        words = "" if (row := self.list.at) is None else self.about(row)
        about.display = bool(words)
        about.query_one(Static).update(visible(words))
        about.scroll_home(animate=False)

    def narrowed(self) -> None:
        """The list is there; pick what was asked for in the meantime."""
        if self._picking:
            self._picking = False
            self.action_pick()

    def pick_later(self) -> None:
        self._picking = True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "pick":
            return self.previews == (parameters == (True,))
        return action != "complete"

    def action_pick(self, previews: bool = False) -> None:
        if self.list.narrowed_to != self.typed:
            self.narrow(self.typed)
        if self.list.narrowed_to == self.typed:
            self.pick()
        else:
            self.pick_later()

    def action_step(self, rows: int) -> None:
        self.list.action_move(rows)

    @on(RowList.Chosen)
    def pick(self) -> None:
        if (row := self.list.at) is not None:
            self.take(row)


class ChoicePicker(Picker[Choice[Any], Any]):
    """Choices that are known, each with its fact, its words or a bar to compare by."""

    def __init__(self, context: Context, route: routes.Pick[Any]) -> None:
        known = [choice for choice in route.choices if choice.key]
        super().__init__(route.title, count(len(known)) if route.placeholder else "")
        self.placeholder, self.previews = route.placeholder, route.previews
        self._route, self.at = route, route.at
        self._choices = list(route.choices)
        self._most = max((choice.number for choice in known), default=1)
        widest = max((len(choice.name) for choice in route.choices), default=0)
        self._name_width = min(28, max(14, widest + 2))

    def on_mount(self) -> None:
        self._read_words()

    @exclusive_worker(group="words")
    async def _read_words(self) -> None:
        """Add the words of choices; what is typed finds them by these, too."""
        if self._route.read_words is None:
            return
        if words := await ask(self._route.read_words):
            self._choices = [
                replace(choice, words=words.get(choice.value, "")) for choice in self._choices
            ]
            at = self.list.cursor
            self.narrow(self.typed)
            self.list.cursor = at

    def narrow(self, typed: str) -> None:
        """List only those that begin with `typed`, that very one first; or have it anywhere.

        A choice of what none of them is called comes last.
        """
        asked = typed.casefold()

        def place(choice: Choice[Any]) -> int:
            key = choice.key.casefold()
            return 0 if key == asked else 1 if key.startswith(asked) else 2

        found = [
            choice
            for choice in self._choices
            if choice.key.casefold().startswith(asked)
            or (self._route.anywhere and asked in choice.key.casefold())
            or (choice.words and all(word in choice.words.casefold() for word in asked.split()))
        ]
        listed = sorted(found, key=place) if asked else self._choices
        if asked and all(map(place, found)) and (unknown := self._route.unknown(typed)):
            listed = [*listed, unknown]
        self.list.show(listed, typed)

    def draw(self, row: Choice[Any], cursor: Content, width: int) -> Content:
        if not self.placeholder:
            name = fit(row.name, max(0, width - len(row.fact) - 4))
            return Content.assemble(cursor, name, (f" {row.fact} ", "$dim"))
        room = max(0, width - self._name_width - 3 - 10)
        cells = max(1, round(room * row.number / self._most)) if row.key else 0
        middle = fit(visible_line(row.words), room) if row.words else "━" * cells
        if row.is_chosen and not cursor.plain.strip():
            cursor = Content.styled("✓ ", "$accent-text")
        return Content.assemble(
            cursor,
            (fit(row.name, self._name_width), "bold $accent-text" if row.is_chosen else ""),
            (middle, "$dim"),
            " " * (room - cell_len(middle)),
            (fit(row.fact, 9, align="right"), "$dim"),
            " ",
        )

    def take(self, row: Choice[Any]) -> None:
        self.dismiss(row.value)

    def about(self, row: Choice[Any]) -> str:
        return self._route.about(row.value)
