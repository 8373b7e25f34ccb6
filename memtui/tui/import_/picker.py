"""Pick what to import: a path is typed, or one of the list is taken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from memtui.formatting import count, fit
from memtui.tui import routes
from memtui.tui.dialogs.list_picker import ListPicker, PickList, stepping
from memtui.tui.import_.sources import Source, SourcesFound, find_sources
from memtui.tui.notices import short_path
from memtui.tui.route import Context
from memtui.tui.worker import ask
from store.places import project_root
from store.text import visible

_MOST = 100
"""Rows listed at once."""


class SourceList(PickList):
    """Files and folders, each with its kind."""

    def __init__(self) -> None:
        super().__init__()
        self._sources: Sequence[Source] = ()

    def show(self, sources: Sequence[Source], typed: str) -> None:
        """List these, found for what was typed."""
        self._sources = sources[:_MOST]
        self.list_rows(len(self._sources), typed)

    @property
    def source(self) -> Source | None:
        """What the cursor is at."""
        return self._sources[self.cursor] if self._sources else None

    def row(self, index: int, width: int) -> Content:
        """Cursor mark, path as typed, kind."""
        source = self._sources[index]
        kind = f"  {source.kind} "
        return Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            fit(visible(source.typed, newlines=False), max(0, width - 2 - len(kind))),
            (kind, "$dim"),
        )


class SourcePicker(ListPicker[Path]):
    """Gives a file or a folder, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "pick",
            "preview",
            id="sources.pick",
            priority=True,
            tooltip="Preview the import",
        ),
        Binding(
            "tab",
            "complete",
            "complete",
            id="sources.complete",
            priority=True,
            tooltip="Complete the path",
        ),
        *stepping("sources"),
    ]

    def __init__(self, context: Context, route: routes.PickSource) -> None:
        self._project = project_root(context.memory.path)
        self._list = SourceList()
        super().__init__(self._list, placeholder="a store, a .jsonl or .md file, or a folder")

    def on_mount(self) -> None:
        """List what the project holds."""
        self.window.set_title("Import", "")
        project = visible(short_path(str(self._project)), newlines=False)
        self.window.border_subtitle = Content(project)
        self.narrow("")

    def narrow(self, typed: str) -> None:
        """Look for what it could mean."""
        ask(self, find_sources(typed, self._project), group="sources")

    def on_sources_found(self, event: SourcesFound) -> None:
        """List these."""
        if event.typed == self.typed:
            shown = min(len(event.sources), _MOST)
            of = f" of {count(len(event.sources))}" if shown < len(event.sources) else ""
            self.window.set_title("Import", f"{count(shown)}{of}")
            nothing = "Nothing here can be imported." if event.typed else "Type a path."
            self.say("" if event.sources else nothing)
            self._list.show(event.sources, event.typed)
            self.narrowed()

    def action_complete(self) -> None:
        """Complete the path."""
        if (source := self._list.source) is not None:
            box = self.query_one(Input)
            box.value = source.typed
            box.cursor_position = len(box.value)

    def pick(self) -> None:
        """Give what the cursor is at."""
        if (source := self._list.source) is not None:
            self.dismiss(source.path)
