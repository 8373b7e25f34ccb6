"""Pick what to import: a path is typed, or one of the list is taken."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content
from textual.widgets import Input

from memtui.formatting import count, fit
from memtui.tui.dialogs.picker import Picker
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.notices import short_path
from memtui.tui.frame.routes import Context
from memtui.tui.import_.sources import Source, sources
from store.backends.user_data import project_root
from store.text.display import visible

_MOST = 100
"""Rows listed at once."""


class SourcePicker(Picker[Source, Path]):
    """Gives a file or a folder, or None."""

    placeholder = "a store, a .jsonl or .md file, or a folder"
    previews = True

    def __init__(self, context: Context, route: routes.PickSource) -> None:
        super().__init__("Import")
        self._project = project_root(context.memory.path)

    def on_mount(self) -> None:
        super().on_mount()
        project = visible(short_path(str(self._project)), newlines=False)
        self.window.border_subtitle = Content(project)

    @question("sources")
    async def narrow(self, typed: str) -> None:  # type: ignore[override]
        found = await ask(lambda: list(sources(typed, self._project)))
        shown = min(len(found), _MOST)
        of = f" of {count(len(found))}" if shown < len(found) else ""
        self.window.set_title("Import", f"{count(shown)}{of}")
        nothing = "Nothing here can be imported." if typed else "Type a path."
        self.say("" if found else nothing)
        self.list.show(found[:_MOST], typed)
        self.narrowed()

    def draw(self, row: Source, cursor: Content, width: int) -> Content:
        kind = f"  {row.kind} "
        typed = fit(visible(row.typed, newlines=False), max(0, width - 2 - len(kind)))
        return Content.assemble(cursor, typed, (kind, "$dim"))

    def value_of(self, row: Source) -> Path:
        return row.path

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == "complete" or super().check_action(action, parameters)

    def action_complete(self) -> None:
        """Type what the cursor is at."""
        if (source := self.list.at) is not None:
            box = self.query_one(Input)
            box.value = source.typed
            box.cursor_position = len(box.value)
