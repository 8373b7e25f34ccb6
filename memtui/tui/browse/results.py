"""What the query finds: one line for each observation, in columns, loaded in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from textual.content import Content
from textual.message import Message

from memtui.tui.browse.result_row import Columns, draw_row
from memtui.tui.browse.selection import Range
from memtui.tui.frame.keys import bindings
from memtui.tui.widgets.row_list import RowList
from store.model import Hit

FIRST, PAGE = 50, 100
"""Rows that are loaded for each key typed, more than any screen has, and at a time from there."""
_AHEAD = 20
"""Rows before the end at which the next page is asked for."""


class ResultList(RowList):
    """The rows of a query, the first page at once and more as the cursor nears the end."""

    BINDINGS = bindings("results")

    class AllWanted(Message):
        """All rows are to be selected, also those that are not loaded yet."""

    @dataclass
    class Wanted(Message):
        """The cursor nears the end of what is loaded."""

        offset: int

    class Selected(Message):
        """Rows were selected, or taken out of the selection."""

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self._now = now
        self._hits: list[Hit] = []
        self._selected: frozenset[str] = frozenset()
        self._total = 0
        self._columns = self._widest = Columns.of((), now())
        self._asked_from = 0
        self._expected = ""
        self._range: Range | None = None

    def expect(self, identifier: str) -> None:
        """Go to an observation, which is new, if it is among the rows that come next."""
        self._expected = identifier

    @property
    def hit(self) -> Hit | None:
        return self._hits[self.cursor] if self._hits else None

    def step(self, rows: int) -> Hit | None:
        """Go so many rows on and give the row there; None where there is none."""
        if not 0 <= self.cursor + rows < self.row_count:
            return None
        self.cursor += rows
        return self.hit

    @property
    def selection(self) -> tuple[Hit, ...]:
        return tuple(hit for hit in self._hits if hit.entry.id in self._selected)

    def select(self, ids: Iterable[str]) -> None:
        self._range = None
        self._select(ids)

    def _select(self, ids: Iterable[str]) -> None:
        chosen = frozenset(ids) & {hit.entry.id for hit in self._hits}
        if chosen != self._selected:
            self._selected = chosen
            self.refresh()
            self.post_message(self.Selected())

    def action_mark(self) -> None:
        if self.hit is not None:
            self.select(self._selected ^ {self.hit.entry.id})
            self.cursor += 1

    def action_mark_range(self) -> None:
        if self._range is not None:
            self._range = None
        elif self.hit is not None:
            self._range = Range(self.hit.entry.id, self._selected)
            self._stretch()

    def _stretch(self) -> None:
        if self._range is not None:
            ids = [hit.entry.id for hit in self._hits]
            if (chosen := self._range.to(ids, self.cursor)) is None:
                self._range = None
            else:
                self._select(chosen)

    def action_mark_all(self) -> None:
        if self._hits and len(self._selected) == self._total:
            self.select(())
        elif self.loaded < self._total:
            self.post_message(self.AllWanted())
        else:
            self.select_all()

    def select_all(self) -> None:
        self.select(hit.entry.id for hit in self._hits)

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(self._hits)

    @property
    def loaded(self) -> int:
        return len(self._hits)

    @property
    def kept(self) -> int:
        """How many rows to ask for where the cursor is to stay on its own: those that are loaded,
        and so many more that new ones before it don't push it out."""
        return max(self.loaded, self.cursor + 1 + _AHEAD) if self._hits else 0

    @property
    def total(self) -> int:
        return self._total

    @property
    def cursor_stays(self) -> bool:
        return True

    def show(self, hits: Sequence[Hit], total: int, *, keep: bool, typing: bool = False) -> None:
        """Show the first rows of an answer.

        With `keep` the cursor stays on its observation, at the same line of the screen, and the
        selection on those that are still there; without, it begins anew at the top. While one is
        `typing` no column gets narrower, so that they stay put.
        """
        selected = self.hit.entry.id if keep and self.hit else None
        line = self.cursor - self.scroll_offset.y
        expected, self._expected = self._expected, ""
        if expected in {hit.entry.id for hit in hits}:
            selected = expected
        self._hits, self._total, self._asked_from = list(hits), total, 0
        self._measure(anew=not (keep or typing))
        self._select(self._selected) if keep else self.select(())
        at = next((i for i, hit in enumerate(hits) if hit.entry.id == selected), None)
        self.row_count = len(hits)
        if at is not None:
            self.cursor = at
            self.scroll_to(y=at - line, animate=False, force=True, immediate=True)
        else:
            self.cursor = min(self.cursor, max(0, len(hits) - 1)) if keep else 0
        self.reload()

    def extend(self, hits: Sequence[Hit], total: int) -> None:
        seen = {hit.entry.id for hit in self._hits}
        self._hits += [hit for hit in hits if hit.entry.id not in seen]
        self._total = total
        self._measure()
        self.row_count = len(self._hits)

    def fit_columns(self) -> None:
        """Make the columns as wide as the rows need, where others before needed more."""
        self._measure(anew=True)
        self.refresh()

    def _measure(self, *, anew: bool = False) -> None:
        needed = Columns.of(self._hits, self._now())
        self._widest = needed if anew else needed.at_least(self._widest)
        self._columns = self._widest.within(self.scrollable_content_region.width)

    def on_resize(self) -> None:
        before = self._columns
        self._measure()
        if self._columns != before:
            self.refresh()

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self._stretch()
        loaded = len(self._hits)
        if new >= loaded - _AHEAD and loaded < self._total and self._asked_from != loaded:
            self._asked_from = loaded
            self.post_message(self.Wanted(loaded))

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self, self.cursor))

    def row(self, index: int, width: int) -> Content:
        hit = self._hits[index]
        selected = hit.entry.id in self._selected
        mark = "✓ " if selected else "▸ " if index == self.cursor else "  "
        return draw_row(hit, self._columns, mark, self._now(), width)
