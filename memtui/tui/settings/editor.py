"""A window in which one setting is typed; what it does not take is said below."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.tui import routes
from memtui.tui.routes import Context
from memtui.tui.settings.values import allowed
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.titled import Titled
from store.errors import StoreError
from store.settings import SETTINGS, accepted
from store.settings_files import typed_value


class SettingWindow(Titled, Vertical):
    """The window around the box."""


class SettingEditor(ModalScreen[str | None]):
    """Asks for a value; gives its text, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "save", id="setting.save", priority=True),
        Binding(
            "down", "step(1)", "next value", id="setting.next", tooltip="Next of the values allowed"
        ),
        Binding("up", "step(-1)", "previous value", show=False, id="setting.previous"),
        Binding("escape", "dismiss(None)", "back", id="setting.back"),
    ]
    CSS_PATH = "settings.tcss"
    AUTO_FOCUS = "#setting-text"

    def __init__(self, context: Context, route: routes.EditSetting) -> None:
        super().__init__()
        self._setting = route.name
        self._begin_with = route.text
        self._where = route.where
        info = SETTINGS[self._setting]
        self._options = () if info.is_table else accepted(self._setting).options

    def compose(self) -> ComposeResult:
        """The meaning, the box, what is allowed, what is wrong."""
        with SettingWindow(id="setting"):
            yield Static(SETTINGS[self._setting].meaning, id="setting-meaning", markup=False)
            yield Box(self._begin_with, id="setting-text")
            yield Static(f"Allowed: {allowed(self._setting)}", id="setting-allowed", markup=False)
            yield StatusLine(id="setting-said")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Name the window."""
        self.query_one(SettingWindow).set_title(self._setting, self._where)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The next value is offered where there is a list of them."""
        return action != "step" or bool(self._options)

    def on_input_changed(self) -> None:
        """What was wrong was about another text."""
        self.query_one(StatusLine).say("")

    def action_step(self, by: int) -> None:
        """Put the next value into the box."""
        box = self.query_one(Input)
        at = self._options.index(box.value) + by if box.value in self._options else 0
        box.value = self._options[at % len(self._options)]
        box.cursor_position = len(box.value)

    def action_save(self) -> None:
        """Give the text, if it is a value."""
        text = self.query_one(Input).value
        try:
            typed_value(self._setting, text)
        except StoreError as error:
            is_number = not self._options and accepted(self._setting).least is not None
            wrong = f"Give {allowed(self._setting)}." if is_number else error.message
            self.query_one(StatusLine).say(wrong)
        else:
            self.dismiss(text)
