"""Sessions: found on disk, indexed, listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from store.backends.activity import recall_entries
from store.errors import StoreError, Unopened, Unreadable

if TYPE_CHECKING:
    from store.agents.client import Home, SessionFile
    from store.agents.ownership import Earlier
    from store.agents.session import Session
    from store.backends.protocol import LogStamp
    from store.capture.candidate import Found
    from store.model import Observation
    from store.operations.plan import Plan, TextChange
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.session_search import SessionSearch
    from store.sessions.model import SessionDigest, TakenIn
    from store.sessions.records import SessionRecords
    from store.sessions.seen import FileMark
    from store.sessions.take_in import GoesOn, Run, TakingIn

_MB = 1_000_000


class Sessions:
    """Conversations with agents, beside the memories."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex, search: SessionSearch) -> None:
        self._backend = opened.backend
        self._path = opened.path
        self._opened = opened
        self._recorder = opened.recorder
        self._current = index
        self._search = search
        self._recalls: tuple[LogStamp, Mapping[str, list[str]]] | None = None

    @cached_property
    def _digests(self) -> SessionRecords:
        from store.sessions.records import SessionRecords

        return SessionRecords(self._backend, self._current.outgoing)

    def sessions(self) -> list[SessionDigest]:
        """The sessions that are kept, newest first, with the recalls that the log tells of."""
        from store.sessions.documents import ended

        recalls = self._recalls_by_session()
        kept = [_with_recalls(it, recalls) for it in self._digests.all()]
        self._current.outgoing.save()
        return sorted(kept, key=lambda it: (ended(it), it.id), reverse=True)

    def _recalls_by_session(self) -> Mapping[str, Sequence[str]]:
        """The names of the texts that the log says sessions were told, by the session's id."""
        stamp = self._backend.activity_stamp()
        if self._recalls is None or self._recalls[0] != stamp:
            found: dict[str, list[str]] = {}
            for entry in recall_entries(self._backend):
                if isinstance(name := entry.get("text"), str):
                    found.setdefault(str(entry.get("sessionId", "")), []).insert(0, name)
            self._recalls = stamp, found
        return self._recalls[1]

    def session_files(self, home: Home) -> tuple[SessionFile, ...]:
        """The session files of this memory's project in its clients' own folders, newest first.

        Those of all working trees of its repository. Reads no more than their first lines.
        """
        from store.agents.discovery import session_files

        return session_files(home, self._folders())

    def earlier_folders(self, home: Home) -> tuple[Earlier, ...]:
        """Where sessions ran that may be the project's from before, with what became of them: those
        first that can be adopted (`adopt_sessions`).
        """
        from store.agents.ownership import sort_sessions

        return sort_sessions(home, self._folders()).earlier

    def adopt_sessions(self, home: Home, folder: Path) -> None:
        """Count what ran in a folder, or lies in one of a client's, as the project's sessions.

        Of a home folder, what ran in all projects there. Raises `WriteFailed`, `Unreadable`.
        """
        self._answer(home, folder, is_taken=True)

    def refuse_sessions(self, home: Home, folder: Path) -> None:
        """Leave what ran in a folder out of the project's sessions. Raises as `adopt_sessions`."""
        self._answer(home, folder, is_taken=False)

    def forget_answer(self, home: Home, folder: Path) -> None:
        """Take back that a folder was adopted or refused. Raises `NotFound`, and as above."""
        from store.agents.answers import forget_answer

        forget_answer(home, folder, self._project_for(home, folder))

    def _answer(self, home: Home, folder: Path, *, is_taken: bool) -> None:
        from store.agents.answers import Answer, keep_answer

        keep_answer(home, Answer(folder, self._project_for(home, folder), is_taken))

    def _project_for(self, home: Home, folder: Path) -> Path:
        """What lay at a folder is at this one now: the project, or the home folder around it."""
        from store.agents.ownership import is_other_home

        root = self._folders()[0]
        return home.path if is_other_home(home, root, folder) else root

    def _folders(self) -> tuple[Path, ...]:
        """The working trees of this memory's project, the main one first."""
        from store.backends.user_data import project_root
        from store.project import folders_of

        return folders_of(project_root(self._path))

    def sessions_to_take_in(self, files: Sequence[SessionFile]) -> list[SessionFile]:
        """Those of the files that were not taken in yet or have changed since, newest first.

        Not among them is what was found to be no session, as long as it does not change.
        """
        from store.sessions.take_in import unread

        return unread(files, self._marks())

    def sessions_to_read(self, files: Sequence[SessionFile]) -> list[SessionFile]:
        """Those of the files that are not in the index as they are now, for whatever reason."""
        from store.sessions.take_in import unread

        return unread(files, {at: it for at, it in self._marks().items() if it.session})

    def _marks(self) -> Mapping[str, FileMark]:
        """The session files that were read, as they were then."""
        index = self._search.index
        if index.is_begun:
            index.catch_up()  # what was undone is to be read again
        return index.files

    def read_session_digest(self, file: SessionFile) -> SessionDigest:
        """The digest that a session file would leave. Keeps nothing. Raises `Unreadable`."""
        from store.capture.place import issue_for
        from store.sessions.session_file import read_file

        session, roots = read_file(file.path, session_id=file.session_id)
        digest = self._digest(session, issue_for(branch=session.branch), roots, file)
        return _with_recalls(digest, self._recalls_by_session())

    def take_in(self, files: Sequence[SessionFile], goes_on: GoesOn | None = None) -> TakingIn:
        """Read session files and keep their digests and messages, newest first.

        What was read is kept every few megabytes, so that a run that was stopped goes on where it
        was; all of it is one operation, which `undo` takes back. Nothing is captured as a memory.
        Raises `ReadOnly`, `WriteFailed`, `StoreError`.
        """
        from store.sessions.take_in import Run, in_steps

        run = Run(self.sessions_to_read(files), goes_on)
        try:
            for step in in_steps(run.waiting):
                self._take_step_in(step, run)
                if run.stopped:
                    break
        finally:
            self._keep_operation(run.texts)
        return run.ended(len(files))

    def in_order(self, files: Sequence[SessionFile]) -> list[SessionFile]:
        """Session files in the order in which the sessions began, as far as that is known."""
        began = {it.path: it.started for it in self._digests.all()}
        return sorted(files, key=lambda it: (began.get(str(it.path)) or it.modified, it.path))

    def _take_step_in(self, step: Sequence[SessionFile], run: Run) -> None:
        """Read some files, then keep what came of them: digests first, then messages."""
        from store.sessions.seen import FileMark, file_key
        from store.sessions.take_in import mark_of

        taken: dict[str, TakenIn] = {}
        marks: dict[str, FileMark] = {}
        for file in step:
            if not run.goes_on():
                break
            try:
                read = self._read(file)
            except Unreadable as error:
                run.left.append(error.message)
                if not isinstance(error.__cause__, OSError):
                    marks[file_key(file.path)] = FileMark(*mark_of(file), "")
                continue
            marks[file_key(file.path)] = FileMark(*mark_of(file), read.digest.id)
            if read.digest.messages:
                taken[read.digest.id] = read
        for read in taken.values():
            run.texts.append(self._write(read))
        self._search.index.take_in(list(taken.values()), marks)

    def _write(self, read: TakenIn) -> TextChange:
        """Keep a digest, durably, and messages where they are to be; what changed by that."""
        settings = self._opened.settings
        change = self._digests.change_to(read.digest)
        self._digests.write(read.digest, shared=settings.share_sessions)
        if settings.keep_messages:
            most = settings.keep_messages_mb * _MB
            now = self._opened.clock()
            self._digests.write_messages(read.digest.id, read.messages, now, most)
        return change

    def _keep_operation(self, texts: Sequence[TextChange]) -> None:
        """Have what was taken in undone as one operation; where that fails, it is told."""
        from store.action import Action, ActionKind
        from store.operations.apply import keep_done
        from store.operations.plan import Plan

        changed = tuple(it for it in texts if it.before != it.after)
        if not changed:
            return
        self._recorder.taken_in(len(changed))
        plan = Plan(Action(ActionKind.TAKE_IN, {"sessions": len(changed)}), texts=changed)
        try:
            keep_done(self._backend, plan, self._opened.clock())
        except StoreError as error:
            self._recorder.problem("not-undoable", error.message)

    def digest(self, session_id: str) -> SessionDigest | None:
        """The digest that is kept of a session; None too where it can't be opened."""
        try:
            return self._digests.of(session_id)
        except Unopened:
            return None

    def digest_of(self, session: Session, roots: tuple[str, ...]) -> SessionDigest:
        """The digest that a session would leave. Keeps nothing."""
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
    ) -> TextChange:
        """Keep a session that was read: its digest, durably, and its messages, in the index.

        `path` is the file it was read from, `evidence` what a capture found in it.
        What changed is for the operation that it belongs to.
        Raises `ReadOnly`, `WriteFailed`, `Unopened`, `StoreError`.
        """
        from store.agents.files import files_at
        from store.sessions.seen import FileMark, file_key
        from store.sessions.take_in import mark_of

        found = next(iter(files_at([path], session.agent)), None) if path is not None else None
        taken = self._taken(session, issue, roots, found, memories, evidence)
        change = self._write(taken)
        marks = {}
        if path is not None and found is not None:
            marks[file_key(path)] = FileMark(*mark_of(found), taken.digest.id)
        self._search.index.take_in([taken], marks)
        return change

    def link_memories(self, session_id: str, memories: Iterable[str]) -> list[TextChange]:
        """Have the digest of a session name memories captured from it; what changed by that."""
        digest = self._naming(session_id, memories)
        if digest is None:
            return []
        change = self._digests.change_to(digest)
        self._digests.write(digest, shared=self._opened.settings.share_sessions)
        return [change]

    def plan_passage(self, passage: Observation) -> Plan:
        """A plan that keeps a passage of a session as a memory, which the session's digest names
        from then on. Raises `InvalidObservation`, `Unopened`.
        """
        from store.operations.changes import plan_add

        plan = plan_add([passage], self._opened.prepare)
        digest = self._naming(passage.session_id, [it.id for it in plan.changes])
        if digest is None:
            return plan
        return replace(plan, texts=(*plan.texts, self._digests.change_to(digest)))

    def _naming(self, session_id: str, memories: Iterable[str]) -> SessionDigest | None:
        """The digest of a session, with memories captured from it; None without. Raises as `of`."""
        from store.redaction.labels import clean_label

        known = self._digests.of(clean_label(session_id))
        if known is None:
            return None
        return known._replace(memories=tuple(dict.fromkeys((*known.memories, *memories))))

    def captured_from(
        self, session_id: str, issue: int, known: Sequence[str] = ()
    ) -> list[Observation]:
        """The memories that a session left, oldest first."""
        from store.sessions.search import memories_of

        return self._current.ask(
            lambda searcher: memories_of(self._current.reader(searcher), session_id, issue, known)
        )

    def _left_by(self, session_id: str, issue: int) -> list[str]:
        """The ids of the memories that a session left, oldest first, in the index as it is.

        Without what searches it: a capture loads that for nothing else.
        """
        from store.search.documents import of_session

        self._current.open_as_left()
        schema, issues = self._current.index.schema, dict.fromkeys((issue, 0))
        found = self._current.ask(
            lambda searcher: of_session(searcher, schema, session_id, issues), fresh=False
        )
        return [it.id for it in sorted(found, key=lambda it: (it.timestamp, it.id))]

    def _read(self, file: SessionFile) -> TakenIn:
        """A session file read to its end. Raises `Unreadable`."""
        from store.capture.place import issue_for
        from store.sessions.session_file import read_file

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
    ) -> TakenIn:
        """A session as it will be kept, with its messages."""
        from store.sessions.digest import passages_of
        from store.sessions.model import TakenIn

        digest = self._digest(session, issue, roots, file, memories, evidence)
        return TakenIn(digest, passages_of(session, roots))

    def _digest(
        self,
        session: Session,
        issue: int,
        roots: tuple[str, ...],
        file: SessionFile | None,
        memories: Iterable[str] = (),
        evidence: Sequence[Found] | None = None,
    ) -> SessionDigest:
        """The digest of a session, with what is known of it already.

        `evidence` is what a capture found in it; without, it is looked for now.
        """
        from store.capture.candidate import Candidate
        from store.capture.finders import DECIDED, FAILED, evidence_of
        from store.redaction.labels import clean_label
        from store.sessions.digest import Context, digest_of

        known = self._digests.of(clean_label(session.id))
        memories = (*memories, *self._left_by(session.id, issue))
        found = evidence_of(session, roots) if evidence is None else evidence
        candidates = [each for each in found if isinstance(each, Candidate)]
        context = Context(
            issue=issue or (known.issue if known else 0),
            roots=roots,
            path="" if file is None else str(file.path),
            size=0 if file is None else file.size,
            failed=[each.content for each in candidates if each.finder in FAILED],
            decided=[each.content for each in candidates if each.finder in DECIDED],
            memories=tuple(dict.fromkeys((*(known.memories if known else ()), *memories))),
            recalls=known.recalls if known else (),
            extra=known.extra if known else {},
        )
        digest = digest_of(session, context)
        if file is not None and digest.ended is None:
            # Of a client that tells no times, its file does.
            digest = digest._replace(ended=file.modified)
        return digest


def _with_recalls(digest: SessionDigest, recalls: Mapping[str, Sequence[str]]) -> SessionDigest:
    """A digest with the texts too that the log says the session was told."""
    told = recalls.get(digest.id, ())
    return digest._replace(recalls=tuple(dict.fromkeys((*digest.recalls, *told))))
