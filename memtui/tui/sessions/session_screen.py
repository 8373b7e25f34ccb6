"""A session opened: the conversation in a form to read, and what can be done with it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from memtui.formatting import moment, plural
from memtui.tui.dialogs.choices import pick_category
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.routes import Context, Open
from memtui.tui.frame.toasts import toast, toast_error
from memtui.tui.operations import OperationEnded, PreviewPlan, Proposal
from memtui.tui.sessions.conversation import ConversationView
from memtui.tui.sessions.rows import home, issue_of, length
from memtui.tui.widgets.bars import KeyBar, TitleBar
from memtui.tui.widgets.panes import EmptyState, StatusLine
from memtui.tui.widgets.row_list import RowList
from store import Memory
from store.agents.registry import NAMES, client_named
from store.errors import NotFound, StoreError
from store.model import Hit, Observation
from store.platform.links import is_folder
from store.records import entry_of
from store.sessions.conversation import Conversation, Entry, EntryKind, line_of
from store.sessions.documents import ended
from store.text.display import visible

_MOST = 2_000
"""Characters of a passage that become a memory's content."""


class SessionScreen(Screen[None]):
    CSS_PATH = str(Path(__file__).with_name("sessions.tcss"))
    AUTO_FOCUS = "#conversation"
    BINDINGS = bindings("session")

    def __init__(self, context: Context, route: routes.Session) -> None:
        super().__init__()
        self.memory: Memory = context.memory
        self._route = route
        self._now = context.now
        self._place = context.place
        self._opened: Conversation | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="session-facts")
        yield EmptyState(id="empty")
        yield ConversationView(self._now())
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(TitleBar).place = self._place
        self._show_notice("Reading the session …")
        self._read()

    @question("session")
    async def _read(self) -> None:
        memory, route = self.memory, self._route
        known = (route.memory,) if route.memory else ()
        opened = await ask(
            lambda report: memory.sessions.open(
                route.id, memory.sessions.files(home()), report, known
            ),
            report_to=self._show_far,
        )
        first, self._opened = self._opened is None, opened
        digest, view = opened.digest, self.query_one(ConversationView)
        self.query_one("#session-facts", StatusLine).say(self._facts(opened))
        if not opened.entries:
            self._show_notice("This session is empty.")
            return
        self.query_one(EmptyState).display = False
        view.display = True
        title = visible(digest.asked[0] if digest.asked else digest.id, newlines=False)
        view.set_title(title, plural(digest.messages, "message"))
        view.show(opened.entries, self._goal(opened.entries) if first else None)
        self.set_focus(view)

    def _show_far(self, done: int, total: int) -> None:
        if self._opened is None:
            megabytes = max(1, total // 1_000_000)
            far = megabytes * done // max(1, total)
            empty = self.query_one(EmptyState)
            empty.progress("Reading the session …", far, megabytes, "MB", "")

    def _show_notice(self, sentence: str, *more: str) -> None:
        empty = self.query_one(EmptyState)
        empty.set_title("Session")
        empty.say(sentence, *more)
        empty.display = True
        self.query_one(ConversationView).display = False
        self.set_focus(empty)

    def _facts(self, opened: Conversation) -> str:
        digest = opened.digest
        facts = [
            digest.agent,
            digest.branch,
            issue_of(digest),
            moment(ended(digest), self._now()),
            length(digest),
            plural(len(digest.changed), "file") + " changed" if digest.changed else "",
            "" if digest.ended_well else "interrupted",
            "" if opened.whole else "its file is gone; this is the stored summary",
        ]
        return " · ".join(visible(fact, newlines=False) for fact in facts if fact)

    def _goal(self, entries: Sequence[Entry]) -> int:
        if self._route.memory:
            found = (at for at, it in enumerate(entries) if it.id == self._route.memory)
            return next(found, 0)
        line = line_of(self._route.message)
        said = (EntryKind.REQUEST, EntryKind.ANSWER)
        return next(
            (at for at, it in enumerate(entries) if line and it.line == line and it.kind in said), 0
        )

    @property
    def _view(self) -> ConversationView:
        return self.query_one(ConversationView)

    def on_row_list_moved(self) -> None:
        self.refresh_bindings()

    @on(RowList.Chosen, "#conversation")
    @question("memory")
    async def _unfold(self) -> None:
        entry = self._view.entry
        if entry is not None and entry.kind is EntryKind.CAPTURED:
            found = await ask(self.memory.get_redacted, entry.id, fresh=False)
            self.post_message(Open(routes.OneMemory(Hit(entry_of(found), 0.0))))
        else:
            self._view.toggle()

    def action_capture(self) -> None:
        entry, opened = self._view.entry, self._opened
        passage = self._view.passage[:_MOST]
        if entry is None or opened is None or not passage:
            toast(self.app, "Nothing to capture here.")
            return
        digest = opened.digest

        def picked(category: str | None) -> None:
            if category is None:
                return
            blank = Observation(
                agent=digest.agent or "user",
                issue_number=digest.issue,
                category=category,
                content=passage,
                session_id=digest.id,
                sources=(f"session:{digest.id}#{entry.line}",),
                tags=("from-session",),
            )
            self._view.begun_at = None
            self.post_message(
                PreviewPlan(lambda memory: Proposal.of(memory.sessions.plan_passage(blank)))
            )

        self.post_message(Open(pick_category(), picked))

    def action_find(self) -> None:
        def typed(words: str | None) -> None:
            if words and not self._view.find(words):
                toast(self.app, f"“{words}” is not in this session.")
            self.refresh_bindings()

        asked = routes.Prompt("Find", "Words in this session", self._view.words, verb="apply")
        self.post_message(Open(asked, typed))

    def action_find_again(self, way: int) -> None:
        self._view.find_again(way)

    def on_operation_ended(self, event: OperationEnded) -> None:
        self._read()

    def action_copy_resume(self) -> None:
        if self._opened is None:
            return
        digest = self._opened.digest
        client = client_named(digest.agent) if digest.agent in NAMES else None
        words = client.resume_command(digest.id) if client else ()
        if not words:
            name = client.title if client else digest.agent or "This client"
            toast(self.app, f"{name} can't resume a session by command.")
            return
        command = shlex.join(words)
        if self._opened.folder and is_folder(self._opened.folder):
            command = f"cd {shlex.quote(self._opened.folder)} && {command}"
        self.app.copy_to_clipboard(command)
        toast(self.app, f"Copied  {visible(command, newlines=False)}")

    def action_file_sessions(self) -> None:
        entry = self._view.entry
        if entry is not None and entry.files:
            path = entry.files[0]
            value = f'"{path}"' if " " in path or "," in path else path
            self.post_message(Open(routes.Sessions(f"file:{value}")))

    def action_leave(self) -> None:
        if self._view.begun_at is not None:
            self._view.begun_at = None
        elif self._view.words:
            self._view.find("")
            self.refresh_bindings()
        else:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("capture", "copy_resume"):
            return self._opened is not None
        if action == "find_again":
            return self._opened is not None and bool(self._view.words)
        if action == "file_sessions":
            entry = self._view.entry if self._opened is not None else None
            return bool(entry and entry.files)
        return True

    def failed(self, error: StoreError) -> None:
        if self._opened is None or isinstance(error, NotFound):
            self._show_notice(error.message, error.hint)
        else:
            toast_error(self.app, error)
