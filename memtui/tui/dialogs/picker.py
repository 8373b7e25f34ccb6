"""Pick one of a counted list that narrows as one types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.formatting import count, fit
from memtui.tui.dialogs.list_picker import ListPicker, PickList, stepping
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


class ChoiceList(PickList):
    """Choices, each with its count and a bar to compare by."""

    def __init__(
        self,
        choices: Sequence[Choice[Any]],
        *,
        anywhere: bool,
        other: Callable[[str], Choice[Any] | None],
    ) -> None:
        super().__init__()
        self._all = choices
        self._other = other
        self._anywhere = anywhere
        self._most = max((choice.count for choice in choices if choice.typed), default=1)
        widest = max((len(choice.name) for choice in choices), default=0)
        self._name_width = min(28, max(14, widest + 2))
        self._listed: Sequence[Choice[Any]] = ()

    def on_mount(self) -> None:
        """List them all."""
        self.narrow("")

    def narrow(self, typed: str) -> None:
        """List only those that begin with `typed`, that very one first; or hold it anywhere.

        What none of them is called comes last, where it can be picked too.
        """
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
        self.list_rows(len(self._listed), typed)

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


class PickScreen(ListPicker[T]):
    """A counted list that narrows while one types; gives the value picked, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *stepping("picker"),
        Binding("enter", "pick", "pick", id="picker.pick", priority=True),
    ]

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
        self._title = title
        self._known = sum(bool(choice.typed) for choice in choices)
        self._list = ChoiceList(choices, anywhere=anywhere, other=other)
        super().__init__(self._list, placeholder=placeholder, restrict=restrict)

    def on_mount(self) -> None:
        """Name the window."""
        self.window.set_title(self._title, count(self._known))

    def narrow(self, typed: str) -> None:
        """List what begins with it, or holds it."""
        self._list.narrow(typed)

    def pick(self) -> None:
        """Give what the cursor is at."""
        if (choice := self._list.choice) is not None:
            self.dismiss(choice.value)
