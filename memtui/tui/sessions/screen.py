"""The Sessions screen: conversations of this project, taken in or not, and a search in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from memtui.formatting import count, plural
from memtui.tui.browse.search_box import SearchBar
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.indexing import IndexSessions, SessionsRead, StopIndexing, progress_in_words
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.toasts import toast
from memtui.tui.reports.overview import Details, OverviewScreen
from memtui.tui.sessions.rows import (
    PAGE,
    HitsFound,
    SessionList,
    by_project,
    counted,
    digest_of,
    facets_line,
    find_messages,
    hit_details,
    known_values,
    session_details,
)
from memtui.tui.widgets.panes import StatusLine
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.queries import understood
from store import open_everywhere
from store.agents.client import Home, SessionFile
from store.agents.ownership import Earlier
from store.errors import StoreError
from store.model import Hit
from store.platform.links import is_file
from store.sessions.documents import session_of
from store.sessions.excerpts import excerpts
from store.sessions.list_filter import narrowed
from store.sessions.listing import DigestCache, Listed, waiting_files
from store.sessions.model import Neighbours

_NEAR_END = 20
"""Rows before the last from which the next hundred is listed."""


class SessionsScreen(OverviewScreen):
    CSS_PATH: ClassVar[list[str]] = [  # type: ignore[assignment]
        OverviewScreen.CSS_PATH,
        str(Path(__file__).with_name("sessions.tcss")),
    ]
    MANUAL_PAGE = "screens/sessions.md"
    BINDINGS = bindings("sessions")
    HEADING = "Sessions"
    FIELDS = "words  agent:  branch:  issue:  file:  after:7d"
    NONE_FOUND: ClassVar[tuple[str, ...]] = (
        "No agent sessions found for this project.",
        "Sessions of Claude Code, Codex and others in this folder appear here.",
        "To index other sessions:  memtui sessions index FOLDER",
    )

    def __init__(self, context: Context, route: routes.Sessions) -> None:
        self._now = context.now
        self._list = SessionList(context.now)
        self._query = route.query
        self.route = route
        self._wanted = route.at
        self._sessions: Sequence[Listed] = ()
        self._digests = DigestCache()
        self._most = PAGE
        self._reading = ""
        self._taking = False
        self._offered: Sequence[Earlier] = ()
        self._asks_again = False
        self._found: HitsFound | None = None
        super().__init__(context, self._list, self.HEADING)
        self.sentence = ("Looking for sessions …",)

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            yield widget
            if widget.id == "notice":
                with Horizontal(id="session-query"):
                    yield Static(" / ", id="session-slash", markup=False)
                    yield SearchBar(id="search")
                yield StatusLine(id="session-facets")

    def on_mount(self) -> None:
        bar = self.query_one(SearchBar)
        bar.placeholder = self.FIELDS
        bar.set_query(self._query)
        if self.route.everywhere:
            self._open_everywhere(self.route.at)

    async def read(self) -> None:
        """List the sessions as far as they are known, then read those that are shown."""
        memory, home = self.memory, Home.of_user()
        rows = await ask(lambda: memory.sessions.listing(memory.session_files.of_project(home)))
        self.query_one(TitleBar).show(await ask(memory.state))
        self._sessions = rows
        self._offered = await ask(memory.session_files.offered, home)
        self._reading = ""
        self._show()
        if self._has_words and self._found is None:
            self._search()
        files = [row.file for row in rows[: self._most] if row.file is not None]
        waiting = [file for file in files if not self._digests.has_read(file)]
        for done, file in enumerate(waiting, 1):
            self._digests.add(file, await ask(digest_of, memory, file))
            self._list.unreadable = {
                file for file in self._waiting if self._digests.is_unreadable(file)
            }
            far = f"{count(done)} of {count(len(waiting))}"
            self._reading = f"Reading {far} …" if done < len(waiting) else ""
            self._show()

    # The list

    def _show(self) -> None:
        if self._has_words:
            return
        everything = self._digests.complete(self._sessions)
        parsed = self.memory.parse_query(self._query)
        rows = narrowed(everything, parsed) if not parsed.matches_everything else everything
        self._show_facets(*counted(rows))
        self.query_one(SearchBar).learn(known_values(everything))
        self._show_state()
        if not everything and self._offered:
            self.show_message(self.NONE_FOUND[0], self._offer, "")
            self.notice("")
        elif not everything:
            self.show_message(*self.NONE_FOUND)
        elif not rows:
            self.show_message("No session matches.", "", "Esc clears the search.")
        else:
            self._list.show_sessions(rows[: self._most], self._wanted)
            self._wanted = ""
            shown = min(len(rows), self._most)
            of = f"{count(shown)} of " if shown < len(rows) else ""
            self.show_rows(f"{of}{count(len(rows))}")

    def _show_state(self) -> None:
        waiting = sum(not self._digests.is_unreadable(file) for file in self._waiting)
        self.refresh_bindings()
        if self._taking:
            return
        if self._reading:
            self.notice(self._reading)
        elif waiting and not self._is_on:
            self.notice("Memory is off: sessions are listed, not indexed.")
        elif waiting:
            some = plural(waiting, "session")
            self.notice(f"{some} not indexed: press B to search and recall them.")
        else:
            self.notice(self._offer)

    @property
    def _offer(self) -> str:
        """Hint at sessions elsewhere that may be of this project; empty where there are none."""
        some = plural(sum(len(folder.files) for folder in self._offered), "session")
        return f"{some} of earlier folders may be of this project: press F." * bool(self._offered)

    @property
    def _waiting(self) -> list[SessionFile]:
        return waiting_files(self._sessions)

    @property
    def _is_on(self) -> bool:
        return self.memory.settings.enabled

    def _show_facets(self, *counts: Mapping[str, int]) -> None:
        self.query_one("#session-facets", StatusLine).show_message(facets_line(counts))

    @on(RowList.Moved, "#rows")
    def _list_more(self) -> None:
        at_end = self._list.cursor >= self._most - _NEAR_END
        if not self._has_words and at_end and len(self._sessions) > self._most:
            self._most += PAGE
            self.action_reload()

    # The search

    @property
    def _has_words(self) -> bool:
        """True if the query has words, so that messages are looked for."""
        return any(not term.negated for term in self.memory.parse_query(self._query).terms)

    @on(SearchBar.Changed)
    def _query_changed(self, event: SearchBar.Changed) -> None:
        if event.value == self._query:
            return
        self._query = event.value
        self._search() if self._has_words else self._show()

    @exclusive_worker(group="sessions")
    async def _search(self) -> None:
        self._found = found = await ask(find_messages, self.memory, self._query)
        if not self._has_words:
            return
        result = found.result
        listed = self._digests.complete(self._sessions)
        digests = {row.id: row.digest for row in listed if row.digest}
        issues = {f"#{issue}": n for issue, n in result.facets.issues.items() if issue}
        projects = by_project(result.facets, digests.values())
        self._show_facets(projects, result.facets.agents, result.facets.tags, issues)
        self._show_state()
        if not result.hits:
            said = f"Understood: {understood(result, self._now())}"
            self.show_message(
                "Nothing matches.",
                said,
                "Press B to index the other sessions." * bool(self._waiting),
            )
            return
        self._list.show_hits(excerpts(result.hits, found.around), digests)
        of = f"{count(len(result.hits))} of " if len(result.hits) < result.total else ""
        self.show_rows(f"{of}{plural(result.total, 'message')}")

    def on_search_bar_stepped(self, event: SearchBar.Stepped) -> None:
        self._list.action_move(event.rows)

    def action_search(self) -> None:
        self.set_focus(self.query_one(SearchBar))

    def action_leave_search(self, opening: bool = False) -> None:
        self.set_focus(self._list)
        if opening:
            self.action_open()

    def action_leave(self) -> None:
        if self._query and not self.zoomed:
            self.query_one(SearchBar).set_query("")
        else:
            super().action_leave()

    # What keys do

    def details(self) -> Details:
        memory, row, now = self.memory, self._list.at, self.now()
        found = self._found
        if isinstance(row, Hit) and found is not None:
            hit = row
            around = found.around.get(hit.entry.id, Neighbours())
            digests = {listed.id: listed.digest for listed in self._sessions}
            digest = digests.get(session_of(hit.entry.id))
            return lambda: hit_details(hit, around, found.result, digest, memory, now)
        return lambda: session_details(memory, row, now) if isinstance(row, Listed) else []

    @on(RowList.Chosen, "#rows")
    def _chosen(self, event: RowList.Chosen) -> None:
        event.prevent_default()
        self.action_open()

    def action_open(self) -> None:
        row = self._list.at
        if isinstance(row, Hit):
            identifier = row.entry.id
            self._open(routes.Session(session_of(identifier), identifier))
        elif row is not None:
            self._open(routes.Session(row.digest.id if row.digest else row.id))

    def _open(self, route: routes.Session) -> None:
        self.post_message(Open(route, memory=self.memory))

    @property
    def _session(self) -> Listed | None:
        """The session under the cursor, or that of the message there."""
        row = self._list.at
        if isinstance(row, Hit):
            session = session_of(row.entry.id)
            return next((listed for listed in self._sessions if listed.id == session), None)
        return row

    @property
    def _transcript(self) -> Path | None:
        """The file of the session under the cursor, where it is there."""
        row = self._session
        if row is None:
            return None
        if row.file is not None:
            return row.file.path
        path = Path(row.digest.path) if row.digest and row.digest.path else None
        return path if path is not None and is_file(path) else None

    def action_capture(self) -> None:
        if (path := self._transcript) is not None:
            self.post_message(Open(routes.Capture(path)))
        else:
            toast(self.app, "The file of this session is gone.")

    def action_take_in(self) -> None:
        self._taking = True
        self.refresh_bindings()
        self.post_message(IndexSessions(self._waiting, self.memory))

    def action_stop(self) -> None:
        self.post_message(StopIndexing())

    def action_earlier(self) -> None:
        self._asks_again = True
        self.post_message(Open(routes.EarlierFolders()))

    def action_everywhere(self) -> None:
        self._open_everywhere()

    @exclusive_worker(group="everywhere")
    async def _open_everywhere(self, at: str = "") -> None:
        memory = await ask(open_everywhere)
        self.post_message(Open(routes.SessionsEverywhere(self._query, at=at), memory=memory))

    def on_screen_resume(self) -> None:
        """Look again where folders may have been adopted meanwhile."""
        if self._asks_again:
            self._asks_again = False
            self.action_reload()

    def on_sessions_read(self, event: SessionsRead) -> None:
        if not self._taking:
            self._taking = True
            self.refresh_bindings()
        self.notice(progress_in_words(event.done, event.total))

    def on_indexing_ended(self) -> None:
        self._taking = False
        self.refresh_bindings()
        self.action_reload()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("open", "capture"):
            return not self.sentence
        if action == "take_in":
            return bool(self._waiting) and not self._taking and self._is_on
        if action == "stop":
            return self._taking
        return super().check_action(action, parameters)

    def failed(self, error: StoreError) -> None:
        """Show the error, above the list where there is one."""
        if self._sessions:
            self.notice(error.full_message)
        else:
            super().failed(error)
