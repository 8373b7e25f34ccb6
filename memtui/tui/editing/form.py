"""Writing an observation in the app, and what is said of one that memory refuses."""

from __future__ import annotations

import asyncio

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import TextArea

from memtui.editing.draft import Draft, Written
from memtui.editing.text import content_of
from memtui.formatting import count, plural
from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.routes import Context
from memtui.tui.frame.toasts import toast
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine, Titled
from memtui.words.notices import error_in_words
from store.errors import StoreError
from store.model import MAX_CONTENT
from store.text.display import visible


class Page(TextArea):
    """The text; what could act on the terminal shows as symbols."""

    def get_line(self, line_index: int) -> Text:
        line = self.document.get_line(line_index)
        shown = "\t".join(visible(part, newlines=False) for part in line.split("\t"))
        return Text(shown, end="", no_wrap=True)


class EditorWindow(Titled, Vertical):
    """The window that one writes in."""


class WriteScreen(ModalScreen[Written | None]):
    BINDINGS = bindings("write")
    CSS_PATH = "editing.tcss"
    AUTO_FOCUS = "#text"

    def __init__(self, context: Context, route: routes.Write) -> None:
        super().__init__()
        self._title = route.title
        self._draft_name = route.name
        self._text = route.text
        self._plan = route.plan

    def compose(self) -> ComposeResult:
        with EditorWindow(id="desk"):
            yield Page(self._text, id="text", compact=True, highlight_cursor_line=False)
            yield StatusLine(id="refused")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        self._count()

    def on_text_area_changed(self) -> None:
        self._count()

    def _count(self) -> None:
        length = count(len(content_of(self._now)))
        said = f"{length} of {plural(MAX_CONTENT, 'character')}"
        self.query_one(EditorWindow).set_title(self._title, said)

    @property
    def _now(self) -> str:
        return self.query_one(TextArea).text

    @work(exclusive=True)
    async def action_keep(self) -> None:
        said = self.query_one("#refused", StatusLine)
        text = self._now
        try:
            plan = await asyncio.to_thread(self._plan, text)
            self.dismiss(Written(plan, Draft.of(self._draft_name, text)))
        except StoreError as error:
            said.say(" ".join(part for part in (error_in_words(error), error.hint) if part))

    def action_leave(self) -> None:
        if self._now != self._text:
            try:
                draft = Draft.of(self._draft_name, self._now)
            except StoreError as error:
                self.query_one("#refused", StatusLine).say(error_in_words(error))
                return
            toast(self.app, f"Nothing changed. Your draft is saved in {draft.shown}")
        self.dismiss(None)
