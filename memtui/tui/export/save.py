"""Texts and memories saved to a file that the user names."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.formatting import plural
from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.routes import Context, Open
from memtui.tui.frame.toasts import tell, tell_error
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine, Titled
from store import Memory
from store.errors import StoreError, WriteFailed
from store.exchange.values import Format
from store.platform.home import place_typed
from store.platform.links import real_path
from store.platform.named import is_folder, is_there


def check_target(path: Path) -> None:
    """Raise `StoreError` where no file can be written, before anything is prepared for it."""
    if is_folder(path):
        raise StoreError(f"{path} is a folder.", "Add a file name.")
    if not is_folder(path.parent):
        raise StoreError(f"The folder {path.parent} does not exist.", "Choose an existing folder.")


def save_text(path: Path, text: str) -> None:
    """Write a text to a file; what stood there stays until all of it is written.

    Raises `StoreError` where the place does not suit, `WriteFailed` where writing fails.
    """
    check_target(path)
    path = real_path(path)
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode("utf-8", "surrogatepass"))
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
            Path(name).chmod(mode)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WriteFailed(
            f"{path} could not be written: {error.strerror}.", "Choose another place."
        ) from error


def _umask() -> int:
    """The mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def ending_of(path: Path, formats: Mapping[str, str]) -> str:
    """The ending whose format a path has: its own, or the first."""
    return path.suffix.lower() if path.suffix.lower() in formats else next(iter(formats))


class SaveWindow(Titled, Vertical):
    """The window that asks."""


class SaveScreen(ModalScreen[Path | None]):
    """Asks for a file to write; gives its path, or None."""

    BINDINGS = bindings("save")
    CSS_PATH = "export.tcss"
    AUTO_FOCUS = "#save-path"

    def __init__(self, context: Context, route: routes.SaveFile) -> None:
        super().__init__()
        self._title = route.title
        self._suggestion = route.suggestion
        self._formats = route.formats
        self._agreed = ""

    def compose(self) -> ComposeResult:
        with SaveWindow(id="save"):
            yield Box(self._suggestion, id="save-path")
            yield Static(id="save-formats", markup=False)
            yield StatusLine(id="save-said")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(SaveWindow).set_title(self._title)
        path = self.query_one(Input)
        path.cursor_position = len(self._suggestion) - len(Path(self._suggestion).suffix)
        self._show_format()

    def on_input_changed(self) -> None:
        self._show_format()
        self.query_one("#save-said", StatusLine).say("")

    def _show_format(self) -> None:
        chosen = ending_of(self._path, self._formats)
        choices = (
            Content.assemble(
                (
                    "● " if ending == chosen else "○ ",
                    "$accent-text" if ending == chosen else "$dim",
                ),
                (name, "" if ending == chosen else "$dim"),
            )
            for ending, name in self._formats.items()
        )
        self.query_one("#save-formats", Static).update(Content("    ").join(choices))

    @property
    def _path(self) -> Path:
        return Path(self.query_one(Input).value.strip())

    def action_next_format(self) -> None:
        endings = list(self._formats)
        following = endings[
            (endings.index(ending_of(self._path, self._formats)) + 1) % len(endings)
        ]
        box, path = self.query_one(Input), self._path
        stem = str(path.with_suffix("")) if path.suffix in endings else str(path)
        box.value = f"{stem}{following}"
        box.cursor_position = len(stem)

    def action_save(self) -> None:
        said = self.query_one("#save-said", StatusLine)
        if not self.query_one(Input).value.strip():
            said.say("Enter a file name.")
            return
        path = place_typed(self._path)
        try:
            check_target(path)
        except StoreError as error:
            said.say(error.told)
            return
        if is_there(path) and self._agreed != str(path):
            self._agreed = str(path)
            key = key_in_use(self.app, "save.write")
            said.say(f"The file exists. {key} again to overwrite.")
            return
        self.dismiss(path)


FORMATS: Mapping[str, str] = MappingProxyType({".jsonl": "JSON lines", ".md": "Markdown bank"})
"""The formats that a list is exported in, by the endings of their files."""
_FORMAT_OF = {".jsonl": Format.JSON_LINES, ".md": Format.MARKDOWN}


def export(
    app: App[Any],
    memory: Memory,
    query: str,
    only: Collection[str] | None,
    count: int,
    now: datetime,
) -> None:
    """Export what a query finds, or `only` these ids: `count` observations."""

    def write(path: Path) -> str:
        text = memory.exchange.export(_FORMAT_OF[ending_of(path, FORMATS)], query, only=only)
        if text:
            save_text(path, text)
        return text

    async def away(path: Path) -> None:
        try:
            text = await asyncio.to_thread(write, path)
        except StoreError as error:
            tell_error(app, error)
            return
        if text:
            tell(app, f"Exported {plural(count, 'memory', 'memories')} to {path}")
        else:
            tell(app, "Nothing exported: no exact matches.")

    if not count:
        tell(app, "Nothing to export.")
        return

    def save(path: Path | None) -> None:
        if path is not None:
            app.run_worker(away(path), group="export")

    title = f"Export {plural(count, 'memory', 'memories')}"
    route = routes.SaveFile(title, f"memtui-{now:%Y-%m-%d}.jsonl", FORMATS)
    app.post_message(Open(route, save))


def write_text(
    app: App[Any], name: str, file: str, text: str, done: Callable[[], object] | None = None
) -> None:
    """Write a text called `name` to a file, `memtui-{file}.md` if the user has no better place.

    `done` follows when it stands there.
    """

    def save(path: Path | None) -> None:
        if path is None:
            return
        try:
            save_text(path, text)
        except StoreError as error:
            tell_error(app, error)
            return
        if done is not None:
            done()
        tell(app, f"Wrote the {name} to {path}")

    route = routes.SaveFile(f"Write the {name}", f"memtui-{file}.md", {".md": "As it is"})
    app.post_message(Open(route, save))
