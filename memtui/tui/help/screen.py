"""The keys of a screen, as its bindings have them: found by words, and run from here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from textual import on
from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.formatting import fit
from memtui.tui.frame import routes
from memtui.tui.frame.keys import added_by_tooltip, bindings
from memtui.tui.frame.route import Context, Open
from memtui.tui.reports.overview import OverviewList
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Window
from memtui.tui.widgets.row_list import RowList

FIRST_PAGE = "index.md"
_ORDER = ("Find", "Choose", "Edit", "Here", "Move", "View", "Everywhere")
_KEYS = 13
"""Cells of the column of keys."""


class KeyRow(NamedTuple):
    """An action: its keys as they are shown, its word, what it does, and the first of its keys."""

    group: str
    keys: str
    word: str
    meaning: str
    active: ActiveBinding


class KeyList(OverviewList[KeyRow]):
    """One action a line, in groups."""

    def __init__(self) -> None:
        super().__init__(id="help-keys")
        self._word = 0

    def show(self, rows: Iterable[KeyRow]) -> None:
        listed = list(rows)
        self._word = max((len(row.word) for row in listed), default=0) + 2
        self.list_rows(
            [
                line
                for group, members in groupby(listed, key=lambda row: row.group)
                for line in (group, *members)
            ]
        )

    def row_key(self, row: KeyRow) -> str:
        return row.active.binding.action

    def draw(self, row: KeyRow, index: int, width: int) -> Content:
        return Content.assemble(
            self.cursor_mark(index),
            (fit(row.keys, _KEYS), "bold $accent-text"),
            fit(row.word, self._word),
            (fit(row.meaning, max(0, width - _KEYS - self._word - 3)), "$dim"),
        )


class HelpScreen(ModalScreen[ActiveBinding | None]):
    """Keys of the screen one came from, with a sentence for each; gives the one to run."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (10, "-high")]  # noqa: RUF012 - as Screen has it
    BINDINGS = bindings("help")
    CSS_PATH = "help.tcss"
    AUTO_FOCUS = "#help-keys"

    def __init__(self, context: Context, route: routes.Help) -> None:
        super().__init__()
        self._keys = list(route.bindings)
        self._page = route.page

    def compose(self) -> ComposeResult:
        with Window(id="help-page"):
            yield FilterBox()
            yield KeyList()
            yield Static(id="help-meaning", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(Window).set_title("Keys here")
        self._list.show(key_rows(self._keys, self.app))
        self._show_meaning()

    @property
    def _list(self) -> KeyList:
        return self.query_one(KeyList)

    @on(RowList.Moved)
    def _show_meaning(self) -> None:
        row = self._list.at
        nothing = "Nothing matches. Esc clears the filter."
        self.query_one("#help-meaning", Static).update(row.meaning or row.word if row else nothing)

    def action_filter(self) -> None:
        self.query_one(FilterBox).open()

    @on(FilterBox.Changed)
    def _narrow(self, event: FilterBox.Changed) -> None:
        self._list.narrow(event.value)
        self._show_meaning()

    def on_filter_box_left(self) -> None:
        self.set_focus(self._list)

    def action_run(self) -> None:
        if (row := self._list.at) is not None:
            self.dismiss(row.active)

    def action_leave(self) -> None:
        if self._list.is_narrowed:
            self.query_one(FilterBox).action_clear()
        else:
            self.dismiss()

    def action_manual(self) -> None:
        self.post_message(Open(routes.Manual(self._page or FIRST_PAGE), replace=True))


def key_rows(bindings: Iterable[ActiveBinding], app: App[object]) -> Iterator[KeyRow]:
    """Yield the actions of these keys, each once, by group in the order of the help."""
    found: dict[tuple[str, str], tuple[list[str], ActiveBinding]] = {}
    for active in bindings:
        binding = active.binding
        if is_listed(binding):
            own = "Everywhere" if isinstance(active.node, App) else "Here"
            group = binding.group.description if binding.group else own
            keys, _ = found.setdefault((group, binding.action), ([], active))
            if (key := app.get_key_display(binding)) not in keys:
                keys.append(key)
    groups = sorted(dict.fromkeys(group for group, _ in found), key=_position)
    for (group, _), (keys, active) in sorted(
        found.items(), key=lambda row: groups.index(row[0][0])
    ):
        word, meaning = active.binding.description, added_by_tooltip(active.binding)
        yield KeyRow(group, "  ".join(keys), word, meaning, active)


def is_listed(binding: Binding) -> bool:
    return not binding.system and bool(binding.description) and binding.id is not None


def _position(group: str) -> int:
    return _ORDER.index(group) if group in _ORDER else len(_ORDER) - 1
