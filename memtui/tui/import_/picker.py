"""Pick what to import: a path is typed, or one of the list is taken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from memtui.formatting import count, fit
from memtui.tui import routes
from memtui.tui.import_.sources import Source, SourcesFound, find_sources
from memtui.tui.injection.next_session import project_folder
from memtui.tui.notices import short_path
from memtui.tui.routes import Context
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import MOVE, RowList
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.titled import Titled
from memtui.tui.worker import ask
from store.text import visible

_MOST = 100  # rows listed at once


class SourceList(RowList):
    """Files and folders, each with its kind."""

    def __init__(self) -> None:
        super().__init__(id="picker-list")
        self._sources: Sequence[Source] = ()

    def show(self, sources: Sequence[Source]) -> None:
        """List these."""
        self._sources = sources[:_MOST]
        self.row_count = len(self._sources)
        self.cursor = 0
        self.reload()

    @property
    def source(self) -> Source | None:
        """What the cursor is at."""
        return self._sources[self.cursor] if self._sources else None

    @property
    def cursor_stays(self) -> bool:
        """The cursor shows while the box above has the focus."""
        return True

    def row(self, index: int, width: int) -> Content:
        """Cursor mark, path as typed, kind."""
        source = self._sources[index]
        kind = f"  {source.kind} "
        return Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            fit(visible(source.typed, newlines=False), max(0, width - 2 - len(kind))),
            (kind, "$dim"),
        )

    def clicked(self, index: int, times: int) -> None:
        """One click chooses."""
        self.action_choose()


class SourceWindow(Titled, Vertical):
    """The window of the picker."""


class SourcePicker(ModalScreen[Path | None]):
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
        Binding("escape", "dismiss(None)", "back", id="sources.back"),
        Binding("down", "step(1)", "down", show=False, group=MOVE, id="sources.down"),
        Binding("up", "step(-1)", "up", show=False, group=MOVE, id="sources.up"),
        Binding("pagedown", "step(10)", "ten down", show=False, group=MOVE, id="sources.pgdn"),
        Binding("pageup", "step(-10)", "ten up", show=False, group=MOVE, id="sources.pgup"),
    ]
    CSS_PATH = str(Path(__file__).parents[1] / "dialogs" / "dialogs.tcss")
    AUTO_FOCUS = "#picker-text"

    def __init__(self, context: Context, route: routes.PickSource) -> None:
        super().__init__()
        self._project = project_folder(context.memory.path)
        self._list = SourceList()

    def compose(self) -> ComposeResult:
        """A box to type in above the list."""
        with SourceWindow(id="picker"):
            yield Box(id="picker-text", placeholder="a store, a .jsonl or .md file, or a folder")
            yield StatusLine(id="picker-said")
            yield self._list
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """List what the project holds."""
        self.query_one(SourceWindow).set_title("Import", "")
        self.query_one(SourceWindow).border_subtitle = Content(
            visible(short_path(str(self._project)), newlines=False)
        )
        self._look()

    @property
    def _typed(self) -> str:
        return self.query_one(Input).value.strip()

    def _look(self) -> None:
        ask(self, find_sources(self._typed, self._project), group="sources")

    def on_input_changed(self) -> None:
        """List what it could mean."""
        self._look()

    def on_sources_found(self, event: SourcesFound) -> None:
        """List these."""
        if event.typed == self._typed:
            shown = min(len(event.sources), _MOST)
            of = f" of {count(len(event.sources))}" if shown < len(event.sources) else ""
            self.query_one(SourceWindow).set_title("Import", f"{count(shown)}{of}")
            nothing = "Nothing here can be imported." if event.typed else "Type a path."
            said = "" if event.sources else nothing
            self.query_one(StatusLine).say(said)
            self._list.show(event.sources)

    def action_step(self, rows: int) -> None:
        """Move in the list while the box keeps the focus."""
        self._list.action_move(rows)

    def action_complete(self) -> None:
        """Complete the path."""
        if (source := self._list.source) is not None:
            box = self.query_one(Input)
            box.value = source.typed
            box.cursor_position = len(box.value)

    def action_pick(self) -> None:
        """Give what the cursor is at."""
        if (source := self._list.source) is not None:
            self.dismiss(source.path)

    def on_row_list_chosen(self) -> None:
        """Give what was clicked."""
        self.action_pick()
