"""Where to write a file: the path prefilled, its format told by its ending, overwriting asked."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memtui.tui.export.files import check_target, ending_of
from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.routes import Context
from memtui.tui.widgets.box import Box
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.titled import Titled
from store.disk.named import is_there
from store.errors import StoreError
from store.home import place_typed


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
