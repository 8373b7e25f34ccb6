"""Browse, the home screen: agents, categories and gauge, results and observation.

One query text is the truth. Typing changes it, and so does choosing an agent, a category or an
issue; everything on the screen follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult

from memtui.formatting import count, progress_bar
from memtui.tui.browse import query_text
from memtui.tui.browse.filter_list import FilterList
from memtui.tui.browse.notices import notice_of
from memtui.tui.browse.panes import Panes
from memtui.tui.browse.results_pane import ResultsPane
from memtui.tui.browse.search import Found, Request, compare, count_facets, find_rows, limit_for
from memtui.tui.browse.search_box import SearchBar
from memtui.tui.browse.search_history import history_file
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.routes import NextOf
from memtui.tui.frame.toasts import toast
from memtui.tui.frame.type_ahead import NOT_HELD, KeysHeld, keys_held
from memtui.tui.memory.actions import ObservationActions, WriteNew, route_to
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import StatusLine
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from store.errors import StoreError
from store.model import Facets, Observation

if TYPE_CHECKING:  # what a first frame does without
    from memtui.tui.operations import OperationEnded
    from store import Memory
    from store.drift.kept import Verdicts
    from store.recall.request import RecallRequest
    from store.store_state import StoreState


class BrowseScreen(ObservationActions):
    HORIZONTAL_BREAKPOINTS = [(170, "-wide")]  # noqa: RUF012 - as Screen has it
    MANUAL_PAGE = "screens/browse.md"
    BINDINGS = bindings("browse", "memories", "list of memories", "browse panes")
    AUTO_FOCUS = "#results"

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._place = context.place
        self._is_demo = context.is_demo
        self._now = context.now
        self._memory: Memory | None = None
        self._state: StoreState | None = None
        self.client = ""
        """The client whose next session the gauge shows; empty for the one at hand."""
        self.everything = Facets()
        """The counts of the whole store; `found` has those of the query."""
        self.found = Facets()
        self._request = Request()
        self._shown: Found | None = None
        self._is_count_stale = True
        """Memory changed since `everything` was counted."""
        self._opens_answer = False
        """The row under the cursor is to be opened once the search under way is answered."""
        self._pending_steps = 0
        """Rows that the cursor is to move once that is so."""
        self._has_query = False
        self._at_archived = False
        self._has_looked = False
        """The files were looked at since memory was opened."""
        self._drawn_at = context.now()
        self._verdicts: Verdicts | None = None
        self._remarks: dict[str, str] = {}
        """What is to be known of other screens, by the bindings that open them."""

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield Panes(id="panes", now=self._now)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._panes = self.query_one(Panes)
        self._results = self._panes.results
        self._bar = self._results.bar
        self.query_one(TitleBar).place = self._place
        self.watch(self._bar, "value", self._query_changed, init=False)

    def on_screen_resume(self) -> None:
        self.query_one(ResultsPane).light()
        if self._memory is not None:
            self._look_around(self._memory)

    # Following memory

    @property
    def memory(self) -> Memory | None:
        return self._memory

    def attach(self, memory: Memory, state: StoreState) -> None:
        """Memory is open: show it as it was left, then have the files looked at."""
        self._memory = memory
        self._show_state(state)
        self.search(held=keys_held(self))

    def fail_to_open(self, error: StoreError) -> None:
        self._results.show_message(error.message, error.hint)

    def failed(self, error: StoreError) -> None:
        self.notice(error.full_message)

    def _show_state(self, state: StoreState) -> None:
        self._state = state
        self.query_one(TitleBar).show(state)
        mistakes = () if self._memory is None else self._memory.settings_mistakes
        known = notice_of(state, mistakes, partial(key_in_use, self.app))
        self.notice(known or next(filter(None, self._remarks.values()), ""))

    @exclusive_worker(group="remarks")
    async def _look_around(self, memory: Memory) -> None:
        """Show what waits in the inbox, and, found once, what contradicts in the context of the
        next session, both read in the background.
        """
        from memtui.tui.browse.remarks import REMARKS  # not for the first frame

        for binding, read in REMARKS.items():
            if binding in self._remarks and binding != "app.inbox":
                continue
            text = await ask(read, memory, key_in_use(self.app, binding))
            is_news = text != self._remarks.get(binding, "")
            self._remarks[binding] = text
            if is_news and self._state is not None:
                self._show_state(self._state)

    def notice(self, text: str) -> None:
        self.query_one("#notice", StatusLine).show_message(text)

    def show_progress(self, done: int, total: int) -> None:
        if not total:
            return
        progress = f"{count(done)} of {count(total)} issues"
        if self._memory is None:
            self._results.show_message("Reading the files …", progress_bar(done, total), progress)
        else:
            self.notice(f"Reading the files: {progress}")

    def catch_up(self, state: StoreState, *, changed: bool) -> None:
        """The files were looked at: show what the store has now, and search again where they
        `changed`.
        """
        if not self.query(TitleBar):
            return  # a screen that closes
        has_news = changed or self._state is None or state.proposed != self._state.proposed
        self._show_state(state)
        if self._memory is not None:
            self._panes.agents.follow(self._memory)
        # The first time there is only a row to keep where one has moved to it.
        keep, self._has_looked = self._has_looked or self._results.rows.cursor > 0, True
        if self._memory is not None:
            self._compare(self._memory, changed=changed)
            if has_news:
                self._look_around(self._memory)
        if changed:
            self.search(keep=keep, changed=True)
        elif (self._now() - self._drawn_at).total_seconds() >= 60:
            self._drawn_at = self._now()
            self._results.rows.refresh()  # ages have moved on

    @exclusive_worker(group="drift")
    async def _compare(self, memory: Memory, *, changed: bool) -> None:
        """Compare memories with the code where either changed, and mark the rows by it."""
        if await ask(compare, memory, changed=changed or self._verdicts is None):
            self.search(keep=True, changed=True)
        verdicts = await ask(memory.drift.verdicts)
        if verdicts is not self._verdicts:
            self._verdicts = verdicts
            self._results.rows.show_verdicts(lambda entry: verdicts.drift_of(entry).verdict)
            self._show_selected()

    def on_operation_ended(self, event: OperationEnded) -> None:
        """Memory was changed here: search again, keeping the row; the selection has served."""
        if event.applied is not None:
            self._results.rows.select(())
            if event.applied.added and not event.applied.left:
                self._results.rows.expect(event.applied.added[0])
        if event.state is not None:
            self._show_state(event.state)
            self.search(keep=True, changed=True, held=keys_held(self))
            if self._memory is not None:
                self._compare(self._memory, changed=True)
                self._look_around(self._memory)

    def on_indexing_ended(self) -> None:
        self.on_hooks_written()

    def on_hooks_written(self) -> None:
        if self._memory is not None:
            self._follow_request(self._memory, anew=True)

    # The query

    @property
    def query_line(self) -> str:
        return self.query_one(SearchBar).value

    def set_query(self, text: str) -> None:
        """Ask something else; the search box, the lists and the results follow."""
        self._bar.set_query(text)

    def _query_changed(self) -> None:
        if self.query_line != self._request.typed:
            self.search()
        if bool(self.query_line) != self._has_query:
            self._has_query = not self._has_query
            self.refresh_bindings()

    def search(
        self, *, keep: bool = False, changed: bool = False, held: KeysHeld = NOT_HELD
    ) -> None:
        """Ask for the query's first rows; with `keep` the cursor stays on its row.

        `changed`: memory did. Keys that are `held` wait for the rows.
        """
        typed = self.query_line
        text = query_text.expand_half_typed(typed, self._bar.known)
        self._panes.show_chosen(text)
        if self._memory is None:
            return
        rows = self._results.rows.rows_to_keep if keep else 0
        self._request = Request(
            typed,
            text,
            limit_for(rows),
            keeps_row=bool(rows) and self._shown is not None and self._shown.request.text == text,
        )
        self._is_count_stale = self._is_count_stale or changed
        self._find(self._memory, self._request, held)

    @exclusive_worker(group="search")
    async def _find(self, memory: Memory, request: Request, held: KeysHeld) -> None:
        with held:
            found = await ask(find_rows, memory, request)
            if self._shown is None and not self._is_demo:
                self._bar.follow_history(history_file(memory.path))  # no row waits for that
            self._show_rows(memory, found)
        stale = self._is_count_stale
        self.found, everything = await ask(count_facets, memory, request.text, everything=stale)
        if everything is not None:
            self._is_count_stale = False
            self.everything = everything
            self._bar.learn(query_text.known_values(everything))
            self._follow_request(memory, anew=True)
            self.query_one(TitleBar).follow(memory)
        if not self._has_looked:
            self._look_around(memory)
            await self.run_action("app.look")
        self._panes.show_counts(self.everything, self.found)

    def _show_rows(self, memory: Memory, found: Found) -> None:
        if self._state is None:
            return
        self._shown = found
        self._results.show(
            memory,
            found.result,
            self._state.total,
            found.archived,
            keep=found.request.keeps_row,
            unread=bool(self._state.problems),
        )
        self._results.rows.action_move(self._pending_steps)
        self._pending_steps = 0
        self._show_selected()
        if self._opens_answer:
            self._open_selected()

    @property
    def _is_answered(self) -> bool:
        return self._shown is not None and self._shown.request.typed == self.query_line

    def on_search_bar_stepped(self, event: SearchBar.Stepped) -> None:
        """Move the rows, or those to come; up from the first of them to the searches before."""
        at_first = self._results.rows.cursor == 0 and not self._pending_steps
        if abs(event.rows) == 1 and at_first and self._bar.recall(event.rows):
            return
        if self._is_answered:
            self._results.rows.action_move(event.rows)
        else:
            self._pending_steps += event.rows

    # What is chosen: it is written into the query and read from it

    def on_filter_list_toggled(self, event: FilterList.Toggled) -> None:
        if event.value:
            self.set_query(query_text.toggle(self.query_line, event.field, event.value))
        else:
            self.set_query(query_text.choose(self.query_line, event.field, ()))

    def action_pick_issue(self) -> None:
        from memtui.tui.dialogs.choices import pick_issue  # loads the store

        if self._memory is not None:
            chosen = query_text.chosen(self.query_line, "issue")
            route = pick_issue(self._memory, self.found.issues, chosen, self._now())
            self.post_message(Open(route, self.go_to_issue))

    def go_to_issue(self, issue: int | None) -> None:
        """Ask for one issue only; -1 for all, None leaves the query as it is."""
        if issue is not None:
            values = (str(issue),) if issue >= 0 else ()
            self.set_query(query_text.choose(self.query_line, "issue", values))

    def go_to_agent(self, agent: str) -> None:
        self.set_query(query_text.choose(self.query_line, "agent", (agent,)))

    def action_order(self) -> None:
        self.set_query(query_text.next_order(self.query_line))

    # The row under the cursor

    @on(RowList.Moved, "#results")
    def _show_selected(self) -> None:
        hit = self._results.rows.at
        archived = bool(hit and hit.entry.archived)
        if archived is not self._at_archived:
            self._at_archived = archived
            self.refresh_bindings()
        if self._memory is not None:
            self._follow_request(self._memory)
            found = self._shown.result if self._shown is not None else None
            self._panes.observation.read(self._memory, hit, found)

    @on(RowList.Chosen, "#results")
    def _open_selected(self) -> None:
        """Open the row under the cursor; while a search is under way, that of its answer."""
        self._opens_answer = not self._is_answered
        hit = self._results.rows.at
        if hit is not None and self._memory is not None and not self._opens_answer:
            self.post_message(Open(route_to(hit, self._results.rows.step)))

    @property
    def at(self) -> Observation | None:
        hit = self._results.rows.at
        return None if hit is None else hit.entry

    @property
    def selection(self) -> Sequence[Observation]:
        return [hit.entry for hit in self._results.rows.selection]

    def on_result_list_changed(self) -> None:
        self.refresh_bindings()  # Esc clears a selection

    def action_export(self) -> None:
        if self._memory is not None and self._shown is not None:
            found = self._shown.result
            only = [item.id for item in self.selection] or None
            total = len(only) if only else found.total
            from memtui.tui.export.save import export  # few sessions write files

            export(self.app, self._memory, found.query, only, total, self._now())

    def action_write_new(self) -> None:
        level = self._memory.backend.levels.default if self._memory is not None else ""
        self.post_message(WriteNew(query_text.suggested(self.query_line, level)))

    # Injection, compaction, capture

    @property
    def issues_at_hand(self) -> tuple[int, ...]:
        """Issues of the query, then that of the row under the cursor."""
        row = () if self.at is None else (self.at.issue_number,)
        return tuple(dict.fromkeys([*query_text.chosen_issues(self.query_line), *row]))

    def recall_request(self, memory: Memory) -> RecallRequest | NextOf:
        """Return the recall for the agent and issue of the query, else for the next session."""
        from memtui.tui.browse.recall_request import recall_request  # loads recall

        return recall_request(self.query_line, self.everything, memory, self.client)

    def _follow_request(self, memory: Memory, *, anew: bool = False) -> None:
        """Have the gauge show the request; with `anew` even the same, since memory changed."""
        if anew:
            self._panes.gauge.request = None
        self._panes.gauge.follow(memory, lambda: self.recall_request(memory))

    def action_next_client(self) -> None:
        from memtui.tui.injection.forecast import next_client  # not for the first frame

        if self._memory is None:
            return
        wanted = self.recall_request(self._memory)
        if isinstance(wanted, NextOf):
            shown = wanted._replace(client=wanted.client or self._panes.gauge.client)
            self.client = next_client(shown).client
            self._follow_request(self._memory)

    def action_inject(self) -> None:
        if (memory := self._opened_memory()) is not None:
            request = self.recall_request(memory)
            self.post_message(Open(routes.Injection(request, lambda: self.everything)))

    def action_compact(self) -> None:
        from memtui.tui.dialogs.choices import pick_scope  # loads the store
        from memtui.tui.upkeep import prune_by  # not for the first frame

        def picked(chosen: routes.Scope | str | None) -> None:
            if isinstance(chosen, routes.Scope):
                self.post_message(Open(routes.Compaction(chosen)))
            elif chosen is not None:
                self.post_message(prune_by(chosen))

        if (memory := self._opened_memory()) is not None:
            days = memory.settings.stale_archive_after_days
            self.post_message(Open(pick_scope(self.issues_at_hand, self.everything, days), picked))

    def action_capture(self) -> None:
        def picked(path: Path | None) -> None:
            if path is not None:
                self.post_message(Open(routes.Capture(path)))

        if self._opened_memory() is not None:
            self.post_message(Open(routes.PickTranscript(), picked))

    def _opened_memory(self) -> Memory | None:
        """Return the memory; where none is open yet, a toast shows that."""
        if self._memory is None:
            toast(self.app, "No memory is open yet.")
        return self._memory

    # Panes

    def action_search(self) -> None:
        if self._panes.zoomed is not self._results:
            self._panes.zoomed = None
        self.set_focus(self._bar)

    def action_leave_search(self, opening: bool = False) -> None:
        """Back to the list; `opening` opens what it is at."""
        self.set_focus(self._results.rows)
        if opening:
            self._open_selected()

    def action_pane(self, step: int) -> None:
        self._panes.step(step)

    def action_go_to(self, number: int) -> None:
        self._panes.go_to(number)

    def action_zoom(self) -> None:
        self._panes.toggle_zoom()

    def action_clear(self) -> None:
        if self._results.rows.selection:
            self._results.rows.select(())
        elif self._panes.zoomed is not None:
            self._panes.zoomed = None
        else:
            self.set_query("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "clear":  # offered only where it does something
            selection = self.is_mounted and self._results.rows.selection
            return self.is_mounted and bool(selection or self._panes.zoomed or self.query_line)
        return not self.is_mounted or super().check_action(action, parameters)
