"""The results of a query as a list: loaded in pages, its rows selected one by one or in ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from memtui.tui.browse.result_row import Columns, draw_row
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.type_ahead import NOT_HELD, KeysHeld, keys_held
from memtui.tui.widgets.row_list import RowList
from store.model import Facets, Hit, SearchResult

if TYPE_CHECKING:  # what a first frame does without
    from store import Memory

FIRST, PAGE = 50, 100
"""Rows that are loaded for each key typed, more than any screen has, and at a time from there."""
_AHEAD = 20
"""Rows before the end at which the next page is asked for."""
_MOST = 100_000
"""Rows that are loaded in all."""


class ResultList(RowList[Hit]):
    BINDINGS = bindings("results")
    keeps_cursor = True

    class Changed(Message):
        """Other rows are selected, loaded, or new above."""

    new_above = reactive(0, init=False)

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self._now = now
        self._memory: Memory | None = None
        self._found = SearchResult("", 0, (), Facets())
        self._columns = self._widest = Columns.of((), now())
        self._asked_from = 0
        self._expected = ""
        self._selected: frozenset[str] = frozenset()
        self._range: tuple[str, frozenset[str]] | None = None
        """The id at which a range began, and what was selected before."""

    @property
    def total(self) -> int:
        return self._found.total

    @property
    def _ids(self) -> list[str]:
        return [hit.entry.id for hit in self.rows]

    def step(self, rows: int) -> Hit | None:
        """Go so many rows on and return the one there; None where there is none."""
        if not 0 <= self.cursor + rows < len(self.rows):
            return None
        self.cursor += rows
        return self.at

    # An answer and its pages

    @property
    def kept(self) -> int:
        """How many rows to ask for where the cursor is to stay on its own: those that are loaded,
        and so many more that new ones before it don't push it out."""
        return max(len(self.rows), self.cursor + 1 + _AHEAD) if self.rows else 0

    def expect(self, identifier: str) -> None:
        """Go to an observation, which is new, if it is among the rows that come next."""
        self._expected = identifier

    def show(
        self, memory: Memory, found: SearchResult, *, keep: bool, typing: bool = False
    ) -> None:
        """Show the first rows of an answer.

        With `keep` the cursor stays on its observation, at the same line of the screen unless new
        rows are seen above it, and the selection on those that are still there; without, it begins
        anew at the top. While one is `typing` no column gets narrower, so that they stay put.
        """
        staying = self.at.entry.id if keep and self.at else ""
        line, was_first = self.cursor_line, self.cursor == 0
        above = set(self._ids[: self.cursor + 1])
        expected, self._expected = self._expected, ""
        self._memory, self._found, self._asked_from = memory, found, 0
        self.list_rows(found.hits)
        self._measure(anew=not (keep or typing))
        self._select(self._selected) if keep else self.select(())
        ids = self._ids
        if expected in ids:
            self.put_cursor(ids.index(expected), line)
        elif staying not in ids:
            self.cursor = self.cursor if keep else 0
        elif was_first:  # so that what is new above it is seen
            self.cursor = ids.index(staying)
        else:
            self.put_cursor(ids.index(staying), line)
            self.new_above += len(set(ids[: self.cursor]) - above)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self._stretch()
        loaded = len(self.rows)
        if new >= loaded - _AHEAD and loaded < self.total and self._asked_from != loaded:
            self._asked_from = loaded
            self._load(PAGE)

    def action_choose(self) -> None:
        """Open a row even where there is none yet: a search may be under way."""
        self.post_message(self.Chosen(self, self.cursor))

    def action_last(self) -> None:
        self._with_all(super().action_last)

    def _with_all(self, then: Callable[[], None]) -> None:
        """Do something once all rows are loaded; keys wait."""
        if len(self.rows) < self.total:
            self._load(min(self.total, _MOST) - len(self.rows), then, keys_held(self.screen))
        else:
            then()

    @exclusive_worker(group="page")
    async def _load(
        self, limit: int, then: Callable[[], None] = lambda: None, held: KeysHeld = NOT_HELD
    ) -> None:
        found, memory = self._found, self._memory
        if memory is None:
            return
        with held:
            more = await ask(
                memory.search, found.query, limit, len(self.rows), facets=(), fresh=False
            )
            if found is not self._found:
                return
            seen = set(self._ids)
            self._found = found._replace(total=more.total)
            self.list_rows([*self.rows, *(hit for hit in more.hits if hit.entry.id not in seen)])
            self._measure()
            self.post_message(self.Changed())
            then()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not new_value:
            self.new_above = 0

    def watch_new_above(self) -> None:
        self.post_message(self.Changed())

    # The selection

    @property
    def selection(self) -> tuple[Hit, ...]:
        return tuple(hit for hit in self.rows if hit.entry.id in self._selected)

    def select(self, ids: Iterable[str]) -> None:
        self._range = None
        self._select(ids)

    def _select(self, ids: Iterable[str]) -> None:
        chosen = frozenset(ids).intersection(self._ids)
        if chosen != self._selected:
            self._selected = chosen
            self.refresh()
            self.post_message(self.Changed())

    def action_mark(self) -> None:
        if self.at is not None:
            self.select(self._selected ^ {self.at.entry.id})
            self.cursor += 1

    def action_mark_all(self) -> None:
        if self.rows and len(self._selected) == self.total:
            self.select(())
        else:
            self._with_all(lambda: self.select(self._ids))

    def action_mark_range(self) -> None:
        if self._range is not None:
            self._range = None
        elif self.at is not None:
            self._range = self.at.entry.id, self._selected
            self._stretch()

    def _stretch(self) -> None:
        """Select from where the range began to the cursor."""
        if self._range is None:
            return
        (begin, before), ids = self._range, self._ids
        if begin in ids:
            first, last = sorted((ids.index(begin), self.cursor))
            self._select(before | frozenset(ids[first : last + 1]))
        else:
            self._range = None

    # Columns

    def fit_columns(self) -> None:
        """Make the columns as wide as the rows need, where others before needed more."""
        self._measure(anew=True)
        self.refresh()

    def _measure(self, *, anew: bool = False) -> None:
        needed = Columns.of(self.rows, self._now())
        self._widest = needed if anew else needed.at_least(self._widest)
        self._columns = self._widest.within(self.scrollable_content_region.width)

    def on_resize(self) -> None:
        before = self._columns
        self._measure()
        if self._columns != before:
            self.refresh()

    def row(self, index: int, width: int) -> Content:
        hit = self.rows[index]
        mark = "✓ " if hit.entry.id in self._selected else self.cursor_mark(index)[0]
        return draw_row(hit, self._columns, mark, self._now(), width)
