"""Pick one of a counted list that narrows as one types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from memtui.formatting import count, fit
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import MOVE, RowList
from memtui.tui.widgets.titled import Titled
from store.text import visible

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One that can be picked: what it gives, its name, and what is typed to find it.

    Without `typed` it stands for all, above the others while nothing is typed. `words` say what it
    is about; any of them finds it too.
    """

    value: T
    name: str
    typed: str
    count: int
    chosen: bool = False
    words: str = ""


class ChoiceList(RowList):
    """Choices, each with its count and a bar to compare by."""

    def __init__(
        self,
        choices: Sequence[Choice[Any]],
        *,
        anywhere: bool,
        other: Callable[[str], Choice[Any] | None],
    ) -> None:
        super().__init__(id="picker-list")
        self._all = choices
        self._other = other
        self._anywhere = anywhere
        self._most = max((choice.count for choice in choices if choice.typed), default=1)
        widest = max((len(choice.name) for choice in choices), default=0)
        self._name_width = min(28, max(14, widest + 2))
        self._listed: Sequence[Choice[Any]] = ()
        self.narrowed_to = ""

    def on_mount(self) -> None:
        """List them all."""
        self.narrow("")

    def narrow(self, typed: str) -> None:
        """List only those that begin with `typed`, that very one first; or hold it anywhere.

        What none of them is called comes last, where it can be picked too.
        """
        self.narrowed_to = typed
        asked = typed.casefold()

        def place(choice: Choice[Any]) -> int:
            name = choice.typed.casefold()
            return 0 if name == asked else 1 if name.startswith(asked) else 2

        found = [
            choice
            for choice in self._all
            if choice.typed.casefold().startswith(asked)
            or (self._anywhere and asked in choice.typed.casefold())
            or (choice.words and all(word in choice.words.casefold() for word in asked.split()))
        ]
        self._listed = sorted(found, key=place) if asked else self._all
        if asked and all(place(choice) for choice in found) and (other := self._other(typed)):
            self._listed = [*self._listed, other]
        self.row_count = len(self._listed)
        self.cursor = 0
        self.reload()

    def describe(self, words: Mapping[Any, str], typed: str) -> None:
        """Say what choices are about, by their values; what is `typed` finds them by it, too."""
        self._all = [replace(choice, words=words.get(choice.value, "")) for choice in self._all]
        at = self.cursor
        self.narrow(typed)
        self.cursor = min(at, max(0, self.row_count - 1))

    @property
    def choice(self) -> Choice[Any] | None:
        """The one under the cursor."""
        return self._listed[self.cursor] if self._listed else None

    @property
    def cursor_stays(self) -> bool:
        """The cursor shows while the box above has the focus."""
        return True

    def row(self, index: int, width: int) -> Content:
        """Check mark, name, bar, count."""
        choice = self._listed[index]
        room = max(0, width - self._name_width - 3 - 10)
        if choice.words:
            return self._told(choice, room, at_cursor=index == self.cursor)
        cells = max(1, round(room * choice.count / self._most)) if choice.typed else 0
        return Content.assemble(
            ("▸ " if index == self.cursor else "✓ " if choice.chosen else "  ", "$accent-text"),
            (fit(choice.name, self._name_width), "bold $accent-text" if choice.chosen else ""),
            ("━" * cells, "$dim"),
            " " * (room - cells),
            (fit(count(choice.count), 9, align="right"), "$dim"),
            " ",
        )

    def _told(self, choice: Choice[Any], room: int, *, at_cursor: bool) -> Content:
        """Check mark, name, what it is about, count."""
        about = visible(choice.words, newlines=False)
        return Content.assemble(
            ("▸ " if at_cursor else "✓ " if choice.chosen else "  ", "$accent-text"),
            (fit(choice.name, self._name_width), "bold $accent-text" if choice.chosen else ""),
            (fit(about, room), "$dim"),
            (fit(count(choice.count), 9, align="right"), "$dim"),
            " ",
        )

    def clicked(self, index: int, times: int) -> None:
        """One click chooses."""
        self.action_choose()


class PickerWindow(Titled, Vertical):
    """The window of a picker."""


class PickScreen(ModalScreen[T | None]):
    """A list that narrows while one types; gives the value picked, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back", id="picker.back"),
        Binding("down", "step(1)", "down", show=False, group=MOVE, id="picker.down"),
        Binding("up", "step(-1)", "up", show=False, group=MOVE, id="picker.up"),
        Binding("pagedown", "step(10)", "ten down", show=False, group=MOVE, id="picker.pgdn"),
        Binding("pageup", "step(-10)", "ten up", show=False, group=MOVE, id="picker.pgup"),
        Binding("enter", "pick", "pick", id="picker.pick", priority=True),
    ]
    CSS_PATH = str(Path(__file__).with_name("dialogs.tcss"))  # its subclasses live elsewhere
    AUTO_FOCUS = "#picker-text"

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice[T]],
        *,
        placeholder: str,
        restrict: str = "",
        anywhere: bool = True,
        other: Callable[[str], Choice[T] | None] = lambda typed: None,
    ) -> None:
        """`restrict` is a pattern for what can be typed; `anywhere` finds it inside a name too;
        `other` makes a choice of what is typed and stands for none of them.
        """
        super().__init__()
        self._title = title
        self._choices = choices
        self._placeholder = placeholder
        self._restrict = restrict
        self._anywhere = anywhere
        self._other = other

    def compose(self) -> ComposeResult:
        """A box to type in above the list."""
        with PickerWindow(id="picker"):
            yield Box(
                id="picker-text",
                placeholder=self._placeholder,
                restrict=self._restrict or None,
            )
            yield ChoiceList(self._choices, anywhere=self._anywhere, other=self._other)
        yield KeyBar(id="keys")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        self.query_one(ChoiceList).narrow(event.value)

    def on_mount(self) -> None:
        """Name the window."""
        known = sum(bool(choice.typed) for choice in self._choices)
        self.query_one(PickerWindow).set_title(self._title, count(known))

    def action_step(self, rows: int) -> None:
        """Move in the list while the box keeps the focus."""
        self.query_one(ChoiceList).action_move(rows)

    def action_pick(self) -> None:
        """Give what the cursor is at."""
        choices, typed = self.query_one(ChoiceList), self.query_one("#picker-text", Box).value
        if choices.narrowed_to != typed:  # Enter may overtake the last letters
            choices.narrow(typed)
        choice = choices.choice
        if choice is not None:
            self.dismiss(choice.value)

    def on_row_list_chosen(self) -> None:
        """Give what was clicked."""
        self.action_pick()
