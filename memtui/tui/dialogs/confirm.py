"""One question before something large is done: Enter does it, Esc leaves everything as it is."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.routes import Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.reader import Reader


class ConfirmScreen(ModalScreen[bool]):
    """Asks, naming the figures; gives True for yes."""

    BINDINGS = bindings("confirm")
    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "#confirm"

    def __init__(self, context: Context, route: routes.Confirm) -> None:
        super().__init__()
        self._title = route.title
        self._question = route.question

    def compose(self) -> ComposeResult:
        with Reader(id="confirm"):
            yield Static(self._question, markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(Reader).set_title(self._title)
