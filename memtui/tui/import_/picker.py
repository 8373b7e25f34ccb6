"""Pick what to import: a path is typed, or one of the list is taken."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from textual.content import Content
from textual.widgets import Input

from memtui.formatting import count, fit, short_path
from memtui.tui.dialogs.picker import Picker
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.route import Context
from memtui.tui.setup.offers import notes_in
from store.backends.user_data import project_root
from store.platform.home import place_typed
from store.platform.links import is_there
from store.text.display import visible_line

_KINDS = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".json": "JSON",
}
_MOST_ENTRIES = 2_000
"""Entries of a folder that are looked at."""
_MOST_ROWS = 100
"""Rows listed at once."""


class Source(NamedTuple):
    """A file or a folder; `typed` is what the box has for it."""

    path: Path
    typed: str
    kind: str


def sources(typed: str, project: Path) -> Iterator[Source]:
    """Yield the place that is typed, then what it could be completed to; notes of the project
    first.
    """
    whole = project / place_typed(typed)
    if not typed:
        yield from (Source(project / name, name, "notes") for name in notes_in(project))
    elif is_there(whole):
        yield Source(whole, typed, _kind(whole))
    head, _, piece = typed.rpartition("/")
    folder = project / place_typed(head or ("/" if typed.startswith("/") else ""))
    noted = {project / name for name in notes_in(project)} if not typed else {whole}
    for path in _entries(folder):
        is_meant = path.name.startswith(piece) and (piece or not path.name.startswith("."))
        if is_meant and path not in noted and (kind := _kind(path)):
            slash = "/" if kind == "folder" else ""
            yield Source(path, f"{typed[: len(typed) - len(piece)]}{path.name}{slash}", kind)


def _entries(folder: Path) -> list[Path]:
    found = []
    with suppress(OSError, ValueError), os.scandir(folder) as entries:
        for entry in entries:
            found.append(Path(entry.path))
            if len(found) >= _MOST_ENTRIES:
                break
    return sorted(found)


def _kind(path: Path) -> str:
    """Kind of an entry, in a word; empty for what can't be imported."""
    with suppress(OSError):
        return "folder" if path.is_dir() else _KINDS.get(path.suffix.lower(), "")
    return ""


class SourcePicker(Picker[Source, Path]):
    """Gives a file or a folder, or None."""

    placeholder = "a store, a .jsonl or .md file, or a folder"
    previews = True

    def __init__(self, context: Context, route: routes.PickSource) -> None:
        super().__init__("Import")
        self._project = project_root(context.memory.path)

    def on_mount(self) -> None:
        project = visible_line(short_path(str(self._project)))
        self.window.border_subtitle = Content(project)

    @exclusive_worker(group="sources")
    async def narrow(self, typed: str) -> None:
        found = await ask(lambda: list(sources(typed, self._project)))
        shown = min(len(found), _MOST_ROWS)
        of = f" of {count(len(found))}" if shown < len(found) else ""
        self.window.set_title("Import", f"{count(shown)}{of}")
        nothing = "Nothing here can be imported." if typed else "Type a path."
        self.show_message("" if found else nothing)
        self.show_rows(found[:_MOST_ROWS], typed)

    def draw(self, row: Source, cursor: Content, width: int) -> Content:
        kind = f"  {row.kind} "
        typed = fit(visible_line(row.typed), max(0, width - 2 - len(kind)))
        return Content.assemble(cursor, typed, (kind, "$dim"))

    def take(self, row: Source) -> None:
        self.dismiss(row.path)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == "complete" or super().check_action(action, parameters)

    def action_complete(self) -> None:
        if (source := self.list.at) is not None:
            box = self.query_one(Input)
            box.value = source.typed
            box.cursor_position = len(box.value)
