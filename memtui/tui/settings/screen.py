"""The settings: each with its value and where that came from; changed in place, undone by a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from memtui.formatting import count
from memtui.settings.values import (
    Owner,
    SettingsView,
    check_owner,
    in_words,
    read_settings,
    set_value,
    unset_value,
    variable,
)
from memtui.tui import routes
from memtui.tui.key_names import key_in_use
from memtui.tui.message import Message
from memtui.tui.reports.overview import Details, OverviewScreen
from memtui.tui.route import Context, Open
from memtui.tui.settings.prompt import setting_prompt
from memtui.tui.settings.rows import SettingsList, row_details
from memtui.tui.toasts import tell, tell_error
from memtui.tui.widgets.row_list import RowList
from memtui.tui.worker import MemoryFailed, Tell, ask
from store.errors import InvalidSetting
from store.settings import FileChange, SettingInfo, as_typed, known_settings, take_back

EDIT = Binding.Group("Edit")


class SettingsRead(Message, bubble=False):
    """The settings as their files have them now."""

    view: SettingsView


class SettingChanged(Message, bubble=False):
    """A file was changed; `undone` says that this took a change back."""

    change: FileChange
    name: str
    said: str
    undone: bool = False


class SettingsReloaded(Message):
    """Tells the app that memory has other settings: keys and theme follow."""


class SettingsScreen(OverviewScreen):
    """Changes settings in the user's file, or in the project's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,e",
            "edit",
            "edit",
            group=EDIT,
            id="settings.edit",
            tooltip="Change the value; on and off switch at once",
        ),
        Binding(
            "r",
            "reset",
            "reset",
            group=EDIT,
            id="settings.reset",
            tooltip="Reset to the default",
        ),
        Binding(
            "f",
            "other_file",
            "other file",
            group=EDIT,
            id="settings.file",
            tooltip="Switch between your settings and this project's",
        ),
        Binding(
            "u,ctrl+z", "undo", "undo", group=EDIT, id="settings.undo", tooltip="Undo the change"
        ),
        Binding(
            "U,ctrl+y",
            "redo",
            "redo",
            show=False,
            group=EDIT,
            id="settings.redo",
            tooltip="Redo the change",
        ),
    ]

    def __init__(self, context: Context, route: routes.Settings) -> None:
        self._list = SettingsList()
        self._owner = Owner.USER
        self._changes: list[tuple[FileChange, str]] = []
        self._undone: list[tuple[FileChange, str]] = []
        super().__init__(context, self._list, "Settings")

    def read(self, tell: Tell) -> None:
        """Read the files."""
        tell(SettingsRead(read_settings(self.memory)))

    def on_settings_read(self, event: SettingsRead) -> None:
        """Show them, and let the app follow."""
        self._list.show(event.view)
        self._show_owner()
        self.post_message(SettingsReloaded())

    def _show_owner(self) -> None:
        self._heading = f"Settings · changes go to {self._owner.value}"
        self.show_rows(count(len(known_settings())))

    def details(self) -> Details:
        """What is known of the setting."""
        row, view = self._list.at, self._list.view
        if view is None or row is None:
            return list
        return lambda: row_details(row, view)

    def action_other_file(self) -> None:
        """Edit the other file."""
        self._owner = Owner.PROJECT if self._owner is Owner.USER else Owner.USER
        self._show_owner()

    @on(RowList.Chosen, "#rows")
    def action_edit(self) -> None:
        """Change the setting: what is true or false at once, anything else in a box."""
        row, view = self._list.at, self._list.view
        if not isinstance(row, SettingInfo) or view is None:
            return
        name = row.name
        try:
            check_owner(self._owner, name)
        except InvalidSetting as error:
            tell(self.app, error.message)
            return
        at_hand = view.said[self._owner].get(name, view.value(name))
        if isinstance(at_hand, bool):
            self._keep(name, "false" if at_hand else "true")
            return

        def typed(text: str | None) -> None:
            if text is not None:
                self._keep(name, text)

        self.post_message(Open(setting_prompt(name, as_typed(at_hand), self._owner), typed))

    def _keep(self, name: str, text: str) -> None:
        owner = self._owner
        self._change(name, owner, lambda view: set_value(view, owner, name, text))

    def action_reset(self) -> None:
        """Take the setting out of the file that its value comes from."""
        row, view = self._list.at, self._list.view
        if not isinstance(row, SettingInfo) or view is None:
            return
        name, owner = row.name, view.owner_of(row.name)
        if owner is None:
            set_by = (
                f"{variable(name)} sets it; unset that variable" if view.is_chosen(name) else ""
            )
            tell(self.app, f"{set_by or f'{name} has its default'}.")
            return

        self._change(name, owner, lambda view: unset_value(view, owner, name))

    def _change(
        self, name: str, owner: Owner, change: Callable[[SettingsView], tuple[FileChange, str]]
    ) -> None:
        """Change a file away from the screen, and say what counts then."""
        memory, view = self.memory, self._list.view

        def question(tell: Tell) -> None:
            if view is not None:
                changed, said = change(view)
                stronger = read_settings(memory).stronger_than(owner, name)
                also = f", but {stronger} overrides it" if stronger else ""
                tell(SettingChanged(changed, name, said + also))

        ask(self, question, group="settings")

    def on_setting_changed(self, event: SettingChanged) -> None:
        """Say so, and how it is taken back."""
        done, other = (self._undone, "redo") if event.undone else (self._changes, "undo")
        if event.change.changed:
            done.append((event.change, event.name))
        key = key_in_use(self.app, f"settings.{other}")
        tell(self.app, f"{event.said} · {key} to {other}" if key else event.said)
        self.action_reload()

    def action_undo(self) -> None:
        """Take back the last change made here."""
        self._take_back(self._changes, "Undone", undone=True)

    def action_redo(self) -> None:
        """Do again what was taken back."""
        self._take_back(self._undone, "Redone", undone=False)

    def _take_back(self, changes: list[tuple[FileChange, str]], said: str, *, undone: bool) -> None:
        if not changes:
            tell(self.app, f"No setting was {'changed' if undone else 'undone'} here.")
            return
        change, name = changes.pop()

        def question(tell: Tell) -> None:
            back = take_back(change)
            now = in_words(read_settings(self.memory).value(name))
            tell(SettingChanged(back, name, f"{said}: {name} is {now} again", undone))

        ask(self, question, group="settings")

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Say what could not be changed."""
        event.prevent_default()
        tell_error(self.app, event.error)
