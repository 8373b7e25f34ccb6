"""Indexing sessions in the background, until it is done or stopped.

A screen posts `IndexSessions` with session files; it bubbles to the app, whose `IndexRunner` reads
them in a thread and posts to every open screen how far it is. One run at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.message import Message
from textual.worker import get_current_worker

from memtui.formatting import count, plural, progress_bar
from memtui.tui.frame.toasts import toast, toast_error
from store import Memory
from store.agents.client import SessionFile
from store.errors import StoreError
from store.sessions.index_report import IndexReport


@dataclass
class IndexSessions(Message):
    """`memory` keeps them, if not the app's."""

    files: Sequence[SessionFile]
    memory: Memory | None = None


class StopIndexing(Message):
    """Asks the app to stop with that; what was read is kept, and the next run goes on."""


@dataclass
class SessionsRead(Message, bubble=False):
    done: int
    total: int

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, SessionsRead)


class IndexingEnded(Message, bubble=False):
    """Indexing has ended, or could not go on."""


class HooksWritten(Message, bubble=False):
    """An agent's hooks were installed or removed: another session is given something."""


class IndexRunner:
    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._running = False
        self._stopped = False

    def begin(self, memory: Memory, files: Sequence[SessionFile]) -> None:
        if files and not self._running:
            self._running, self._stopped = True, False
            self._app.run_worker(lambda: self._run(memory, files), group="take-in", thread=True)

    def stop(self) -> None:
        self._stopped = True

    def _run(self, memory: Memory, files: Sequence[SessionFile]) -> None:
        worker = get_current_worker()

        def can_go_on(done: int, total: int) -> bool:
            self._post_to_screens(SessionsRead(done, total))
            return not self._stopped and not worker.is_cancelled

        done: IndexReport | StoreError
        try:
            done = memory.session_indexing.index(files, can_go_on)
        except StoreError as error:
            done = error
        self._app.call_later(self._ended, done)

    def _ended(self, done: IndexReport | StoreError) -> None:
        self._running = False
        if isinstance(done, StoreError):
            toast_error(self._app, done)
        else:
            toast(self._app, indexed_in_words(done))
        self._post_to_screens(IndexingEnded())

    def _post_to_screens(self, message: Message) -> None:
        for screen in self._app.screen_stack:
            screen.post_message(message)


def progress_in_words(done: int, total: int) -> str:
    return f"Indexing  {progress_bar(done, total)}  {count(done)} of {plural(total, 'session')}"


def indexed_in_words(done: IndexReport) -> str:
    """`Indexed 18 sessions, 1 file not readable`."""
    left = f", {plural(len(done.left), 'file')} not readable" if done.left else ""
    stopped = "Stopped. " if done.unfinished else ""
    return f"{stopped}Indexed {plural(done.taken, 'session')}{left}"
