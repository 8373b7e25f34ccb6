"""Browse, the home screen: agents, categories and gauge beside results and observation.

One query text is the truth. Typing changes it, and so does choosing an agent, a category or an
issue; everything on the screen follows from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult

from memtui.tui.browse import query_text
from memtui.tui.browse.agent_list import AgentList
from memtui.tui.browse.keys import BROWSE_KEYS
from memtui.tui.browse.memory_follower import MemoryFollower
from memtui.tui.browse.pane_actions import PaneActions
from memtui.tui.browse.panes import Panes
from memtui.tui.browse.results import ResultList
from memtui.tui.browse.results_pane import ResultsPane
from memtui.tui.browse.search import Search
from memtui.tui.browse.search_bar import SearchBar
from memtui.tui.memory.actions import Entry, route_to
from memtui.tui.route import Context, Open
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.worker import (
    FacetsFound,
    ObservationRead,
    Request,
    RowsFound,
    ask,
    count_facets,
    search_rows,
)

if TYPE_CHECKING:
    pass

_PAUSE = 0.03
"""Seconds in which rows are drawn; counting beside it would hold them up."""


_FRAME = 0.01
"""Seconds after which the drawing of rows has begun."""


class BrowseScreen(PaneActions, MemoryFollower):
    """The home screen."""

    HORIZONTAL_BREAKPOINTS = [(170, "-wide")]  # noqa: RUF012 - as Screen has it
    BINDINGS = BROWSE_KEYS
    AUTO_FOCUS = "#results"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._place = context.place
        self._now = context.now
        self._query = Search()
        self._opening = False
        self._steps = 0
        self._clearable = False
        self._selecting = False

    def compose(self) -> ComposeResult:
        """Two columns between the title and the keys."""
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield Panes(id="panes", now=self._now)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Nothing is known yet but the store's place."""
        self._panes = self.query_one(Panes)
        self._results = self._panes.results
        self.query_one(TitleBar).place = self._place
        self.watch(self._results.bar, "value", self._query_changed, init=False)

    def on_screen_resume(self) -> None:
        """The focus may be elsewhere than it was."""
        self.query_one(ResultsPane).light()

    # The query

    def _query_changed(self) -> None:
        """Ask for it, before the letters are drawn."""
        if self.query_line != self._query.request.typed:
            self.search()
        if bool(self.query_line) != self._clearable:
            self._clearable = not self._clearable
            self.refresh_bindings()

    def search(self, *, keep: bool = False, changed: bool = False) -> None:
        """Ask for the query's first rows; with `keep` the cursor stays on its row.

        `changed`: memory did.
        """
        typed = self.query_line
        text = query_text.as_meant(typed, self._results.bar.known)
        self.show_chosen(text)
        if self._memory is None:
            return
        request = self._query.begin(
            typed,
            text,
            rows=self._results.rows.kept if keep else 0,
            first=not self.everything.agents,
            changed=changed,
            total=self._state.total if self._state is not None else 0,
        )
        ask(self, search_rows(self._memory, request), group="search")

    def on_result_list_wanted(self, event: ResultList.Wanted) -> None:
        """Load the next page below the rows that are there."""
        if self._memory is not None:
            ask(self, search_rows(self._memory, self._query.page(event.offset)), group="page")

    def on_result_list_all_wanted(self) -> None:
        """Load all rows that are not there yet, to select them."""
        rows = self._results.rows
        if self._memory is not None:
            self._selecting = True
            rest = self._query.page(rows.loaded)._replace(limit=rows.total - rows.loaded)
            ask(self, search_rows(self._memory, rest), group="page")

    def on_rows_found(self, event: RowsFound) -> None:
        """Show the rows, if they answer what is asked now."""
        if not self._query.is_asked(event.request) or self._state is None:
            return
        if event.request.offset:
            self._results.extend(event.result, self._state.total)
            if self._selecting:
                self._selecting = False
                self._results.rows.select_all()
            return
        self._selecting = False
        if self._query.shown is None:
            self.read_history()  # which the first rows don't wait for
        self._query.answer(event)
        self._results.show(
            event.result,
            self._state.total,
            event.archived,
            keep=self._query.keeps_row,
            unread=bool(self._state.problems),
        )
        self._results.rows.action_move(self._steps)
        self._steps = 0
        self.let_keys_go()
        self._read_selected(event.first)
        if self._opening:
            self._open_selected()
        if event.request.rows_first:
            self._count_after_pause(event.request)

    @work(exclusive=True, group="count pause")
    async def _count_after_pause(self, request: Request) -> None:
        """Ask for the facets of rows once those are drawn."""
        await asyncio.sleep(_PAUSE)
        if self._query.is_asked(request) and self._memory is not None:
            ask(self, count_facets(self._memory, request), group="search")

    def on_search_bar_stepped(self, event: SearchBar.Stepped) -> None:
        """Move the rows, or those to come; up from the first of them to the searches before."""
        at_first = self._results.rows.cursor == 0 and not self._steps
        if abs(event.rows) == 1 and at_first and self._results.bar.recall(event.rows):
            return
        if self._query.shows(self.query_line):
            self._results.rows.action_move(event.rows)
        else:
            self._steps += event.rows

    def on_facets_found(self, event: FacetsFound) -> None:
        """Let the counts and the gauge follow."""
        if not self._query.is_asked(event.request) or self._memory is None:
            return
        if event.everything is not None:
            self.everything = event.everything.facets
            self._results.bar.learn(query_text.known_values(self.everything))
            self._panes.gauge.follow(self._memory, lambda: self.request, anew=True)
            self.query_one(TitleBar).follow(self._memory)
        self.found = event.result.facets
        self._show_counts_after_rows()
        if not self._looked:
            self.action_refresh()

    @work(exclusive=True, group="counts")
    async def _show_counts_after_rows(self) -> None:
        """Draw the counts after the rows that came with them, which are what one looks at."""
        await asyncio.sleep(_FRAME)
        if self.query(AgentList):  # a screen that closes takes its lists away first
            self.show_counts()

    # The selected observation

    @on(RowList.Moved, "#results")
    def _row_changed(self) -> None:
        self._read_selected()

    def _read_selected(self, first: ObservationRead | None = None) -> None:
        """Show the observation under the cursor, which may be the `first` of an answer."""
        hit = self._results.rows.hit
        self.know_archived(bool(hit and hit.entry.archived))
        if self._memory is not None:
            self._panes.gauge.follow(self._memory, lambda: self.request)
        if hit is None or self._memory is None:
            self._panes.observation.show_nothing()
        else:
            self._panes.observation.read(self._memory, hit, self._query.result, first)

    @on(RowList.Chosen, "#results")
    def _open_selected(self) -> None:
        """Open the row under the cursor; while a search is under way, that of its answer."""
        self._opening = not self._query.shows(self.query_line)
        hit = self._results.rows.hit
        if hit is not None and self._memory is not None and not self._opening:
            self.post_message(Open(route_to(hit, self._results.rows.step)))

    # What keys act on

    @property
    def at(self) -> Entry | None:
        """The observation under the cursor."""
        hit = self._results.rows.hit
        return None if hit is None else hit.entry

    @property
    def selection(self) -> Sequence[Entry]:
        """The selected observations."""
        return [hit.entry for hit in self._results.rows.selection]

    def on_result_list_selected(self) -> None:
        """Esc clears a selection."""
        self.refresh_bindings()

    def action_export(self) -> None:
        """Export the selection, else all that the query finds."""
        if self._memory is not None and (found := self._query.result) is not None:
            only = [item.id for item in self.selection] or None
            count = len(only) if only else found.total
            from memtui.tui.export.operations import export  # few sessions write files

            export(self.app, self._memory, found.query, only, count, self._now())

    # Panes

    def action_leave_search(self, opening: bool = False) -> None:
        """Back to the list; `opening` opens what it is at."""
        self.set_focus(self._results.rows)
        if opening:
            self._open_selected()

    def action_clear(self) -> None:
        """Clear the selection, the zoom, or the search."""
        if self._results.rows.selection:
            self._results.rows.select(())
        elif self._panes.zoomed is not None:
            self._panes.zoomed = None
        else:
            self.set_query("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc is offered only where it does something."""
        if action == "clear":
            selection = self.is_mounted and self._results.rows.selection
            return self.is_mounted and bool(selection or self._panes.zoomed or self.query_line)
        return not self.is_mounted or super().check_action(action, parameters)
