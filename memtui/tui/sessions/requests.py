"""Sessions as the app asks for them: the list, what a query finds in them, and one to read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.message import Message
from memtui.tui.worker import Progress, Question, Tell
from store.agents import Home, SessionFile
from store.errors import Unreadable

if TYPE_CHECKING:
    from store.model import SearchResult
    from store.pipeline import MemoryPipeline, StoreState
    from store.sessions import Conversation, Listed, SessionDigest

PAGE = 100
"""Sessions, or messages found, that are listed at a time."""
FileState = tuple[str, int, float]


class SessionsListed(Message, bubble=False):
    """All sessions of the project, newest first, and what the store says of itself."""

    rows: Sequence[Listed]
    state: StoreState


class DigestsRead(Message, bubble=False):
    """What files that are not taken in hold, of `total` that are read for the list."""

    digests: Mapping[FileState, SessionDigest | None]
    done: int
    total: int


class HitsFound(Message, bubble=False):
    """The messages that a query finds, and what was said before and after each."""

    result: SearchResult
    around: Mapping[str, tuple[str, str]]


class BytesRead(Progress, bubble=False):
    """How much of a session file is read."""


class SessionOpened(Message, bubble=False):
    """A session to read."""

    conversation: Conversation


def home() -> Home:
    """Where the user's clients keep their sessions."""
    return Home(Path.home(), os.environ)


def state_of(file: SessionFile) -> FileState:
    """What tells one state of a session file from another."""
    return str(file.path), file.size, file.modified.timestamp()


def list_sessions(
    memory: MemoryPipeline, most: int, known: Mapping[FileState, SessionDigest | None]
) -> Question:
    """List the sessions, then read those of the first `most` that are not taken in.

    What is `known` was read before. Keeps nothing.
    """

    def question(tell: Tell) -> None:
        rows = memory.listed_sessions(memory.session_files(home()))
        tell(SessionsListed(rows, memory.state()))
        files = [row.file for row in rows[:most] if row.file is not None]
        waiting = [file for file in files if state_of(file) not in known]
        for done, file in enumerate(waiting, 1):
            digest: SessionDigest | None = None
            with suppress(Unreadable):  # the row says that it can't be read
                digest = memory.read_session_digest(file)
            tell(DigestsRead({state_of(file): digest}, done, len(waiting)))

    return question


def find_messages(memory: MemoryPipeline, query: str) -> Question:
    """Find the messages of sessions that a query names, and what was said around them."""

    def question(tell: Tell) -> None:
        result = memory.search(
            f"{query} in:sessions", PAGE, facets=("agent", "issue", "tag"), fresh=False
        )
        tell(HitsFound(result, memory.around(result.hits)))

    return question


def open_session(memory: MemoryPipeline, session_id: str, memories: Sequence[str] = ()) -> Question:
    """Read a session to show it; `memories` are ids of some that came from it."""

    def question(tell: Tell) -> None:
        files = memory.session_files(home())
        opened = memory.open_session(
            session_id, files, lambda done, total: tell(BytesRead(done, total)), memories
        )
        tell(SessionOpened(opened))

    return question
