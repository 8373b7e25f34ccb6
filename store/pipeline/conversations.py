"""Sessions to look at: the list of them, and one of them opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from store.backends.activity import recall_entries
from store.disk.named import is_file
from store.errors import NotFound, StoreError
from store.json_fields import integer
from store.records import time_or_none

if TYPE_CHECKING:
    from store.agents.client import SessionFile
    from store.model import Hit, Observation
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.session_search import SessionSearch
    from store.pipeline.sessions import Sessions
    from store.sessions.conversation import Conversation, Injected
    from store.sessions.listing import Listed
    from store.sessions.model import SessionDigest
    from store.sessions.session_file import Progress


class Conversations:
    """What was said in sessions, in a form to read."""

    def __init__(
        self,
        opened: OpenedStore,
        sessions: Sessions,
        search: SessionSearch,
    ) -> None:
        self._backend = opened.backend
        self._recorder = opened.recorder
        self._sessions = sessions
        self._search = search

    def listed_sessions(self, files: Sequence[SessionFile]) -> list[Listed]:
        """The sessions that are kept, and those of `files` that are not yet, newest first."""
        from store.sessions.listing import listed

        return listed(self._sessions.sessions(), self._sessions.sessions_to_read(files))

    def open_session(
        self,
        session_id: str,
        files: Sequence[SessionFile] = (),
        progress: Progress | None = None,
        memories: Sequence[str] = (),
    ) -> Conversation:
        """A session in a form to read: what was said, done, told and captured, in order.

        Read from its file (that of its digest, else among `files`) where that is there, else from
        its indexed messages, else from its digest. `progress` is told the bytes read; `memories`
        are ids of some that are known to come from it. Keeps nothing. Raises `NotFound`,
        `Unreadable`.
        """
        from store.sessions.conversation import (
            Conversation,
            calls_of,
            entries_of,
            entries_of_digest,
            entries_of_messages,
            with_captured,
            with_injected,
        )
        from store.sessions.session_file import read_file

        digest = self._sessions.digest(session_id)
        path = _file_of(
            session_id, digest, files, lambda path: self._is_of_session(path, session_id, files)
        )
        calls: Mapping[str, int] = {}
        folder = ""
        if path is not None:
            session, roots = read_file(path, progress, session_id=session_id)
            entries, calls, folder = entries_of(session, roots), calls_of(session), session.folder
            digest = digest or self._sessions.digest_of(session, roots)
        elif digest is not None:
            messages = self._search.conversation(session_id)
            entries = entries_of_messages(messages) if messages else entries_of_digest(digest)
        else:
            raise NotFound(
                f"No session {session_id} on this machine.",
                "Its file is gone and it was not indexed.",
            )
        entries = with_injected(entries, self._injected_texts(session_id))
        known = (*digest.memories, *memories)
        captured = self.captured_from(session_id, digest._replace(memories=known))
        placed = with_captured(entries, captured, calls, session_id)
        return Conversation(digest, tuple(placed), folder, path is not None)

    def captured_from(self, session_id: str, digest: SessionDigest | None) -> list[Observation]:
        """The memories that were captured from a session and are there, oldest first."""
        kept = digest.memories if digest else ()
        issue = digest.issue if digest else 0
        return self._sessions.captured_from(session_id, issue, kept)

    def around(self, hits: Sequence[Hit]) -> dict[str, tuple[str, str]]:
        """The messages before and after each message that was found, by the message's id."""
        return {hit.entry.id: self._search.neighbours(hit.entry.id) for hit in hits}

    def _is_of_session(self, path: Path, session_id: str, files: Sequence[SessionFile]) -> bool:
        """Whether a file is a session's, which this machine read or a client keeps among its own:
        a digest of a clone could name any file of the user's.
        """
        from store.agents import Home
        from store.agents.discovery import session_files
        from store.sessions.seen import file_key

        mark = self._search.index.files.get(file_key(path))
        if mark is not None and mark.session == session_id:
            return True
        return any(it.path == path for it in (*files, *session_files(Home.of_user())))

    def _injected_texts(self, session_id: str) -> list[Injected]:
        """The texts that a session was told, as the log has them."""
        from store.activity import injected_counts
        from store.sessions.conversation import Injected

        found = []
        for entry in recall_entries(self._backend, session_id):
            name = str(entry.get("text", ""))
            tokens = integer(entry.get("totalTokens"))
            counts, text = injected_counts(entry), self._injected_text(name)
            found.append(Injected(name, time_or_none(entry.get("timestamp")), counts, tokens, text))
        return found[::-1]

    def _injected_text(self, name: str) -> str:
        """A text that was told, empty where it is kept no longer."""
        try:
            return self._recorder.text_of(name) if name else ""
        except StoreError:
            return ""


def _file_of(
    session_id: str,
    digest: SessionDigest | None,
    files: Sequence[SessionFile],
    is_believed: Callable[[Path], bool],
) -> Path | None:
    """The file of a session that is there to be read."""
    if digest is not None and digest.path:
        path = Path(digest.path)
        is_there = is_file(path) or ("#" in path.name and is_file(digest.path.rpartition("#")[0]))
        if is_there and is_believed(path):
            return path
    return next((it.path for it in files if session_id in (it.session_id, it.path.stem)), None)
