"""The settings: what is wrong in them, each value, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from memtui.formatting import fit, plural
from memtui.tui import routes
from memtui.tui.notices import short_path
from memtui.tui.routes import Context
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, Paragraphs, plain
from memtui.tui.widgets.reader import Reader
from store.pipeline import MemoryPipeline
from store.settings import Settings
from store.settings_files import DEFAULT, project_file, user_file
from store.text.visible import visible

_NAME = 30  # cells of a setting's name
_VALUE = 24  # cells of its value, where that is short enough


class SettingsScreen(Screen[None]):
    """Reads the settings; they are changed in their files."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "back", id="settings.back", tooltip="Back"),
    ]
    CSS_PATH = "settings.tcss"
    AUTO_FOCUS = "#settings"

    def __init__(self, context: Context, route: routes.Settings) -> None:
        super().__init__()
        self._memory = context.memory

    def compose(self) -> ComposeResult:
        """One page."""
        with Reader(id="settings"):
            yield Paragraphs(list(page(self._memory)), id="settings-text")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Name the page."""
        mistakes = self._memory.settings_mistakes
        said = plural(len(mistakes), "mistake") if mistakes else ""
        self.query_one(Reader).set_title("Settings", said)


def page(memory: MemoryPipeline) -> Iterator[Paragraph]:
    """The mistakes, every setting, and where the files are."""
    for mistake in memory.settings_mistakes:
        said = visible(short_path(mistake), newlines=False)
        yield Paragraph(Content.assemble(("! ", "$text-warning"), said), hang=2)
    if memory.settings_mistakes:
        yield plain("Invalid values are ignored; defaults apply.", "$dim")
        yield BLANK
    for each in fields(Settings):
        name = each.name
        source = memory.settings_sources[name]
        value = visible(written(getattr(memory.settings, name)), newlines=False)
        room = max(len(value) + 2, _VALUE)
        chosen = source != DEFAULT
        yield Paragraph(
            Content.assemble(
                fit(name, _NAME),
                (fit(value, room), "bold $accent-text" if chosen else ""),
                (visible(short_path(source), newlines=False), "" if chosen else "$dim"),
            ),
            hang=_NAME,
        )
        yield Paragraph(Content.styled(each.metadata["meaning"], "$dim"), indent=2, hang=2)
    yield BLANK
    yield plain("Environment variables override the project's file, which overrides yours:", "$dim")
    for path in (user_file(), project_file(memory.path)):
        there = "" if path.is_file() else "   (no file)"
        yield Paragraph(Content.assemble(short_path(str(path)), (there, "$dim")), indent=2)
    yield plain("To edit:  memtui config edit, or with --project", "$dim")


def written(value: Any) -> str:  # noqa: ANN401 - whatever a setting may be
    """A value as its file has it; an empty one is said to be so."""
    if value in ("", {}):
        return "not set"
    return json.dumps(dict(value)) if isinstance(value, dict) else json.dumps(value)
