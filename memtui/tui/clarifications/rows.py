"""The list of clarifications: who waits for whom, and how long."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from rich.cells import cell_len
from textual.content import Content

from memtui.formatting import age, fit
from memtui.tui.reports.overview import OverviewList
from store.clarifications.model import Clarification, Status
from store.text.display import visible

MOST = 100
"""Rows that are shown."""
_WIDE = 60
"""Columns from which a row has room for its issue and rounds."""
_NAMES = 30
"""The most cells that the two agents' names take."""
_LOOKS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        Status.ESCALATED: ("!", "$text-warning", "for you"),
        Status.PENDING: ("?", "$accent-text", "waits"),
        Status.STALE: ("?", "$text-warning", "asked again"),
        Status.ANSWERED: ("→", "$accent-text", "answered"),
        Status.RESOLVED: ("✓", "$text-success", "resolved"),
        Status.ABANDONED: ("−", "$dim", "abandoned"),
    }
)
"""Mark, colour and word of each status."""
_WORD = max(len(word) for _, _, word in _LOOKS.values())


def look_of(it: Clarification) -> tuple[str, str, str]:
    """The mark, the colour and the word of where a clarification stands."""
    mark, style, word = _LOOKS.get(it.status, ("·", "$dim", it.status))
    return (mark, style, "blocked") if it.is_blocking else (mark, style, word)


class ClarificationList(OverviewList):
    """One clarification a line: those that wait first, the longest waiting on top."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(id="rows")
        self._now = now
        self.clarifications: Sequence[Clarification] = ()
        self._names = 0

    def show(self, clarifications: Sequence[Clarification]) -> None:
        at = self.row_key(self.cursor) if self.clarifications else ""
        self.clarifications = clarifications
        self._names = min(_NAMES, max(map(cell_len, map(_names, clarifications)), default=0))
        self.row_count = len(clarifications)
        ids = [self.row_key(index) for index in range(len(clarifications))]
        self.cursor = ids.index(at) if at in ids else self.cursor
        self.reload()

    def row_key(self, index: int) -> str:
        it = self.clarifications[index]
        return f"{it.issue} {it.id}"

    @property
    def clarification(self) -> Clarification:
        return self.clarifications[self.cursor]

    def row(self, index: int, width: int) -> Content:
        it = self.clarifications[index]
        mark, style, word = look_of(it)
        lead = Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            (f"{mark} ", style),
            (fit(age(it.since, self._now()), 4, align="right"), "$dim"),
            "  ",
            fit(_names(it), self._names),
            "  ",
        )
        tail = Content.styled(f" {fit(visible(word, newlines=False), _WORD)} ", style)
        if width >= _WIDE:
            where = fit(f"#{it.issue}", 6, align="right")
            tail = Content.assemble((f" {where}  {it.round}/{it.max_rounds} ", "$dim"), tail)
        room = max(0, width - lead.cell_length - tail.cell_length)
        topic = Content.styled(
            visible(it.topic, newlines=False), "$dim" if it.is_settled else ""
        ).truncate(room, ellipsis=True, pad=True)
        return Content.assemble(lead, topic, tail)


def _names(it: Clarification) -> str:
    return visible(f"{it.asker} → {it.asked}", newlines=False)
