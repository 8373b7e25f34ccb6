"""The Sessions screen: conversations of this project, taken in or not, and a search in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from memtui.formatting import count, plural
from memtui.tui import routes
from memtui.tui.browse.search_bar import SearchBar
from memtui.tui.reports.overview import Details, OverviewScreen
from memtui.tui.route import Context, Open
from memtui.tui.sessions.details import hit_details, session_details
from memtui.tui.sessions.keys import SESSIONS_KEYS
from memtui.tui.sessions.listing import Listing, counted, facets_line, known_values
from memtui.tui.sessions.requests import (
    PAGE,
    DigestsRead,
    HitsFound,
    SessionsListed,
    find_messages,
    list_sessions,
)
from memtui.tui.sessions.rows import Found, SessionList
from memtui.tui.take_in import SessionsRead, StopTakingIn, TakeIn, progress_in_words
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.status_line import StatusLine
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.worker import MemoryFailed, Tell, ask
from memtui.words.queries import understood
from store.sessions import Listed, narrowed, session_of

if TYPE_CHECKING:
    pass

_NEAR_END = 20
"""Rows before the last from which the next hundred is listed."""


class SessionsScreen(OverviewScreen):
    """Sessions to find, take in and open."""

    CSS_PATH: ClassVar[list[str]] = [  # type: ignore[assignment]
        OverviewScreen.CSS_PATH,
        str(Path(__file__).with_name("sessions.tcss")),
    ]
    BINDINGS = SESSIONS_KEYS

    def __init__(self, context: Context, route: routes.Sessions) -> None:
        self._now = context.now
        self._list = SessionList(context.now)
        self._query = route.query
        self._listing = Listing()
        self._most = PAGE
        self._reading = ""
        self._taking = False
        self._found: HitsFound | None = None
        super().__init__(context, self._list, "Sessions")
        self.sentence = ("Looking for sessions …",)

    def compose(self) -> ComposeResult:
        """A line to search in above the list and its details."""
        for widget in super().compose():
            yield widget
            if widget.id == "notice":
                with Horizontal(id="session-query"):
                    yield Static(" / ", id="session-slash", markup=False)
                    yield SearchBar(id="search")
                yield StatusLine(id="session-facets")

    def on_mount(self) -> None:
        """Show the query that was asked for."""
        bar = self.query_one(SearchBar)
        bar.placeholder = "words  agent:  branch:  issue:  file:  after:7d"
        bar.set_query(self._query)
        super().on_mount()

    def read(self, tell: Tell) -> None:
        """Find the sessions, and read those that are shown."""
        list_sessions(self.memory, self._most, self._listing.known)(tell)

    # The list

    def on_sessions_listed(self, event: SessionsListed) -> None:
        """Show them as far as they are known."""
        self.query_one(TitleBar).show(event.state)
        self._listing.found = event.rows
        self._reading = ""
        self._show()
        if self._words and self._found is None:
            self._search()

    def on_digests_read(self, event: DigestsRead) -> None:
        """Fill in what was read."""
        self._listing.known.update(event.digests)
        self._list.unreadable = self._listing.unreadable
        far = f"{count(event.done)} of {count(event.total)}"
        self._reading = f"Reading {far} …" if event.done < event.total else ""
        if not self._words:
            self._show()

    def _show(self) -> None:
        """Show the sessions that the query's filters leave."""
        if self._words:
            return
        everything = self._listing.sessions()
        parsed = self.memory.parse(self._query)
        rows = narrowed(everything, parsed) if not parsed.finds_all else everything
        self._say_facets(*counted(rows))
        self.query_one(SearchBar).learn(known_values(everything))
        self._say_state()
        if not everything:
            self.say(
                "No agent sessions found for this project.",
                "Sessions of Claude Code, Codex and others in this folder appear here.",
                "To index other sessions:  memtui sessions index FOLDER",
            )
        elif not rows:
            self.say("No session matches.", "", "Esc clears the search.")
        else:
            self._list.show_sessions(rows[: self._most])
            shown = min(len(rows), self._most)
            of = f"{count(shown)} of " if shown < len(rows) else ""
            self.show_rows(f"{of}{count(len(rows))}")

    def _say_state(self) -> None:
        """Say how far reading is, or what taking in would bring."""
        listing = self._listing
        waiting = len(listing.waiting) - len(listing.unreadable)
        if self._taking:
            return
        if self._reading:
            self.notice(self._reading)
        elif waiting and not self._is_on:
            self.notice("Memory is off: sessions are listed, not indexed.")
        else:
            some = plural(waiting, "session")
            self.notice(f"{some} not indexed: press t to search and recall them." * bool(waiting))

    @property
    def _is_on(self) -> bool:
        return self.memory.settings.enabled

    def _say_facets(self, *counts: Mapping[str, int]) -> None:
        """Say how many are of each agent, branch and issue."""
        self.query_one("#session-facets", StatusLine).say(facets_line(counts))

    @on(RowList.Moved, "#rows")
    def _list_more(self) -> None:
        """List the next hundred as the cursor nears the end."""
        at_end = self._list.cursor >= self._most - _NEAR_END
        if not self._words and at_end and len(self._listing.found) > self._most:
            self._most += PAGE
            self.action_reload()

    # The search

    @property
    def _words(self) -> bool:
        """Whether the query has words, so that messages are looked for."""
        return any(not term.negated for term in self.memory.parse(self._query).terms)

    @on(SearchBar.Changed)
    def _query_changed(self, event: SearchBar.Changed) -> None:
        if event.value == self._query:
            return
        self._query = event.value
        self._search() if self._words else self._show()

    def _search(self) -> None:
        ask(self, find_messages(self.memory, self._query), group="sessions")

    def on_hits_found(self, event: HitsFound) -> None:
        """Show the messages that were found, if they are still asked for."""
        if not self._words:
            return
        self._found, result = event, event.result
        digests = {row.id: row.digest for row in self._listing.sessions() if row.digest}
        issues = {f"#{issue}": n for issue, n in result.facets.issues.items() if issue}
        self._say_facets(result.facets.agents, result.facets.tags, issues)
        self._say_state()
        if not result.hits:
            said = f"Understood: {understood(result, self._now())}"
            self.say(
                "Nothing matches.",
                said,
                "Press t to index the other sessions." * bool(self._listing.waiting),
            )
            return
        self._list.show_hits(result.hits, event.around, digests)
        of = f"{count(len(result.hits))} of " if len(result.hits) < result.total else ""
        self.show_rows(f"{of}{plural(result.total, 'message')}")

    def on_search_bar_stepped(self, event: SearchBar.Stepped) -> None:
        """Move the list from inside the box."""
        self._list.action_move(event.rows)

    def action_search(self) -> None:
        """Go to the search box."""
        self.set_focus(self.query_one(SearchBar))

    def action_leave_search(self, opening: bool = False) -> None:
        """Back to the list; `opening` opens what it is at."""
        self.set_focus(self._list)
        if opening:
            self.action_open()

    def action_leave(self) -> None:
        """Clear the search first, then go back."""
        if self._query and not self.zoomed:
            self.query_one(SearchBar).set_query("")
        else:
            super().action_leave()

    # What keys do

    def details(self) -> Details:
        """What is known of the session, or of the message."""
        memory, row, now = self.memory, self._list.at, self.now()
        found = self._found
        if isinstance(row, Found) and found is not None:
            hit = row.hit
            around = found.around.get(hit.entry.id, ("", ""))
            digests = {it.id: it.digest for it in self._listing.found}
            digest = digests.get(session_of(hit.entry.id))
            return lambda: hit_details(hit, around, found.result, digest, memory, now)
        return lambda: session_details(memory, row, now) if isinstance(row, Listed) else []

    @on(RowList.Chosen, "#rows")
    def _chosen(self, event: RowList.Chosen) -> None:
        event.prevent_default()
        self.action_open()

    def action_open(self) -> None:
        """Read the conversation, at the message that was found."""
        row = self._list.at
        if isinstance(row, Found):
            identifier = row.hit.entry.id
            self.post_message(Open(routes.Session(session_of(identifier), identifier)))
        elif row is not None:
            self.post_message(Open(routes.Session(row.digest.id if row.digest else row.id)))

    def action_take_in(self) -> None:
        """Take in what is not yet, in the background."""
        self._taking = True
        self.refresh_bindings()
        self.post_message(TakeIn(self._listing.waiting))

    def action_stop(self) -> None:
        """Stop with that."""
        self.post_message(StopTakingIn())

    def on_sessions_read(self, event: SessionsRead) -> None:
        """Say how far taking in is."""
        if not self._taking:
            self._taking = True
            self.refresh_bindings()
        self.notice(progress_in_words(event.done, event.total))

    def on_take_in_ended(self) -> None:
        """List them again: now they can be searched."""
        self._taking = False
        self.refresh_bindings()
        self.action_reload()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys are offered where they do something."""
        if action == "open":
            return not self.sentence
        if action == "take_in":
            return bool(self._listing.waiting) and not self._taking and self._is_on
        if action == "stop":
            return self._taking
        return super().check_action(action, parameters)

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Say what went wrong, beside the list where there is one."""
        if self._listing.found:
            event.prevent_default()
            self.notice(event.error.told)
