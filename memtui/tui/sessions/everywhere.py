"""The sessions of all projects on this machine: read only, each a key away from its memory."""

from __future__ import annotations

from pathlib import Path

from memtui.formatting import shown_path
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.indexing import SessionsRead
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.route import Context
from memtui.tui.sessions.screen import SessionsScreen
from memtui.tui.setup.offer import LeaveFor
from store.agents.client import Home
from store.backends import Location
from store.backends.location import project_store
from store.errors import NoMemory

_OF_THE_PROJECT = frozenset({"capture", "earlier", "everywhere"})
"""Actions for sessions of the project whose memory the app has open."""
_READ_AT_ONCE = 50
"""Sessions that are indexed before the list shows them."""


def _memory_of(folder: Path) -> Location | None:
    """Return the memory of the project in a folder; the variable `MEMTUI_DIR` names no other."""
    return project_store(folder, {})


class EverywhereScreen(SessionsScreen):
    """Lists the sessions that are indexed, and indexes those that are new or changed."""

    BINDINGS = bindings("sessions everywhere")
    HEADING = "Sessions of all projects"
    FIELDS = "words  project:  agent:  branch:  file:  after:7d"
    NONE_FOUND = ("No agent sessions found of a project whose memory is on.",)

    def __init__(self, context: Context, route: routes.SessionsEverywhere) -> None:
        super().__init__(context, route)
        self._list.unread = "not indexed"
        self._begun = False
        self._is_demo = context.is_demo

    def on_unmount(self) -> None:
        self.memory.close()

    async def read(self) -> None:
        memory = self.memory
        files = await ask(memory.session_files.of_project, Home.of_user())
        await ask(memory.session_indexing.drop_others, files)
        self._sessions = await ask(memory.sessions.listing, files)
        self._show()
        if self._has_words:
            self._search()
        if self._waiting and not self._begun:
            self._begun = True
            self.action_take_in()

    def on_sessions_read(self, event: SessionsRead) -> None:
        super().on_sessions_read(event)
        if event.done % _READ_AT_ONCE == 0:
            self.action_reload()

    @property
    def _is_on(self) -> bool:
        return True  # the files of projects whose memory is off are left out

    @exclusive_worker(group="open-memory")
    async def action_open_memory(self) -> None:
        """Leave the app for the memory of the project of the session under the cursor."""
        session = self._session
        folder = session.digest.project if session and session.digest else ""
        found = await ask(_memory_of, Path(folder)) if folder else None
        if found is None:
            project = shown_path(Path(folder)) if folder else "this session"
            raise NoMemory(f"There is no memory of {project} yet.", "`memtui` there begins one.")
        back_to = routes.Sessions(self._query, everywhere=True, at=session.id if session else "")
        self.post_message(LeaveFor(found, back_to))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _OF_THE_PROJECT:
            return False
        if action == "open_memory":
            return not self.sentence and not self._is_demo
        return super().check_action(action, parameters)
