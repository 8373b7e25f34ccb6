"""Choose whose language model picks the memories of a session, or that rules do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.formatting import fit, plural
from memtui.settings.programs import Program
from memtui.tui import routes
from memtui.tui.route import Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.titled import Titled
from memtui.words.programs import terms
from store.text import visible

_RULES = Program("", "Rules", "")


class ProgramList(RowList):
    """Who can pick, one a line."""

    def __init__(self, programs: Sequence[Program], chosen: str) -> None:
        super().__init__(id="program-list")
        self._programs, self._chosen = programs, chosen

    def on_mount(self) -> None:
        """List them, the cursor at the model that picked last, else at the first."""
        self.row_count = len(self._programs)
        commands = [it.command for it in self._programs]
        if self._chosen and self._chosen in commands:
            self.cursor = commands.index(self._chosen)

    @property
    def at(self) -> Program:
        """The one under the cursor."""
        return self._programs[self.cursor]

    def row(self, index: int, width: int) -> Content:
        """Cursor mark, name, and whether the list at hand is its."""
        program = self._programs[index]
        state = "picked these" if program.command == self._chosen else ""
        return Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            fit(visible(program.name, newlines=False), max(0, width - len(state) - 4)),
            (f" {state} ", "$dim"),
        )

    def clicked(self, index: int, times: int) -> None:
        """A click shows what it would do."""


class ProgramWindow(Titled, Vertical):
    """What stands around the list and the terms, with a title in its border."""


class ProgramPicker(ModalScreen[str | None]):
    """A short list and the terms of the one under the cursor; gives its command, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "pick", "pick", id="programs.pick", tooltip="Have it pick the memories"),
        Binding("escape,q", "dismiss(None)", "back", key_display="esc", id="programs.back"),
    ]
    CSS_PATH = "capture.tcss"
    AUTO_FOCUS = "#program-list"

    def __init__(self, context: Context, route: routes.PickProgram) -> None:
        super().__init__()
        self._list = ProgramList([*route.programs, _RULES], route.chosen)
        self._sessions = route.sessions

    def compose(self) -> ComposeResult:
        """The list above the terms."""
        with ProgramWindow(id="programs"):
            yield self._list
            yield Static(id="program-terms", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Name the window."""
        self.query_one(ProgramWindow).set_title("Pick with")
        self.show_terms()

    @on(RowList.Moved)
    def show_terms(self) -> None:
        """Say what the one under the cursor is sent, and at whose cost."""
        program = self._list.at
        said = ["Picks them on this machine, at once."]
        if program != _RULES:
            sent, _, *rest = terms(program.title)
            said = [sent, *rest]
            if self._sessions > 1:
                said.append(f"Up to {plural(self._sessions, 'prompt')} for these sessions.")
        self.query_one("#program-terms", Static).update("\n".join(said))

    @on(RowList.Chosen)
    def action_pick(self) -> None:
        """Give what the cursor is at."""
        self.dismiss(self._list.at.command)
