"""What a session would leave, one memory a line; below it what is skipped, and why."""

from __future__ import annotations

from collections.abc import Sequence, Set

from textual.content import Content

from memtui.formatting import fit
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.reports.grouped_list import GroupedList
from memtui.words.notices import sentence
from store.capture.plan import Captured, Skipped
from store.text.display import visible

_CATEGORY = 18
"""Cells of the longest category we know."""


class CapturedList(GroupedList[Captured | Skipped]):
    """What would be stored, one a line, and below a heading what is skipped and why."""

    BINDINGS = bindings("captured")

    def __init__(self) -> None:
        super().__init__()
        self._dropped: Set[int] = frozenset()
        self._edited: Set[int] = frozenset()
        self._category = 0

    def show(
        self,
        kept: Sequence[Captured],
        skipped: Sequence[Skipped],
        dropped: Set[int],
        edited: Set[int],
    ) -> None:
        """Show these; `dropped` and `edited` are places among the `kept`."""
        self._dropped, self._edited = dropped, edited
        rows: list[Captured | Skipped | str] = [*kept]
        if skipped:
            rows += [f"Skipped, {len(skipped):,}", *skipped]
        self._category = min(
            _CATEGORY, max((len(each.observation.category) for each in kept), default=0)
        )
        self.show_groups(rows)

    def row_key(self, index: int) -> str:
        return f"{index} {self.rows[index]!r}"

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        if isinstance(row, str):
            return Content.styled(f"  {row}", "bold")
        cursor = ("▸ " if index == self.cursor else "  ", "$accent-text")
        if isinstance(row, Skipped):
            tail = f"  {visible(sentence(row.reason), newlines=False)} "
            room = max(0, width - len(tail) - 4)
            text = fit(visible(row.text, newlines=False), room)
            return Content.assemble(cursor, ("· ", "$dim"), (text, "$dim"), (tail, "$dim"))
        is_out, category = index in self._dropped, row.observation.category
        word = "dropped" if is_out else "edited" if index in self._edited else ""
        tail = f"  {word:>7} " if self._dropped or self._edited else " "
        lead = Content.assemble(
            cursor,
            (
                f"{'–' if is_out else mark_of(category)} "
                f"{fit(visible(category, newlines=False), self._category)}  ",
                "$dim" if is_out else color_of(category),
            ),
        )
        room = max(0, width - lead.cell_length - len(tail))
        summary = fit(visible(row.observation.summary, newlines=False), room)
        return Content.assemble(
            lead, (summary, "$dim" if is_out else ""), (tail, "$dim" if is_out else "$accent-text")
        )
