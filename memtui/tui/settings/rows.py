"""The settings, one a line, mistakes above them; and all that is known of one."""

from __future__ import annotations

from textual.content import Content

from memtui.formatting import fit, plural
from memtui.settings.values import Owner, SettingsView, in_words, variable
from memtui.tui.frame.notices import short_path
from memtui.tui.reports.grouped_list import GroupedList
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from memtui.words.notices import sentence
from store.settings.files import Mistake
from store.settings.schema import SettingInfo, known_settings
from store.settings.values import allowed
from store.text.display import visible

_WIDE = 60
"""Columns from which a row has room for where a value comes from."""
_NAME = max(map(len, known_settings())) + 2


class SettingsList(GroupedList[SettingInfo | Mistake]):
    """One setting a line: its name, its value, where that came from."""

    def __init__(self) -> None:
        super().__init__()
        self.view: SettingsView | None = None

    def show(self, view: SettingsView) -> None:
        self.view = view
        rows: list[SettingInfo | Mistake | str] = []
        if view.mistakes:
            rows += [
                plural(len(view.mistakes), "mistake"),
                *view.mistakes,
                "Settings",
            ]
        self.show_groups([*rows, *known_settings().values()])

    def row_key(self, index: int) -> str:
        return f"{self.rows[index]!r} {self.view!r}"

    def row(self, index: int, width: int) -> Content:
        row, view = self.rows[index], self.view
        if isinstance(row, str) or view is None:
            return Content.styled(f"  {row}", "bold")
        cursor = ("▸ " if index == self.cursor else "  ", "$accent-text")
        if isinstance(row, Mistake):
            said = visible(short_path(sentence(row.notice)), newlines=False)
            return Content.assemble(cursor, ("! ", "$text-warning"), said)
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
    """A setting: what it means, what it takes, what each place says of it."""
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
            (owner.value.removeprefix("the "), in_words(view.said[owner].get(name, "")))
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
