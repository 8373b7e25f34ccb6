"""Choose what to compact: an issue at hand, the stale issues, or all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from memtui.formatting import count, fit, plural
from memtui.tui import routes
from memtui.tui.route import Context
from memtui.tui.routes import Scope
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.titled import Titled


class ScopeList(Titled, RowList):
    """What can be compacted, one a line."""

    def __init__(
        self, issues: Sequence[int], counts: Mapping[int, int], total: int, stale_days: int
    ) -> None:
        super().__init__(id="scopes")
        self.scopes = [*map(Scope, issues), Scope(stale=True), Scope()]
        self._facts = [
            *(count(counts[issue]) if issue in counts else "" for issue in issues),
            f"nothing new in {plural(stale_days, 'day')}",
            count(total),
        ]

    def on_mount(self) -> None:
        """List them."""
        self.set_title("Compact")
        self.row_count = len(self.scopes)

    def row(self, index: int, width: int) -> Content:
        """Cursor mark, name, how many observations it holds."""
        fact = self._facts[index]
        return Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            fit(self.scopes[index].name, max(0, width - len(fact) - 4)),
            (f" {fact} ", "$dim"),
        )

    def clicked(self, index: int, times: int) -> None:
        """One click chooses."""
        self.action_choose()


class ScopePicker(ModalScreen[Scope | None]):
    """A short list; gives the scope, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "pick", "preview", id="scope.pick", tooltip="Preview what would merge"),
        Binding("escape,q", "dismiss(None)", "back", key_display="esc", id="scope.back"),
    ]
    CSS_PATH = "compaction.tcss"
    AUTO_FOCUS = "#scopes"

    def __init__(self, context: Context, route: routes.PickScope) -> None:
        super().__init__()
        facets, settings = route.facets, context.memory.settings
        total = sum(facets.categories.values())
        self._list = ScopeList(
            route.issues, facets.issues, total, settings.stale_archive_after_days
        )

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield self._list
        yield KeyBar(id="keys")

    @on(RowList.Chosen)
    def action_pick(self) -> None:
        """Give what the cursor is at."""
        self.dismiss(self._list.scopes[self._list.cursor])
