"""A question, or a plan, before something is done: Enter does it, Esc leaves all as it is."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.formatting import plural
from memtui.tui.frame import routes
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.routes import Context
from memtui.tui.widgets.diff import diff_paragraphs
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import Reader
from memtui.tui.widgets.paragraphs import BLANK, Paragraphs, plain
from memtui.words.sentences import title


class ConfirmScreen(ModalScreen[bool]):
    """Asks, naming the figures; gives True for yes."""

    BINDINGS = bindings("confirm")
    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "#confirm"

    def __init__(self, context: Context, route: routes.Confirm) -> None:
        super().__init__()
        self._title = route.title
        self._question = route.question

    def compose(self) -> ComposeResult:
        with Reader(id="confirm"):
            yield Static(self._question, markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(Reader).set_title(self._title)


_LONG = 40
"""Characters of a heading beyond which its figures stand below it."""


class PlanScreen(ModalScreen[bool]):
    """Asks whether a plan shall be carried out; gives True for yes."""

    BINDINGS = bindings("plan")
    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "#plan"

    def __init__(self, context: Context, route: routes.PlanPreview) -> None:
        super().__init__()
        self._plan = route.plan
        self._heading = title(route.plan.action)
        self._also = route.also
        self._count = route.count

    def compose(self) -> ComposeResult:
        paragraphs = diff_paragraphs(self._plan, self._also)
        heading, _, figures = self._heading.partition(": ")
        if figures and len(self._heading) > _LONG:
            self._heading = heading
            paragraphs = [plain(f"{figures}."), BLANK, *paragraphs]
        with Reader(id="plan"):
            yield Paragraphs(paragraphs, id="plan-diff")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(Reader).set_title(self._heading, plural(self._count, "change"))
