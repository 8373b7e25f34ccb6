"""Sessions: listed, and opened to be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tantivy import Searcher

from store.activity.log import injected_counts
from store.agents.client import Home, SessionFile
from store.agents.compressed import plain_path
from store.agents.discovery import session_files
from store.backends.activity import recall_entries
from store.backends.protocol import LogStamp
from store.errors import AmbiguousId, NotFound, StoreError, Unopened
from store.model import Hit, Observation
from store.opened_store import OpenedStore
from store.operations.changes import plan_add
from store.operations.plan import Plan
from store.platform.json_fields import integer
from store.platform.lazy_property import lazy_property
from store.platform.links import is_file
from store.records import time_or_none
from store.sessions.conversation import (
    Conversation,
    Injected,
    calls_of,
    entries_of,
    entries_of_digest,
    entries_of_messages,
    with_captured,
    with_injected,
)
from store.sessions.documents import ended
from store.sessions.index import file_key
from store.sessions.indexing import SessionIndexing
from store.sessions.listing import Listed, list_sessions
from store.sessions.model import Neighbours, SessionDigest
from store.sessions.records import SessionRecords
from store.sessions.session_file import Progress, read_file
from store.sessions.session_search import SessionSearch


class Sessions:
    """Conversations with agents, next to the memories, as they are kept. Reads; changes nothing."""

    def __init__(
        self, store: OpenedStore, search: SessionSearch, indexing: SessionIndexing
    ) -> None:
        self._store = store
        self._search = search
        self._indexing = indexing
        self._recalls: tuple[LogStamp, Mapping[str, list[str]]] | None = None

    @lazy_property
    def _digests(self) -> SessionRecords:
        return SessionRecords(self._store.backend, self._store.index.outgoing)

    def digests(self) -> list[SessionDigest]:
        """Return the sessions that are kept, newest first, with the recalls in the log."""
        recalls = self._recalls_by_session()
        kept = [_with_recalls(digest, recalls) for digest in self._digests.digests()]
        self._store.index.outgoing.save()
        return sorted(kept, key=lambda digest: (ended(digest), digest.id), reverse=True)

    def _recalls_by_session(self) -> Mapping[str, Sequence[str]]:
        """Return the names of the texts injected into sessions by the log, by the session's id."""
        stamp = self._store.backend.log.stamp()
        if self._recalls is None or self._recalls[0] != stamp:
            found: dict[str, list[str]] = {}
            for entry in recall_entries(self._store.backend.log):
                if isinstance(name := entry.get("text"), str):
                    found.setdefault(str(entry.get("sessionId", "")), []).insert(0, name)
            self._recalls = stamp, found
        return self._recalls[1]

    def digest(self, session_id: str) -> SessionDigest | None:
        """Return the digest that is kept of a session; None too where it can't be opened."""
        try:
            return self._digests.digest_of(session_id)
        except Unopened:
            return None

    def read_digest(self, file: SessionFile) -> SessionDigest:
        """Return the digest that a session file would leave. Keeps nothing. Raises `Unreadable`."""
        return _with_recalls(self._indexing.digest_in(file), self._recalls_by_session())

    def in_order(self, files: Sequence[SessionFile]) -> list[SessionFile]:
        """Session files in the order in which the sessions began, as far as that is known."""
        began = {digest.path: digest.started for digest in self._digests.digests()}
        return sorted(
            files, key=lambda file: (began.get(str(file.path)) or file.modified, file.path)
        )

    def listing(self, files: Sequence[SessionFile]) -> list[Listed]:
        """The sessions that are kept, and those of `files` that are not yet, newest first; of all
        projects, without files that turned out to be no session, or of one whose memory is off.
        """
        if self._store.is_everywhere:
            return list_sessions(self.digests(), self._indexing.to_index(files))
        return list_sessions(self.digests(), self._indexing.not_indexed(files))

    def open(
        self,
        session_id: str,
        files: Sequence[SessionFile] = (),
        progress: Progress | None = None,
        memories: Sequence[str] = (),
    ) -> Conversation:
        """Return a session to read: messages, steps, injected texts and captured memories, in
        order.

        Read from its file (that of its digest, else among `files`) where that is there, else from
        its indexed messages, else from its digest. `progress` is called with the bytes read;
        `memories` are ids of some that are known to come from it. Keeps nothing. Raises `NotFound`,
        `Unreadable`.
        """
        digest = self.digest(session_id)
        path = _file_of(
            session_id, digest, files, lambda path: self._is_of_session(path, session_id, files)
        )
        calls: Mapping[str, int] = {}
        folder = ""
        if path is not None:
            session, roots = read_file(path, progress, session_id=session_id)
            entries, calls, folder = entries_of(session, roots), calls_of(session), session.folder
            digest = digest or self._indexing.digest_of(session, roots)
        elif digest is not None:
            messages = self._search.index.conversation(session_id)
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
        """Return the memories that were captured from a session and are there, oldest first."""
        kept = digest.memories if digest else ()
        issues = dict.fromkeys((digest.issue if digest else 0, 0))
        index = self._store.index

        def answer(searcher: Searcher) -> list[Observation]:
            reader = index.reader(searcher)
            found = {memory.id: memory for memory in reader.of_session(session_id, issues)}
            for identifier in kept:
                if identifier not in found:
                    with suppress(NotFound, AmbiguousId):
                        found[identifier] = reader.get(identifier)
            return sorted(found.values(), key=lambda memory: (memory.timestamp, memory.id))

        return index.ask(answer)

    def around(self, hits: Sequence[Hit]) -> dict[str, Neighbours]:
        """Return the messages before and after each message that was found, by the message's id."""
        return {hit.entry.id: self._search.index.neighbours(hit.entry.id) for hit in hits}

    def messages(self, session_id: str) -> list[Observation]:
        """The messages of a session as they are indexed, in order; none where they are not."""
        return self._search.index.conversation(session_id)

    def message(self, identifier: str) -> Observation | None:
        """The message or session with this id, or the only one whose id ends so; None for none."""
        return self._search.message(identifier)

    def plan_passage(self, passage: Observation) -> Plan:
        """Return a plan that keeps a passage of a session as a memory, which the session's digest
        names from then on. Raises `InvalidObservation`, `Unopened`.
        """
        plan = plan_add([passage], self._store.prepare)
        digest = self._digests.with_memories(
            passage.session_id, [change.id for change in plan.changes]
        )
        if digest is None:
            return plan
        return replace(plan, texts=(*plan.texts, self._digests.change_to(digest)))

    def file_of(self, digest: SessionDigest) -> Path | None:
        """Return the file of a session that is kept, where that is there to be read."""
        return _file_of(
            digest.id, digest, (), lambda path: self._is_of_session(path, digest.id, ())
        )

    def _is_of_session(self, path: Path, session_id: str, files: Sequence[SessionFile]) -> bool:
        """Return whether a file is a session's, which this machine read or a client keeps among its
        own: a digest of a clone could name any file of the user's.
        """
        mark = self._search.index.files.get(file_key(path))
        if mark is not None and mark.session == session_id:
            return True
        return any(file.path == path for file in (*files, *session_files(Home.of_user())))

    def _injected_texts(self, session_id: str) -> list[Injected]:
        found = []
        for entry in recall_entries(self._store.backend.log, session_id):
            name = str(entry.get("text", ""))
            tokens = integer(entry.get("totalTokens"))
            counts, text = injected_counts(entry), self._injected_text(name)
            found.append(Injected(name, time_or_none(entry.get("timestamp")), counts, tokens, text))
        return found[::-1]

    def _injected_text(self, name: str) -> str:
        """Return an injected text, empty where it is kept no longer."""
        try:
            return self._store.recorder.text_of(name) if name else ""
        except StoreError:
            return ""


def _with_recalls(digest: SessionDigest, recalls: Mapping[str, Sequence[str]]) -> SessionDigest:
    """Return a digest with the texts, too, that the log has of the session."""
    logged = recalls.get(digest.id, ())
    return digest._replace(recalls=tuple(dict.fromkeys((*digest.recalls, *logged))))


def _file_of(
    session_id: str,
    digest: SessionDigest | None,
    files: Sequence[SessionFile],
    is_believed: Callable[[Path], bool],
) -> Path | None:
    if digest is not None and digest.path:
        path = Path(digest.path)
        is_there = is_file(path) or ("#" in path.name and is_file(digest.path.rpartition("#")[0]))
        if is_there and is_believed(path):
            return path
    kept = plain_path(digest.path) if digest is not None else ""
    return next(
        (
            file.path
            for file in files
            if session_id in (file.session_id, file.path.stem) or plain_path(file.path) == kept
        ),
        None,
    )
