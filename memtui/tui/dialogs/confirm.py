"""A question, or a plan, before something is done: Enter does it, Esc leaves all as it is."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen

from memtui.formatting import plural
from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.routes import Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Reader
from memtui.tui.widgets.paragraphs import Paragraphs


class ConfirmScreen(ModalScreen[bool]):
    BINDINGS = bindings("confirm")
    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "#confirm"

    def __init__(self, context: Context, route: routes.Confirm) -> None:
        super().__init__()
        self._question = route

    def compose(self) -> ComposeResult:
        with Reader(id="confirm", classes=f"pane -{self._question.verb}"):
            yield Paragraphs(self._question.body, id="confirm-text")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        changes = plural(self._question.changes, "change") if self._question.changes else ""
        self.query_one(Reader).set_title(self._question.title, changes)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == self._question.verb or action not in ("yes", "apply", "edit")

    def action_yes(self) -> None:
        self.dismiss(True)

    def action_apply(self) -> None:
        self.dismiss(True)

    def action_edit(self) -> None:
        self.dismiss(True)
