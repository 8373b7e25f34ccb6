"""From session files to what memory keeps of them: their digests, their messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from store.action import Action, ActionKind
from store.agents.checks import failure_of
from store.agents.client import SessionFile
from store.agents.files import files_at
from store.agents.session import Session
from store.backends.text_kinds import TextKind
from store.capture.candidate import Candidate, Found
from store.capture.finders import DECIDED, evidence_of
from store.errors import StoreError, Unreadable
from store.opened_store import OpenedStore
from store.operations.plan import GoesOn, Plan, TextChange
from store.operations.write_ahead import keep_done
from store.platform.lazy_property import lazy_property
from store.redaction.labels import clean_label
from store.search.documents import of_session
from store.sessions.digest import Context, digest_of, passages_of
from store.sessions.digest_record import READ, text_name
from store.sessions.everywhere import is_memory_on, project_folder
from store.sessions.index import FileMark, file_key, mark_of, unread
from store.sessions.index_report import IndexReport
from store.sessions.model import ReadSession, SessionDigest
from store.sessions.place import issue_for
from store.sessions.records import SessionRecords
from store.sessions.session_file import read_file
from store.sessions.session_search import SessionSearch

_MB = 1_000_000
STEP = 16 * _MB
"""Bytes of session files that are read before what came of them is kept and can be found."""


class SessionIndexing:
    """Reads sessions, and keeps their digests and messages."""

    def __init__(self, store: OpenedStore, search: SessionSearch) -> None:
        self._store = store
        self._search = search

    @lazy_property
    def _digests(self) -> SessionRecords:
        return SessionRecords(self._store.backend, self._store.index.outgoing)

    def to_index(self, files: Sequence[SessionFile]) -> list[SessionFile]:
        """Return those of the files that are new or have changed since they were indexed, newest
        first.

        Not among them is what was found to be no session, as long as it does not change.
        """
        return unread(files, self._marks())

    def not_indexed(self, files: Sequence[SessionFile]) -> list[SessionFile]:
        """Return those of the files that are not in the index as they are now, for any reason."""
        return unread(files, {at: mark for at, mark in self._marks().items() if mark.session})

    def _marks(self) -> Mapping[str, FileMark]:
        if self._search.has_sessions:
            self._search.index.catch_up()  # what was undone is to be read again
        return self._search.index.files

    def index(self, files: Sequence[SessionFile], goes_on: GoesOn | None = None) -> IndexReport:
        """Read session files and keep their digests and messages, newest first.

        What was read is kept every few megabytes, so that a run that was stopped goes on where it
        was; all of it is one operation, which `undo` takes back. Nothing is captured as a memory.
        Raises `ReadOnly`, `WriteFailed`, `StoreError`.
        """
        waiting = self.not_indexed(files)
        done = size = 0
        left: list[str] = []
        texts: list[TextChange] = []
        taken: dict[str, ReadSession] = {}
        marks: dict[str, FileMark] = {}
        try:
            for file in waiting:
                if goes_on is not None and not goes_on(done, len(waiting)):
                    break
                done, size = done + 1, size + file.size
                if problem := self._take(file, taken, marks):
                    left.append(problem)
                if size >= STEP:
                    self._keep(taken, marks, texts)
                    size = 0
            self._keep(taken, marks, texts)
        finally:
            self._keep_operation(texts)
        total = len(waiting)
        if goes_on is not None and total:
            goes_on(done, total)
        return IndexReport(done - len(left), len(files) - total, tuple(left), done < total)

    def drop_others(self, files: Sequence[SessionFile]) -> None:
        """Keep nothing more of sessions that are not in these files: of all projects, they were
        moved or deleted, or memory is off now. Raises `ReadOnly`, `WriteFailed`.
        """
        paths = {clean_label(str(file.path)) for file in files}
        for digest in self._digests.digests():
            if digest.path not in paths:
                self._store.backend.texts.remove(TextKind.SESSIONS, text_name(digest.id))
        if self._search.has_sessions:
            self._search.index.catch_up()

    def _take(
        self, file: SessionFile, taken: dict[str, ReadSession], marks: dict[str, FileMark]
    ) -> str:
        """Read a file; why it could not be read, if so."""
        try:
            read = self._read(file)
        except Unreadable as error:
            if not isinstance(error.__cause__, OSError):
                marks[file_key(file.path)] = mark_of(file)
            return error.message
        if self._store.is_everywhere and not is_memory_on(read.digest.project):
            marks[file_key(file.path)] = mark_of(file)
            return ""
        marks[file_key(file.path)] = mark_of(file, read.digest.id)
        if read.digest.messages:
            taken[read.digest.id] = read
        return ""

    def _keep(
        self, taken: dict[str, ReadSession], marks: dict[str, FileMark], texts: list[TextChange]
    ) -> None:
        """Keep what was read: digests first, then messages."""
        texts.extend(map(self._write, taken.values()))
        if marks:
            self._search.index.add(list(taken.values()), marks)
        taken.clear()
        marks.clear()

    def _write(self, read: ReadSession) -> TextChange:
        """Keep a digest, durably, and messages where they are to be; what changed by that."""
        settings = self._store.settings
        change = self._digests.change_to(read.digest)
        self._digests.write(read.digest, shared=settings.share_sessions)
        if settings.keep_messages:
            most = settings.keep_messages_mb * _MB
            now = self._store.clock()
            self._digests.write_messages(read.digest.id, read.messages, now, most)
        return change

    def _keep_operation(self, texts: Sequence[TextChange]) -> None:
        """Keep what was indexed as one operation to undo; where that fails, it is a problem."""
        changed = tuple(text for text in texts if text.before != text.after)
        if not changed or self._store.is_everywhere:  # which is derived: nothing to undo
            return
        self._store.recorder.sessions_indexed(len(changed))
        plan = Plan(Action(ActionKind.TAKE_IN, {"sessions": len(changed)}), texts=changed)
        try:
            keep_done(self._store.backend, plan, self._store.clock())
        except StoreError as error:
            self._store.recorder.problem("not-undoable", error.message)

    def keep_session(
        self,
        session: Session,
        *,
        issue: int,
        roots: tuple[str, ...] = (),
        path: Path | None = None,
        memories: Iterable[str] = (),
        evidence: Sequence[Found] | None = None,
        is_read: bool = False,
    ) -> TextChange:
        """Keep a session that was read: its digest, durably, and its messages, in the index.

        `path` is the file it was read from, `evidence` what a capture found in it; `is_read`: a
        language model read it.
        What changed is for the operation that it belongs to.
        Raises `ReadOnly`, `WriteFailed`, `Unopened`, `StoreError`.
        """
        file = next(iter(files_at([path], session.agent)), None) if path is not None else None
        digest = self.digest_of(
            session, roots, file, issue=issue, memories=memories, evidence=evidence
        )
        digest = _as_read(digest) if is_read else digest
        taken = ReadSession(digest, passages_of(session, roots))
        change = self._write(taken)
        marks = {} if file is None else {file_key(file.path): mark_of(file, digest.id)}
        self._search.index.add([taken], marks)
        return change

    def link_memories(
        self, session_id: str, memories: Iterable[str], *, is_read: bool = False
    ) -> list[TextChange]:
        """Have the digest of a session name memories captured from it, and note where a language
        model has read it; what changed by that.
        """
        digest = self._digests.with_memories(session_id, memories)
        if digest is None:
            return []
        digest = _as_read(digest) if is_read else digest
        change = self._digests.change_to(digest)
        self._digests.write(digest, shared=self._store.settings.share_sessions)
        return [change]

    def digest_of(
        self,
        session: Session,
        roots: tuple[str, ...],
        file: SessionFile | None = None,
        *,
        issue: int = 0,
        memories: Iterable[str] = (),
        evidence: Sequence[Found] | None = None,
    ) -> SessionDigest:
        """Return the digest of a session, with what is known of it already. Keeps nothing.

        `evidence` is what a capture found in it; without, it is looked for now.
        """
        known = self._digests.digest_of(clean_label(session.id)) or SessionDigest(session.id)
        found = evidence_of(session, roots) if evidence is None else evidence
        candidates = [item for item in found if isinstance(item, Candidate)]
        named = (*known.memories, *memories, *self._left_by(session.id, issue))
        project = ""
        if self._store.is_everywhere:
            project = project_folder(session.folder or (file.folder if file is not None else ""))
        context = Context(
            issue=issue or known.issue,
            roots=roots,
            path="" if file is None else str(file.path),
            size=0 if file is None else file.size,
            project=project,
            failed=list(filter(None, map(failure_of, session.steps))),
            decided=[candidate.content for candidate in candidates if candidate.finder in DECIDED],
            memories=tuple(dict.fromkeys(named)),
            recalls=known.recalls,
            extra=known.extra,
        )
        digest = digest_of(session, context)
        if file is not None and digest.ended is None:
            # Of a client that writes no times, its file does.
            digest = digest._replace(ended=file.modified)
        return digest

    def digest_in(self, file: SessionFile) -> SessionDigest:
        """Return the digest that a session file would leave. Keeps nothing. Raises `Unreadable`."""
        return self._read(file).digest

    def _read(self, file: SessionFile) -> ReadSession:
        """Return a session file read to its end. Raises `Unreadable`."""
        session, roots = read_file(file.path, session_id=file.session_id)
        issue = issue_for(branch=session.branch)
        return ReadSession(
            self.digest_of(session, roots, file, issue=issue), passages_of(session, roots)
        )

    def _left_by(self, session_id: str, issue: int) -> list[str]:
        """Return the ids of the memories that a session left, oldest first, in the index as it is.

        Without what searches it: a capture loads that for nothing else.
        """
        self._store.index.open_existing()
        schema, issues = self._store.index.index.schema, dict.fromkeys((issue, 0))
        found = self._store.index.ask(
            lambda searcher: of_session(searcher, schema, session_id, issues), fresh=False
        )
        return [
            memory.id for memory in sorted(found, key=lambda memory: (memory.timestamp, memory.id))
        ]


def _as_read(digest: SessionDigest) -> SessionDigest:
    return digest._replace(extra={**digest.extra, READ: digest.size})
