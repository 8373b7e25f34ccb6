"""Questions: for a text, with what is wrong with it below; or for a yes to a plan."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.formatting import plural
from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import Paragraphs
from memtui.tui.frame.route import Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Box, Reader, StatusLine, Window
from store.text.display import visible


class PromptScreen(ModalScreen[str | None]):
    """Asks for a text; gives it, or None."""

    BINDINGS = bindings("prompt")
    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "#prompt-text"

    def __init__(self, context: Context, route: routes.Prompt) -> None:
        super().__init__()
        self._route = route

    def compose(self) -> ComposeResult:
        route = self._route
        with Window(id="prompt"):
            if route.question:
                yield Static(route.question, id="prompt-question", markup=False)
            yield Box(route.text, id="prompt-text")
            if route.hint or route.describe:
                yield Static(visible(route.hint), id="prompt-hint", markup=False)
            yield StatusLine(id="prompt-problem")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(Window).set_title(self._route.title, self._route.about)
        self._box = self.query_one(Box)
        if self._route.at is not None:
            self._box.cursor_position = self._route.at
        self._describe()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the key of the prompt's own verb, and one that steps where there is anything to."""
        writes = self._route.verb == "write"
        match action:
            case "save":
                return parameters == (self._route.verb,)
            case "format":
                return writes
            case "step":
                return not writes and bool(self._route.options(""))
        return True

    def on_input_changed(self) -> None:
        self._describe()
        self.query_one(StatusLine).show_message("")

    def _describe(self) -> None:
        if self._route.describe is not None:
            self.query_one("#prompt-hint", Static).update(self._route.describe(self._box.value))

    def action_step(self, by: int) -> None:
        """Type the option so many places after the one that is typed, else the first; the cursor
        stays before an ending where the prompt put it there.
        """
        box, options = self._box, self._route.options(self._box.value)
        at = options.index(box.value) + by if box.value in options else 0
        ending = 0 if self._route.at is None else len(box.value) - box.cursor_position
        box.value = options[at % len(options)]
        box.cursor_position = len(box.value) - ending

    def action_format(self) -> None:
        self.action_step(1)

    def action_save(self, verb: str) -> None:
        text = self._box.value.strip()
        if problem := self._route.check(text):
            self.query_one(StatusLine).show_message(problem)
        else:
            self.dismiss(text)


class ConfirmScreen(ModalScreen[bool]):
    """Shows what would be done; gives True for yes."""

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
        return action != "agree" or parameters == (self._question.verb,)

    def action_agree(self, verb: str) -> None:
        self.dismiss(True)
