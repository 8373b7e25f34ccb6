"""The settings: each with its value and where that came from; changed in place, undone by a key."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby
from operator import attrgetter

from textual import on
from textual.content import Content
from textual.message import Message

from memtui.formatting import count, fit, plural, short_path
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
from memtui.tui.dialogs.options import pick_option
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context, Open, Route
from memtui.tui.frame.toasts import toast, toast_error
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.row_list import RowList
from memtui.words.notices import sentence
from store.errors import InvalidSetting, StoreError
from store.settings.edit import FileChange, take_back
from store.settings.files import Mistake
from store.settings.schema import SettingInfo, known_settings
from store.settings.values import allowed, as_typed, typed_value
from store.text.display import visible

_WIDE = 60
"""Columns from which a row has room for where a value comes from."""
_NAME = max(map(len, known_settings())) + 2


def setting_prompt(name: str, text: str, owner: Owner) -> routes.Prompt:

    def wrong(text: str) -> str:
        try:
            typed_value(name, text)
        except StoreError as error:
            return error.message
        return ""

    return routes.Prompt(
        name,
        known_settings()[name].meaning,
        text,
        f"Allowed: {allowed(name)}",
        wrong,
        about=owner.value,
    )


class SettingsList(OverviewList[SettingInfo | Mistake]):
    """One setting a line: its name, its value, where that came from."""

    def __init__(self) -> None:
        super().__init__()
        self.view: SettingsView | None = None

    def show(self, view: SettingsView) -> None:
        self.view = view
        rows: list[SettingInfo | Mistake | str] = []
        if view.mistakes:
            rows += [plural(len(view.mistakes), "mistake"), *view.mistakes]
        for subject, settings in groupby(known_settings().values(), attrgetter("subject")):
            rows += [subject, *settings]
        self.list_rows(rows)

    def row_key(self, row: SettingInfo | Mistake) -> str:
        return f"{row!r} {self.view!r}"

    def text_of(self, row: SettingInfo | Mistake, heading: str) -> str:
        meaning = row.meaning if isinstance(row, SettingInfo) else ""
        return f"{super().text_of(row, heading)} {heading} {meaning}"

    def draw(self, row: SettingInfo | Mistake, index: int, width: int) -> Content:
        view = self.view
        if view is None:
            return Content("")
        cursor = self.cursor_mark(index)
        if isinstance(row, Mistake):
            text = visible(short_path(sentence(row.notice)), newlines=False)
            return Content.assemble(cursor, ("! ", "$text-warning"), text)
        name, chosen = row.name, view.is_chosen(row.name)
        source = visible(short_path(view.source(name)), newlines=False)
        if width < _WIDE:
            value = fit(visible(in_words(view.value(name)), newlines=False), 8)
            return Content.assemble(
                cursor, fit(name, width - 12), "  ", (value, "$accent-text" if chosen else "")
            )
        room = max(8, width - 2 - _NAME - len(source) - 3)
        value = fit(visible(in_words(view.value(name)), newlines=False), room)
        return Content.assemble(
            cursor,
            fit(name, _NAME),
            (value, "bold $accent-text" if chosen else ""),
            (f"  {source} ", "" if chosen else "$dim"),
        )


def row_details(row: SettingInfo | Mistake, view: SettingsView) -> list[Paragraph]:
    """Return a setting: its meaning, the values it takes, its value in each place."""
    if isinstance(row, Mistake):
        return [
            plain(visible(short_path(sentence(row.notice)), newlines=False)),
            BLANK,
            plain("Invalid values are ignored; defaults apply.", "$dim"),
            plain("To edit the file:  memtui config edit, or with --project", "$dim"),
        ]
    name = row.name
    pairs = [
        ("value", in_words(view.value(name))),
        ("from", short_path(view.sources[name])),
        ("allowed", allowed(name)),
        ("default", in_words(row.default)),
        *(
            (owner.value.removeprefix("the "), in_words(view.in_files[owner].get(name, "")))
            for owner in Owner
            if owner is Owner.USER or not row.is_personal
        ),
        ("environment", variable(name)),
    ]
    return [
        plain(name, "bold"),
        plain(row.meaning),
        BLANK,
        *(
            Paragraph(
                Content(visible(value, newlines=False)), lead=Content.styled(fit(key, 16), "$dim")
            )
            for key, value in pairs
        ),
        BLANK,
        plain("Environment variables override the project's file, which overrides yours.", "$dim"),
    ]


class SettingsReloaded(Message):
    """Tells the app that memory has other settings: keys and theme follow."""


class SettingsScreen(OverviewScreen):
    """Changes settings in the user's file, or in the project's."""

    MANUAL_PAGE = "settings.md"
    BINDINGS = bindings("settings")

    def __init__(self, context: Context, route: routes.Settings) -> None:
        self._list = SettingsList()
        self._owner = Owner.USER
        self._changes: list[tuple[FileChange, str]] = []
        self._undone: list[tuple[FileChange, str]] = []
        super().__init__(context, self._list, "Settings")

    async def read(self) -> None:
        self._list.show(await ask(read_settings, self.memory))
        self._show_owner()
        self.post_message(SettingsReloaded())  # the app follows

    def _show_owner(self) -> None:
        self._heading = f"Settings · changes go to {self._owner.value}"
        self.show_rows(count(len(known_settings())))

    def details(self) -> Details:
        row, view = self._list.at, self._list.view
        if view is None or row is None:
            return list
        return lambda: row_details(row, view)

    def action_other_file(self) -> None:
        self._owner = Owner.PROJECT if self._owner is Owner.USER else Owner.USER
        self._show_owner()

    @on(RowList.Chosen, "#rows")
    def action_edit(self) -> None:
        row, view = self._list.at, self._list.view
        if not isinstance(row, SettingInfo) or view is None:
            return
        name = row.name
        try:
            check_owner(self._owner, name)
        except InvalidSetting as error:
            toast(self.app, error.message)
            return
        at_hand = view.in_files[self._owner].get(name, view.value(name))
        if isinstance(at_hand, bool):
            self._keep(name, "false" if at_hand else "true")
            return

        def given(text: str | None) -> None:
            if text is not None:
                self._keep(name, text)
            elif name == "theme":
                self.app.theme = theme

        theme = self.app.theme
        route: Route[str] = setting_prompt(name, as_typed(at_hand), self._owner)
        if isinstance(at_hand, str) and row.accepts.options:
            try_out = partial(setattr, self.app, "theme") if name == "theme" else None
            route = pick_option(name, row.accepts.options, at_hand, row.meaning, try_out)
        self.post_message(Open(route, given))

    def _keep(self, name: str, text: str) -> None:
        owner = self._owner
        self._change(name, owner, lambda view: set_value(view, owner, name, text))

    def action_reset(self) -> None:
        row, view = self._list.at, self._list.view
        if not isinstance(row, SettingInfo) or view is None:
            return
        name, owner = row.name, view.owner_of(row.name)
        if owner is None:
            set_by = (
                f"{variable(name)} sets it; unset that variable" if view.is_chosen(name) else ""
            )
            toast(self.app, f"{set_by or f'{name} has its default'}.")
            return

        self._change(name, owner, lambda view: unset_value(view, owner, name))

    @exclusive_worker(group="settings")
    async def _change(
        self, name: str, owner: Owner, change: Callable[[SettingsView], tuple[FileChange, str]]
    ) -> None:
        if (view := self._list.view) is not None:
            changed, outcome = await ask(change, view)
            stronger = (await ask(read_settings, self.memory)).stronger_than(owner, name)
            also = f", but {stronger} overrides it" if stronger else ""
            self._changed(changed, name, outcome + also)

    def _changed(
        self, change: FileChange, name: str, outcome: str, *, undone: bool = False
    ) -> None:
        done, other = (self._undone, "redo") if undone else (self._changes, "undo")
        if change.is_changed:
            done.append((change, name))
        key = key_in_use(self.app, f"settings.{other}")
        toast(self.app, f"{outcome} · {key} to {other}" if key else outcome)
        self.action_reload()

    def action_undo(self) -> None:
        self._take_back(self._changes, "Undone", undone=True)

    def action_redo(self) -> None:
        self._take_back(self._undone, "Redone", undone=False)

    @exclusive_worker(group="settings")
    async def _take_back(
        self, changes: list[tuple[FileChange, str]], outcome: str, *, undone: bool
    ) -> None:
        if not changes:
            toast(self.app, f"No setting was {'changed' if undone else 'undone'} here.")
            return
        change, name = changes.pop()
        back = await ask(take_back, change)
        now = in_words((await ask(read_settings, self.memory)).value(name))
        self._changed(back, name, f"{outcome}: {name} is {now} again", undone=undone)

    def failed(self, error: StoreError) -> None:
        toast_error(self.app, error)
