"""Sessions: found on disk, indexed, listed, opened to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from store.action import Action, ActionKind
from store.activity.log import injected_counts
from store.agents.answers import Answer, keep_answer
from store.agents.answers import forget_answer as forget_kept_answer
from store.agents.client import Home, SessionFile
from store.agents.compressed import plain_path
from store.agents.discovery import session_files
from store.agents.files import files_at
from store.agents.ownership import Earlier, is_other_home, sort_sessions
from store.agents.session import Session
from store.backends.activity import recall_entries
from store.backends.protocol import LogStamp
from store.backends.user_data import project_root
from store.capture.candidate import Candidate, Found
from store.capture.check_runs import failure_of
from store.capture.finders import DECIDED, evidence_of
from store.errors import NotFound, StoreError, Unopened, Unreadable
from store.model import Hit, Observation
from store.opened_store import OpenedStore
from store.operations.apply import keep_done
from store.operations.changes import plan_add
from store.operations.plan import Plan, TextChange
from store.platform.json_fields import integer
from store.platform.lazy_property import lazy_property
from store.platform.links import is_file
from store.platform.project import folders_of
from store.records import time_or_none
from store.redaction.labels import clean_label
from store.search.documents import of_session
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
from store.sessions.digest import Context, digest_of, passages_of
from store.sessions.documents import ended
from store.sessions.index import FileMark, file_key, mark_of, unread
from store.sessions.listing import Listed, listed
from store.sessions.model import READ, GoesOn, IndexReport, ReadSession, SessionDigest
from store.sessions.place import issue_for
from store.sessions.records import SessionRecords
from store.sessions.session_file import Progress, read_file
from store.sessions.session_search import SessionSearch

_MB = 1_000_000
STEP = 16 * _MB
"""Bytes of session files that are read before what came of them is kept and can be found."""


class Sessions:
    """Conversations with agents, beside the memories."""

    def __init__(self, store: OpenedStore, search: SessionSearch) -> None:
        self._store = store
        self._search = search
        self._recalls: tuple[LogStamp, Mapping[str, list[str]]] | None = None

    @lazy_property
    def _digests(self) -> SessionRecords:
        return SessionRecords(self._store.backend, self._store.index.outgoing)

    def digests(self) -> list[SessionDigest]:
        """Return the sessions that are kept, newest first, with the recalls in the log."""
        recalls = self._recalls_by_session()
        kept = [_with_recalls(digest, recalls) for digest in self._digests.all()]
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

    def files(self, home: Home) -> tuple[SessionFile, ...]:
        """Return the session files of this memory's project in its clients' own folders, newest
        first.

        Those of all working trees of its repository. Reads no more than their first lines.
        """
        return session_files(home, self._folders())

    def earlier_folders(self, home: Home) -> tuple[Earlier, ...]:
        """Return where sessions ran that may be the project's from before, with what became of
        them: those first that can be adopted (`adopt`).
        """
        return sort_sessions(home, self._folders()).earlier

    def adopt(self, home: Home, folder: Path) -> None:
        """Count what ran in a folder, or lies in one of a client's, as the project's sessions.

        Of a home folder, what ran in all projects there. Raises `WriteFailed`, `Unreadable`.
        """
        self._answer(home, folder, is_taken=True)

    def refuse(self, home: Home, folder: Path) -> None:
        """Leave what ran in a folder out of the project's sessions. Raises as `adopt`."""
        self._answer(home, folder, is_taken=False)

    def forget_answer(self, home: Home, folder: Path) -> None:
        """Take back that a folder was adopted or refused. Raises `NotFound`, and as above."""
        forget_kept_answer(home, folder, self._project_for(home, folder))

    def _answer(self, home: Home, folder: Path, *, is_taken: bool) -> None:
        keep_answer(home, Answer(folder, self._project_for(home, folder), is_taken))

    def _project_for(self, home: Home, folder: Path) -> Path:
        """Map a folder to one of this project: the project moved, or the home around it."""
        root = self._folders()[0]
        return home.path if is_other_home(home, root, folder) else root

    def _folders(self) -> tuple[Path, ...]:
        """Return the working trees of this memory's project, the main one first."""
        return folders_of(project_root(self._store.path))

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
        """Return the session files that were read, as they were then."""
        if self._search.has_sessions:
            self._search.index.catch_up()  # what was undone is to be read again
        return self._search.index.files

    def read_digest(self, file: SessionFile) -> SessionDigest:
        """Return the digest that a session file would leave. Keeps nothing. Raises `Unreadable`."""
        session, roots = read_file(file.path, session_id=file.session_id)
        digest = self._digest(session, issue_for(branch=session.branch), roots, file)
        return _with_recalls(digest, self._recalls_by_session())

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

    def in_order(self, files: Sequence[SessionFile]) -> list[SessionFile]:
        """Session files in the order in which the sessions began, as far as that is known."""
        began = {digest.path: digest.started for digest in self._digests.all()}
        return sorted(
            files, key=lambda file: (began.get(str(file.path)) or file.modified, file.path)
        )

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
        if not changed:
            return
        self._store.recorder.sessions_indexed(len(changed))
        plan = Plan(Action(ActionKind.TAKE_IN, {"sessions": len(changed)}), texts=changed)
        try:
            keep_done(self._store.backend, plan, self._store.clock())
        except StoreError as error:
            self._store.recorder.problem("not-undoable", error.message)

    def digest(self, session_id: str) -> SessionDigest | None:
        """Return the digest that is kept of a session; None too where it can't be opened."""
        try:
            return self._digests.of(session_id)
        except Unopened:
            return None

    def digest_of(self, session: Session, roots: tuple[str, ...]) -> SessionDigest:
        """Return the digest that a session would leave. Keeps nothing."""
        return self._digest(session, 0, roots, None)

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
        found = next(iter(files_at([path], session.agent)), None) if path is not None else None
        taken = self._taken(session, issue, roots, found, memories, evidence)
        if is_read:
            taken = taken._replace(digest=_as_read(taken.digest))
        change = self._write(taken)
        marks = {}
        if path is not None and found is not None:
            marks[file_key(path)] = mark_of(found, taken.digest.id)
        self._search.index.add([taken], marks)
        return change

    def link_memories(
        self, session_id: str, memories: Iterable[str], *, is_read: bool = False
    ) -> list[TextChange]:
        """Have the digest of a session name memories captured from it, and note where a language
        model has read it; what changed by that.
        """
        digest = self._naming(session_id, memories)
        if digest is None:
            return []
        digest = _as_read(digest) if is_read else digest
        change = self._digests.change_to(digest)
        self._digests.write(digest, shared=self._store.settings.share_sessions)
        return [change]

    def plan_passage(self, passage: Observation) -> Plan:
        """Return a plan that keeps a passage of a session as a memory, which the session's digest
        names from then on. Raises `InvalidObservation`, `Unopened`.
        """
        plan = plan_add([passage], self._store.prepare)
        digest = self._naming(passage.session_id, [change.id for change in plan.changes])
        if digest is None:
            return plan
        return replace(plan, texts=(*plan.texts, self._digests.change_to(digest)))

    def _naming(self, session_id: str, memories: Iterable[str]) -> SessionDigest | None:
        """The digest of a session, with memories captured from it; None without. Raises as `of`."""
        known = self._digests.of(clean_label(session_id))
        if known is None:
            return None
        return known._replace(memories=tuple(dict.fromkeys((*known.memories, *memories))))

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

    def _read(self, file: SessionFile) -> ReadSession:
        """Return a session file read to its end. Raises `Unreadable`."""
        session, roots = read_file(file.path, session_id=file.session_id)
        return self._taken(session, issue_for(branch=session.branch), roots, file)

    def _taken(
        self,
        session: Session,
        issue: int,
        roots: tuple[str, ...],
        file: SessionFile | None,
        memories: Iterable[str] = (),
        evidence: Sequence[Found] | None = None,
    ) -> ReadSession:
        """Return a session as it will be kept, with its messages."""
        digest = self._digest(session, issue, roots, file, memories, evidence)
        return ReadSession(digest, passages_of(session, roots))

    def _digest(
        self,
        session: Session,
        issue: int,
        roots: tuple[str, ...],
        file: SessionFile | None,
        memories: Iterable[str] = (),
        evidence: Sequence[Found] | None = None,
    ) -> SessionDigest:
        """Return the digest of a session, with what is known of it already.

        `evidence` is what a capture found in it; without, it is looked for now.
        """

        known = self._digests.of(clean_label(session.id))
        memories = (*memories, *self._left_by(session.id, issue))
        found = evidence_of(session, roots) if evidence is None else evidence
        candidates = [item for item in found if isinstance(item, Candidate)]
        context = Context(
            issue=issue or (known.issue if known else 0),
            roots=roots,
            path="" if file is None else str(file.path),
            size=0 if file is None else file.size,
            failed=list(filter(None, map(failure_of, session.steps))),
            decided=[candidate.content for candidate in candidates if candidate.finder in DECIDED],
            memories=tuple(dict.fromkeys((*(known.memories if known else ()), *memories))),
            recalls=known.recalls if known else (),
            extra=known.extra if known else {},
        )
        digest = digest_of(session, context)
        if file is not None and digest.ended is None:
            # Of a client that tells no times, its file does.
            digest = digest._replace(ended=file.modified)
        return digest

    def listing(self, files: Sequence[SessionFile]) -> list[Listed]:
        """The sessions that are kept, and those of `files` that are not yet, newest first."""
        return listed(self.digests(), self.not_indexed(files))

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
            digest = digest or self.digest_of(session, roots)
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
        from store.sessions.search import memories_of

        kept = digest.memories if digest else ()
        issue = digest.issue if digest else 0
        index = self._store.index
        return index.ask(
            lambda searcher: memories_of(index.reader(searcher), session_id, issue, kept)
        )

    def around(self, hits: Sequence[Hit]) -> dict[str, tuple[str, str]]:
        """Return the messages before and after each message that was found, by the message's id."""
        return {hit.entry.id: self._search.index.neighbours(hit.entry.id) for hit in hits}

    def _is_of_session(self, path: Path, session_id: str, files: Sequence[SessionFile]) -> bool:
        """Return whether a file is a session's, which this machine read or a client keeps among its
        own: a digest of a clone could name any file of the user's.
        """
        mark = self._search.index.files.get(file_key(path))
        if mark is not None and mark.session == session_id:
            return True
        return any(file.path == path for file in (*files, *session_files(Home.of_user())))

    def _injected_texts(self, session_id: str) -> list[Injected]:
        """Return the texts injected into a session, as the log has them."""
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

    def messages(self, session_id: str) -> list[Observation]:
        """The messages of a session as they are indexed, in order; none where they are not."""
        return self._search.index.conversation(session_id)

    def message(self, identifier: str) -> Observation | None:
        """The message or session with this id, or the only one whose id ends so; None for none."""
        return self._search.message(identifier)


def _as_read(digest: SessionDigest) -> SessionDigest:
    return digest._replace(extra={**digest.extra, READ: digest.size})


def _with_recalls(digest: SessionDigest, recalls: Mapping[str, Sequence[str]]) -> SessionDigest:
    """Return a digest with the texts, too, that the log has of the session."""
    told = recalls.get(digest.id, ())
    return digest._replace(recalls=tuple(dict.fromkeys((*digest.recalls, *told))))


def _file_of(
    session_id: str,
    digest: SessionDigest | None,
    files: Sequence[SessionFile],
    is_believed: Callable[[Path], bool],
) -> Path | None:
    """Return the file of a session that is there to be read."""
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
