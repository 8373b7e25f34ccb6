"""One question before something large is done: Enter does it, Esc leaves everything as it is."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.tui import routes
from memtui.tui.route import Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.reader import Reader


class ConfirmScreen(ModalScreen[bool]):
    """Asks, naming the figures; gives True for yes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "dismiss(True)", "yes", id="confirm.yes", tooltip="Confirm"),
        Binding(
            "escape,q",
            "dismiss(False)",
            "back",
            key_display="esc",
            id="confirm.back",
            tooltip="Change nothing",
        ),
    ]
    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "#confirm"

    def __init__(self, context: Context, route: routes.Confirm) -> None:
        super().__init__()
        self._title = route.title
        self._question = route.question

    def compose(self) -> ComposeResult:
        """The question above the keys."""
        with Reader(id="confirm"):
            yield Static(self._question, markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Name the window."""
        self.query_one(Reader).set_title(self._title)
