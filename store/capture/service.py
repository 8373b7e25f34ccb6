"""Capture of sessions: what they would leave in memory is planned, then stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path

from store.agents.client import SessionFile
from store.agents.copies import without_copied
from store.agents.discovery import open_session, path_of, session_id_of
from store.agents.formats import format_named
from store.agents.reading import read_session
from store.agents.session import Session
from store.agents.transcript import ContextSummary
from store.capture.plan import CapturePlan, Held, SeveralSessions
from store.capture.planner import Planner
from store.compaction.upkeep import Upkeep
from store.errors import LockTimeout, StoreError, Unreadable
from store.events import ContextCompacted, SessionCaptured
from store.language_model.estimate import Estimate, estimate_of
from store.model import EntrySource, Observation, check_issue
from store.opened_store import OpenedStore
from store.operations.batch import StoreReport, kept_back, see_again
from store.operations.journal import add_texts
from store.operations.plan import GoesOn, TextChange
from store.operations.service import History
from store.operations.tombstones import Tombstones
from store.platform.project import project_of
from store.redaction.labels import agent_name, clean_label
from store.sessions.digest_record import READ
from store.sessions.indexing import SessionIndexing
from store.sessions.place import issue_for
from store.sessions.service import Sessions


def _id_of(file: SessionFile) -> str:
    return file.session_id or session_id_of(file.path)


def _by_session(
    plan: CapturePlan, report: StoreReport
) -> list[tuple[CapturePlan, tuple[Observation, ...]]]:
    return [
        (
            session,
            tuple(memory for memory in report.stored if memory.session_id == session.session_id),
        )
        for session in plan.sessions
    ]


class Capture:
    """Capture of sessions: a plan is made, which may be previewed, and applied."""

    def __init__(
        self,
        store: OpenedStore,
        history: History,
        sessions: Sessions,
        indexing: SessionIndexing,
        upkeep: Upkeep,
    ) -> None:
        self._store = store
        self._history = history
        self._sessions = sessions
        self._indexing = indexing
        self._upkeep = upkeep
        self._planner = Planner(store, self._captured_from)
        self._stops: list[Callable[[], None]] = []

    def plan(
        self,
        transcript: Iterable[bytes],
        *,
        agent: str = "",
        issue: int | None = None,
        format: str = "auto",
        environ: Mapping[str, str] | None = None,
        hook: Mapping[str, object] | None = None,
        session_id: str = "",
        folder: str = "",
        last_words: str = "",
        is_over: bool = True,
        likely: str = "",
        own: bool = False,
        held: Held | None = None,
    ) -> CapturePlan:
        """Plan the memories that the lines of a transcript leave. Changes nothing.

        Without `issue`, it is found by environment, hook input, then the branch of the session's
        project, else 0. `session_id` and `folder`, where the session ran, are for formats that
        don't have it; their file has the id, too, and when it was written. `last_words` is for
        transcripts that lag behind. Only a session that `is_over` leaves its last words. `likely`
        is the client whose format is tried first; with `own` it is compared with the memory of
        `agent` alone; `held` is what an issue holds, where that is not what memory holds now.
        Raises `Unreadable` for what is no transcript, and `InvalidObservation` for an unknown
        format.
        """
        path = path_of(transcript)
        session = read_session(
            transcript,
            format_named(format),
            session_id=session_id or (session_id_of(Path(path)) if path else ""),
            likely=likely,
        )
        if path:
            session = without_copied(session, Path(path))
        session = session.ending_with(last_words)
        place = session.folder or folder
        project = project_of(Path(place)) if place else None
        number = issue_for(
            option=None if issue is None else check_issue(issue),
            environ=os.environ if environ is None else environ,
            hook=hook,
            branch=session.branch or (project.branch if project else ""),
        )
        return self._planner.plan(
            session,
            agent=agent,
            issue=number,
            project=project,
            held=(held or self._planner.held)(number),
            path=path,
            is_over=is_over,
            own=own,
        )

    def _captured_from(self, session_id: str) -> Sequence[str]:
        digest = self._sessions.digest(session_id)
        return () if digest is None else digest.memories

    def ask_model(
        self, plan: CapturePlan, program: str, goes_on: Callable[[], bool] = lambda: True
    ) -> CapturePlan:
        """Return the plan of a session with what a language model picks from it, in place of the
        rules.

        `program` is a client's name, or a command that reads a prompt and prints the answer, such
        as `claude -p`. It gets the session without secrets, and is ended when `goes_on` returns
        False. What rules captured from the session before is `replaced`. Changes nothing. Raises
        `ProgramFailed`, and `InvalidSetting` for what is no command.
        """
        from store.language_model.picking import plan_picked  # rules capture without

        return plan_picked(self._planner, plan, program, goes_on)

    def not_read(
        self, files: Sequence[SessionFile], at_most: int | None = None
    ) -> list[SessionFile]:
        """Return those of the files that no language model has read as they are now: the newest
        `at_most`, in the order in which they began.
        """
        read = {digest.id: digest.extra.get(READ) for digest in self._sessions.digests()}
        fresh = [file for file in files if read.get(_id_of(file)) != file.size]
        newest = sorted(fresh, key=lambda file: (file.modified, str(file.path)), reverse=True)
        return self._sessions.in_order(newest[:at_most])

    def estimate(self, files: Sequence[SessionFile], goes_on: GoesOn | None = None) -> Estimate:
        """Estimate what asking a language model about these would send. Reads each; asks nobody."""
        return estimate_of(files, self._planner.held, goes_on)

    def plan_files(
        self,
        files: Sequence[SessionFile],
        goes_on: GoesOn | None = None,
        *,
        agent: str = "",
        issue: int | None = None,
        program: str = "",
    ) -> CapturePlan:
        """Plan the memories that session files leave together, the newest session's first.

        Each is planned as if all before it had been captured; a file that can't be read is named in
        `left`. `goes_on` hears how many are done, and ends it by False: what was planned so far can
        be captured. With a `program`, it is asked about the sessions that none has read
        yet, two at a time; a session about which it fails is named in `left`, and after three
        in a row no other is asked about. Changes nothing.
        """
        several = SeveralSessions(self._planner.held, self._store.new_id)
        ordered = self.not_read(files) if program else self._sessions.in_order(files)

        def can_go_on_after(done: int) -> bool:
            return goes_on is None or goes_on(done, len(ordered))

        if program:
            from store.language_model.picking import plan_picked_of_several  # rules capture without

            plans = self._plans(ordered, several, agent, issue)
            plan_picked_of_several(self._planner, plans, several, program, can_go_on_after)
        else:
            until_stopped = takewhile(lambda entry: can_go_on_after(entry[0]), enumerate(ordered))
            for plan in self._plans((file for _, file in until_stopped), several, agent, issue):
                several.add(plan)
        return replace(several.together(), files=tuple(files))

    def _plans(
        self, files: Iterable[SessionFile], several: SeveralSessions, agent: str, issue: int | None
    ) -> Iterator[CapturePlan]:
        """Yield what each file would leave, as memory will be then."""
        for file in files:
            try:
                with open_session(file.path) as lines:
                    plan = self.plan(
                        lines,
                        agent=agent,
                        issue=issue,
                        environ={},
                        session_id=_id_of(file),
                        folder=file.folder,
                        likely=file.client,
                        held=several.held,
                    )
            except OSError as error:
                several.leave(f"{file.path} can't be read: {error.strerror}.")
            except Unreadable as error:
                several.leave(f"{file.path}: {error.message}")
            else:
                yield plan

    def apply(self, plan: CapturePlan, *, reviewed: bool = False) -> StoreReport:
        """Store what a capture plan keeps, and count what it saw again. Unless a person has
        `reviewed` it, it waits to be approved where the setting `review` says so.

        What it stored is an operation that `undo` takes back. A capture that found nothing is
        recorded as such; of several sessions, only those are that left something. Where the
        settings ask for it, what is stale, or beyond a capacity, goes to the archive afterwards.
        Raises as `Memory.add`.
        """
        nothing = StoreReport((), (), (), ())
        if not self._store.settings.enabled:
            return nothing
        started = self._store.clock()
        if plan.sessions:
            for left in self._indexing.index(plan.files).left:
                self._store.recorder.problem("session-not-kept", left)
        kept = [captured.observation for captured in plan.kept]
        try:
            has_captured = Tombstones.has_captured
            report, source = nothing, "" if reviewed else EntrySource.CAPTURE
            if plan.replaced:
                report = self._history.replace(
                    plan.replaced, kept, "capture", has_captured, source=source
                )
            elif kept:
                report = self._history.add(kept, "capture", has_captured, source=source)
        except LockTimeout as error:
            message = f"Memory capture skipped: lock timeout on {error.on}. {error.message}"
            raise LockTimeout(message, error.hint, on=error.on) from error
        for session in plan.sessions or (plan,):
            if session.seen_again:
                see_again(self._store.backend, session.issue, session.seen_again)
                self._store.index.wrote([session.issue])
        self._keep_sessions(plan, report, started)
        try:
            self._upkeep.make_room()
        except StoreError as error:  # the capture stands
            self._store.recorder.problem("not-archived", error.message)
        return report

    def _keep_sessions(self, plan: CapturePlan, report: StoreReport, started: datetime) -> None:
        """Have the digest of each session name what was captured from it, and emit the captures.

        A failure of that does not undo the capture; undoing the capture takes the digests back.
        """
        is_single = not plan.sessions
        captures = [(plan, report.stored)] if is_single else _by_session(plan, report)
        changes: list[TextChange] = []
        try:
            for session, stored in captures:
                if is_single or stored or session.picked_by:
                    changes += self._keep_session(session, [memory.id for memory in stored])
            if report.operation_id and changes:
                add_texts(self._store.backend, report.operation_id, tuple(changes))
        except (StoreError, OSError) as error:
            self._store.recorder.problem("session-not-kept", str(error))
        for session, stored in captures:
            if is_single or stored:
                self._emit_captured(session, replace(report, stored=stored), started)

    def _keep_session(self, plan: CapturePlan, memories: Sequence[str]) -> list[TextChange]:
        """Return what changed in the digest of a session: of several sessions at once each has been
        indexed before, and is not at hand any more.
        """
        session, is_read = plan.session, bool(plan.picked_by)
        if session is None:
            return self._indexing.link_memories(plan.session_id, memories, is_read=is_read)
        if not session.id or not session.messages:
            return []
        change = self._indexing.keep_session(
            session,
            issue=plan.issue,
            roots=plan.roots,
            path=Path(plan.path) if plan.path and Path(plan.path).is_file() else None,
            memories=memories,
            evidence=plan.evidence,
            is_read=is_read,
        )
        return [change] if change.before != change.after else []

    def listen(self) -> Callable[[], None]:
        """Capture the summary of each `ContextCompacted` event; return the unsubscriber.

        It is a capture like any other, until memory is closed; one that fails is recorded.
        """
        stop = self._store.events.subscribe(ContextCompacted, self._capture_summary)
        self._stops.append(stop)
        return stop

    def stop_listening(self) -> None:
        """Stop capturing summaries of events."""
        while self._stops:
            self._stops.pop()()

    def _capture_summary(self, event: ContextCompacted) -> None:
        """Capture the memories in an agent's summary of its session."""
        summary = ContextSummary(line=1, at=event.timestamp, text=event.summary)
        session = Session(id=clean_label(event.session_id), summaries=(summary,))
        project = project_of(Path(event.folder)) if event.folder else None
        try:
            issue = check_issue(event.issue_number)
            plan = self._planner.plan(
                session,
                agent=agent_name(event.agent),
                issue=issue,
                project=project,
                held=self._planner.held(issue),
                is_over=False,
            )
            self.apply(plan)
            if plan.is_empty and not plan.skipped and self._store.settings.enabled:
                self._store.recorder.problem("nothing-extracted")
        except StoreError as error:
            self._store.recorder.failed("capture-failed", error.message, session.id)

    def _emit_captured(self, plan: CapturePlan, report: StoreReport, started: datetime) -> None:
        """Emit that a session was looked at and left some observations; none is worth it too."""
        self._store.events.emit(
            SessionCaptured(
                agent=plan.agent,
                issue_number=plan.issue,
                session_id=plan.session_id,
                observation_ids=tuple(stored.id for stored in report.stored),
                kept_back=len(kept_back(report) & {stored.id for stored in report.stored}),
                timestamp=self._store.clock(),
                skipped=len(plan.skipped),
                waiting=len(report.waiting),
                seen_again=len(plan.seen_again),
                took=self._store.recorder.took(started),
                operation_id=report.operation_id,
            )
        )
