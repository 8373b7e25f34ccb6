"""The results of a query as a list: loaded in pages, its rows selected one by one or in ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from memtui.tui.browse.query_text import order_of
from memtui.tui.browse.result_row import (
    Columns,
    Look,
    VerdictOf,
    distinctions,
    draw_row,
    no_verdict,
)
from memtui.tui.browse.selection import Selection
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.type_ahead import NOT_HELD, KeysHeld, keys_held
from memtui.tui.widgets.row_list import RowList
from store.model import Facets, Hit, SearchResult

if TYPE_CHECKING:  # what a first frame does without
    from store import Memory

FIRST = 50
"""Rows of the first page, loaded with each key typed: more than most screens have."""
PAGE = 100
"""Rows of each further page."""
_AHEAD = 20
"""Rows before the last loaded one at which the cursor has the next page loaded."""
_MOST = 100_000
"""Rows that are loaded in all."""


class ResultList(RowList[Hit]):
    """The hits of an answer: those loaded so far, and further pages as the cursor comes near."""

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
        self._columns = self._widest = Columns.of((), now(), "")
        self._order = ""
        self._apart: Mapping[str, str] = {}
        self._requested_from = -1
        """The row that the last page asked for begins at; -1 for none since the first."""
        self._expected_id = ""
        self._selection = Selection()
        self._verdict_of: VerdictOf = no_verdict

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

    def list_rows(self, rows: Sequence[Hit]) -> None:
        self._apart = distinctions(rows, self._now())
        super().list_rows(rows)

    @property
    def rows_to_keep(self) -> int:
        """How many rows to ask for so that the cursor's is among them, also after some new ones."""
        return max(len(self.rows), self.cursor + 1 + _AHEAD) if self.rows else 0

    def expect(self, identifier: str) -> None:
        """Have the next answer put the cursor on this new observation, if that has it."""
        self._expected_id = identifier

    def show(
        self, memory: Memory, found: SearchResult, *, keep: bool, typing: bool = False
    ) -> None:
        """Show the first rows of an answer.

        With `keep` the cursor stays on its observation and the selection on those still found;
        without, both begin anew. While one is `typing` no column gets narrower.
        """
        current_id = self.at.entry.id if keep and self.at else ""
        line, was_first = self.cursor_line, self.cursor == 0
        seen_above = set(self._ids[: self.cursor + 1])
        expected_id, self._expected_id = self._expected_id, ""
        self._memory, self._found, self._requested_from = memory, found, -1
        self._order = order_of(found.query)
        self.list_rows(found.hits)
        self._measure(can_shrink=not (keep or typing))
        if keep:
            self._select(self._selection.ids)
        else:
            self.select(())
        ids = self._ids
        if expected_id in ids:
            self.put_cursor(ids.index(expected_id), line)
        elif current_id not in ids:
            self.cursor = self.cursor if keep else 0
        elif was_first:  # not at its line of the screen, so that new rows above it are seen
            self.cursor = ids.index(current_id)
        else:
            self.put_cursor(ids.index(current_id), line)
            self.new_above += len(set(ids[: self.cursor]) - seen_above)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self._select_range()
        loaded = len(self.rows)
        if new >= loaded - _AHEAD and loaded < self.total and self._requested_from != loaded:
            self._requested_from = loaded
            self._load(PAGE)

    def action_choose(self) -> None:
        """Post `Chosen` even without a row: one may come with a search that is under way."""
        self.post_message(self.Chosen(self, self.cursor))

    def action_last(self) -> None:
        self._load_all(super().action_last)

    def _load_all(self, then: Callable[[], None]) -> None:
        """Load all rows, for which keys wait, and call `then`."""
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
                memory.search,
                found.query,
                limit=limit,
                offset=len(self.rows),
                facets=(),
                fresh=False,
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
        return tuple(hit for hit in self.rows if hit.entry.id in self._selection.ids)

    def select(self, ids: Iterable[str]) -> None:
        """Select these rows, as far as they are listed, and no others."""
        self._selection.end_range()
        self._select(ids)

    def _select(self, ids: Iterable[str]) -> None:
        before = self._selection.ids
        self._selection.set(ids, self._ids)
        if self._selection.ids != before:
            self.refresh()
            self.post_message(self.Changed())

    def action_mark(self) -> None:
        if self.at is not None:
            self.select(self._selection.ids ^ {self.at.entry.id})
            self.cursor += 1

    def action_mark_all(self) -> None:
        if self.rows and len(self._selection.ids) == self.total:
            self.select(())
        else:
            self._load_all(lambda: self.select(self._ids))

    def action_mark_range(self) -> None:
        if self._selection.has_range:
            self._selection.end_range()
        elif self.at is not None:
            self._selection.begin_range(self.at.entry.id)
            self._select_range()

    def _select_range(self) -> None:
        if self._selection.has_range:
            self._select(self._selection.follow(self._ids, self.cursor))

    # Columns

    def show_verdicts(self, verdict_of: VerdictOf) -> None:
        """Mark the rows by what became of the code that they name."""
        self._verdict_of = verdict_of
        self._measure()
        self.refresh()

    def fit_columns(self) -> None:
        """Make the columns only as wide as the present rows need."""
        self._measure(can_shrink=True)
        self.refresh()

    def _measure(self, *, can_shrink: bool = False) -> None:
        needed = Columns.of(self.rows, self._now(), self._order, self._verdict_of)
        self._widest = needed if can_shrink else needed.at_least(self._widest)
        self._columns = self._widest.within(self.scrollable_content_region.width)

    def on_resize(self) -> None:
        before = self._columns
        self._measure()
        if self._columns != before:
            self.refresh()

    def row(self, index: int, width: int) -> Content:
        hit = self.rows[index]
        mark = "✓ " if hit.entry.id in self._selection.ids else self.cursor_mark(index)[0]
        look = Look(mark, self._order, self._apart.get(hit.entry.id, ""), self._verdict_of)
        return draw_row(hit, self._columns, look, self._now(), width)
