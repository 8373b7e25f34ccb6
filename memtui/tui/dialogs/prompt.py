"""A window in which one value is typed; what can't be taken is said below."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.routes import Context
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine, Titled
from store.text.display import visible


class PromptWindow(Titled, Vertical):
    """The window around the box."""


class PromptScreen(ModalScreen[str | None]):
    """Asks for a value; gives its text, or None."""

    BINDINGS = bindings("prompt")
    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "#prompt-text"

    def __init__(self, context: Context, route: routes.Prompt) -> None:
        super().__init__()
        self._route = route

    def compose(self) -> ComposeResult:
        with PromptWindow(id="prompt"):
            yield Static(self._route.question, id="prompt-question", markup=False)
            yield Box(self._route.text, id="prompt-text")
            yield Static(visible(self._route.hint), id="prompt-hint", markup=False)
            yield StatusLine(id="prompt-said")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(PromptWindow).set_title(self._route.title, self._route.about)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in {"save", "apply"}:
            return self._route.saves == (action == "save")
        return action != "step" or bool(self._route.options)

    def on_input_changed(self) -> None:
        self.query_one(StatusLine).say("")

    def action_step(self, by: int) -> None:
        box, options = self.query_one(Input), self._route.options
        at = options.index(box.value) + by if box.value in options else 0
        box.value = options[at % len(options)]
        box.cursor_position = len(box.value)

    def action_apply(self) -> None:
        self.action_save()

    def action_save(self) -> None:
        text = self.query_one(Input).value.strip()
        if wrong := self._route.check(text):
            self.query_one(StatusLine).say(wrong)
        else:
            self.dismiss(text)
