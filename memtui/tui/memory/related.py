"""The memories related to an opened one, each a row that opens it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from textual.content import Content

from memtui.formatting import age, count, fit
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.titled import Titled
from store.model import Hit
from store.records import entry_of
from store.related import Related
from store.text.display import visible

_RELATION = 13
"""Cells of the longest relation."""


class RelatedList(Titled, RowList):
    """Related memories, the closest relation first."""

    BINDINGS = bindings("related")

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(id="related")
        self._now = now
        self._related: Sequence[Related] = ()

    def show(self, related: Sequence[Related]) -> None:
        self._related = related
        self.display = bool(related)
        self.row_count = len(related)
        self.cursor = 0
        self.reload()
        self.set_title("Related", count(len(related)))

    @property
    def hit(self) -> Hit | None:
        if not self._related:
            return None
        return Hit(entry_of(self._related[self.cursor].observation), 0)

    def row(self, index: int, width: int) -> Content:
        relation, it = self._related[index]
        at = index == self.cursor and self.has_focus
        lead = Content.assemble(
            ("▸ " if at else "  ", "$accent-text"),
            (fit(relation, _RELATION), "$dim"),
            "  ",
            (f"{mark_of(it.category)} ", color_of(it.category)),
            (fit(age(it.timestamp, self._now()), 4, align="right"), "$dim"),
            "  ",
        )
        room = max(0, width - lead.cell_length - 1)
        return Content.assemble(lead, fit(visible(it.summary, newlines=False), room))
