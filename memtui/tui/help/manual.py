"""The manual, read inside the app."""

from __future__ import annotations

from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import MarkdownViewer

from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context
from memtui.tui.help.screen import FIRST_PAGE
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Scrolled


def manual_folder() -> Path:
    """Return the folder of the pages: inside the installed package, or next to it in a checkout."""
    package = Path(__file__).parents[2]
    installed = package / "manual"
    return installed if installed.is_dir() else package.parent / "docs"


def without_pictures() -> MarkdownIt:
    """Return a parser that leaves out pictures, which a terminal can't show."""
    parser = MarkdownIt("gfm-like")
    parser.core.ruler.push("without_pictures", _drop_pictures)
    return parser


def _drop_pictures(state: StateCore) -> None:
    kept: list[Token] = []
    for token in state.tokens:
        kept.append(token)
        if token.type == "paragraph_close" and _is_picture(kept[-2]):
            del kept[-3:]
    state.tokens = kept


def _is_picture(token: Token) -> bool:
    children = token.children or []
    return bool(children) and all(child.type == "image" for child in children)


class Page(Scrolled, MarkdownViewer):
    """Scrolls by the keys of every text."""

    BINDINGS = bindings("reader")


class ManualScreen(Screen[None]):
    """A page of the manual; its links lead to the others."""

    CSS_PATH = "manual.tcss"
    BINDINGS = bindings("manual")

    def __init__(self, context: Context, route: routes.Manual) -> None:
        super().__init__()
        self._page = route.page

    def compose(self) -> ComposeResult:
        yield Page(id="manual", show_table_of_contents=False, parser_factory=without_pictures)
        yield KeyBar(id="keys")

    async def on_mount(self) -> None:
        self.query_one(MarkdownViewer).focus()
        await self._open(self._page)

    async def action_back(self) -> None:
        await self.query_one(MarkdownViewer).back()

    async def action_forward(self) -> None:
        await self.query_one(MarkdownViewer).forward()

    async def action_index(self) -> None:
        await self._open(FIRST_PAGE)

    async def _open(self, page: str) -> None:
        path = manual_folder() / page
        known = path if path.is_file() else manual_folder() / FIRST_PAGE
        if known.is_file():
            await self.query_one(MarkdownViewer).go(known)
        else:
            self.notify("The manual is missing. Reinstall memtui.", severity="warning")
