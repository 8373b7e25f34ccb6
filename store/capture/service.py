"""Capture: observations worth keeping from a session's transcript."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from store.agents.client import SessionFile
from store.agents.discovery import open_session, path_of, session_id_of, written_at
from store.agents.formats import format_named, read_session
from store.agents.session import Session
from store.agents.transcript import ContextSummary
from store.capture.candidate import Found
from store.capture.place import issue_for
from store.capture.plan import CapturePlan, Skipped, from_origin, plan_capture
from store.capture.several import Held, SeveralSessions
from store.compaction.service import Upkeep
from store.errors import LockTimeout, ProgramFailed, StoreError, Unreadable
from store.events import ContextCompacted, SessionCaptured
from store.model import Location, Observation, check_issue
from store.notice import notice
from store.opened_store import OpenedStore
from store.operations.batch import StoreReport, see_again
from store.operations.journal import add_texts
from store.operations.service import History
from store.operations.tombstones import Tombstones
from store.platform.project import Project, project_of
from store.redaction.labels import agent_name, clean_label
from store.sessions.indexing import GoesOn
from store.sessions.service import Sessions


def _always() -> bool:
    return True


class Capture:
    """What a session leaves in memory: planned, previewed, stored."""

    def __init__(
        self, store: OpenedStore, history: History, sessions: Sessions, upkeep: Upkeep
    ) -> None:
        self._store = store
        self._history = history
        self._sessions = sessions
        self._upkeep = upkeep
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
        """What the lines of a transcript would leave in memory. Changes nothing.

        Without `issue`, it is found by environment, hook input, then the branch of the session's
        project, else 0. `session_id` and `folder`, where the session ran, are for formats that
        don't say so; their file tells the id, too, and when it was written. `last_words` is for
        transcripts that lag behind. Only a session that `is_over` leaves its last words. `likely`
        is the client whose format is tried first; with `own` it is compared with the memory of
        `agent` alone; `held` says what an issue holds, where that is not what memory holds now.
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
        session = session.ending_with(last_words)
        place = session.folder or folder
        project = project_of(Path(place)) if place else None
        number = issue_for(
            option=None if issue is None else check_issue(issue),
            environ=os.environ if environ is None else environ,
            hook=hook,
            branch=session.branch or (project.branch if project else ""),
        )
        return self._plan(
            session, agent, number, project, path, is_over=is_over, own=own, held=held
        )

    def _plan(
        self,
        session: Session,
        agent: str,
        issue: int,
        project: Project | None,
        path: str = "",
        *,
        is_over: bool = True,
        own: bool = False,
        held: Held | None = None,
        found: Sequence[Found] | None = None,
        evidence: Sequence[Found] = (),
    ) -> CapturePlan:
        roots = (str(project.root), str(project.main_root)) if project else ()
        plan = plan_capture(
            session,
            issue=issue,
            held=[it for it in (held or self._held)(issue) if not own or it.agent == agent],
            now=written_at(path) or self._store.clock(),
            settings=self._store.settings,
            agent=agent,
            roots=roots,
            is_over=is_over,
            found=found,
            evidence=evidence,
        )
        if project is not None:
            plan = from_origin(plan, project.origin, session.branch)
        plan = self._without_removed(plan, agent if own else "")
        return replace(plan, session=session, roots=roots, path=path)

    def _without_removed(self, plan: CapturePlan, owner: str) -> CapturePlan:
        """The plan without what was removed or reworded since it was captured before; with an
        `owner`, only what was in that agent's own memory.
        """
        stones = Tombstones.of(self._store.backend, owner)
        gone = [it.observation for it in plan.kept if stones.has_captured(it.observation)]
        if not gone:
            return plan
        kept = tuple(it for it in plan.kept if it.observation not in gone)
        passed = tuple(Skipped(it.summary, notice("removed-before")) for it in gone)
        return replace(plan, kept=kept, skipped=(*plan.skipped, *passed))

    def ask_model(
        self,
        plan: CapturePlan,
        program: str,
        goes_on: Callable[[], bool] = _always,
        *,
        held: Held | None = None,
    ) -> CapturePlan:
        """The plan of a session with what a language model picks from it, in place of the rules.

        `program` is a command that reads a prompt and prints the answer, such as `claude -p`; it
        gets the session without secrets, and is ended when `goes_on` says no. Changes nothing.
        Raises `ProgramFailed`, and `InvalidSetting` for what is no command.
        """
        from store.language_model.answer import candidates_of
        from store.language_model.program import ask
        from store.language_model.prompt import prompt_of

        session = plan.session
        if session is None or not session.said:
            return plan
        held = held or self._held
        answer = ask(program, prompt_of(session, held(plan.issue)), goes_on=goes_on)
        found = candidates_of(answer, session)
        project = project_of(Path(plan.folder)) if plan.folder else None
        return self._plan(
            session,
            plan.agent,
            plan.issue,
            project,
            plan.path,
            held=held,
            found=found,
            evidence=plan.evidence,
        )

    def plan_files(
        self,
        files: Sequence[SessionFile],
        goes_on: GoesOn | None = None,
        *,
        agent: str = "",
        issue: int | None = None,
        program: str = "",
    ) -> CapturePlan:
        """What session files would leave in memory together, the newest session's first.

        Each is planned as if all before it had been captured; a file that can't be read is named in
        `left`. `goes_on` is told how many are read, and ends it by False. With a `program`, it is
        asked of each session that nothing was captured from yet; where it fails, `left` says so,
        and no other is asked for: what was planned so far can be captured. Changes nothing.
        """
        several = SeveralSessions(self._held, self._store.new_id)
        ordered = self._sessions.in_order(files)
        if program:
            captured = {it.id for it in self._sessions.digests() if it.memories}
            ids = {file.path: file.session_id or session_id_of(file.path) for file in ordered}
            ordered = [file for file in ordered if ids[file.path] not in captured]
        for done, file in enumerate(ordered):
            wanted = partial(goes_on, done, len(ordered)) if goes_on else _always
            if not wanted():
                break
            try:
                plan = self._plan_file(file, agent, issue, several.held)
                if program:
                    plan = self.ask_model(plan, program, wanted, held=several.held)
                several.add(plan)
            except OSError as error:
                several.leave(f"{file.path} can't be read: {error.strerror}.")
            except Unreadable as error:
                several.leave(f"{file.path}: {error.message}")
            except ProgramFailed as error:
                several.leave(f"{file.path} and later ones: {error.message}")
                break
        return replace(several.together(), files=tuple(files))

    def _plan_file(
        self, file: SessionFile, agent: str, issue: int | None, held: Held
    ) -> CapturePlan:
        with open_session(file.path) as lines:
            return self.plan(
                lines,
                agent=agent,
                issue=issue,
                environ={},
                session_id=file.session_id or session_id_of(file.path),
                folder=file.folder,
                likely=file.client,
                held=held,
            )

    def apply(self, plan: CapturePlan) -> StoreReport:
        """Store what a capture plan keeps, and count what it saw again.

        What it stored is an operation that `undo` takes back. A capture that found nothing is
        recorded as such; of several sessions, only those are that left something. Where the
        settings say so, what is stale, or beyond a capacity, goes to the archive afterwards. Raises
        as `Memory.add`.
        """
        nothing = StoreReport((), (), (), ())
        if not self._store.settings.enabled:
            return nothing
        started = self._store.clock()
        if plan.sessions:
            for left in self._sessions.index(plan.files).left:
                self._store.recorder.problem("session-not-kept", left)
        kept = [captured.observation for captured in plan.kept]
        try:
            has_captured = Tombstones.has_captured
            report = self._history.add(kept, "capture", has_captured) if kept else nothing
        except LockTimeout as error:
            told = f"Memory capture skipped: lock timeout on {error.on}. {error.message}"
            raise LockTimeout(told, error.hint, on=error.on) from error
        for each in plan.sessions or (plan,):
            if each.seen_again:
                see_again(self._store.backend, each.issue, each.seen_again)
                self._store.index.wrote([each.issue])
        if plan.sessions:
            self._link_sessions(plan, report, started)
        else:
            self._keep_read(plan, report)
            self._tell(plan, report, started)
        try:
            self._upkeep.make_room()
        except StoreError as error:  # the capture stands
            self._store.recorder.problem("not-archived", error.message)
        return report

    def _link_sessions(self, plan: CapturePlan, report: StoreReport, started: datetime) -> None:
        """Have the digests of several sessions name the memories captured from each.

        A failure of that does not undo the capture.
        """
        stored = defaultdict(list)
        for item in report.stored:
            stored[item.session_id].append(item)
        changes = []
        try:
            for each in plan.sessions:
                if mine := stored.get(each.session_id):
                    changes += self._sessions.link_memories(each.session_id, [it.id for it in mine])
                    self._tell(each, replace(report, stored=tuple(mine)), started)
            if report.operation_id and changes:
                add_texts(self._store.backend, report.operation_id, tuple(changes))
        except (StoreError, OSError) as error:
            self._store.recorder.problem("session-not-kept", str(error))

    def listen(self) -> Callable[[], None]:
        """Capture each summary that a `ContextCompacted` event tells; returns the unsubscriber.

        It is a capture like any other, until memory is closed; one that fails is told and logged.
        """
        stop = self._store.events.subscribe(ContextCompacted, self._capture_summary)
        self._stops.append(stop)
        return stop

    def stop_listening(self) -> None:
        """Capture what events tell no longer."""
        while self._stops:
            self._stops.pop()()

    def _capture_summary(self, event: ContextCompacted) -> None:
        """Capture what an agent's summary of its session says."""
        summary = ContextSummary(line=1, at=event.timestamp, text=event.summary)
        session = Session(id=clean_label(event.session_id), summaries=(summary,))
        project = project_of(Path(event.folder)) if event.folder else None
        try:
            issue = check_issue(event.issue_number)
            plan = self._plan(session, agent_name(event.agent), issue, project, is_over=False)
            self.apply(plan)
            if plan.is_empty and not plan.skipped and self._store.settings.enabled:
                self._store.recorder.problem("nothing-extracted")
        except StoreError as error:
            self._store.recorder.failed("capture-failed", error.message, session.id)

    def _keep_read(self, plan: CapturePlan, report: StoreReport) -> None:
        """Keep the session that a capture read; undoing the capture takes back its digest too.

        A failure of that does not undo the capture.
        """
        session = plan.session
        if session is None or not session.id or not session.said:
            return
        path = Path(plan.path) if plan.path and Path(plan.path).is_file() else None
        try:
            memories = [it.id for it in report.stored]
            change = self._sessions.keep_session(
                session,
                issue=plan.issue,
                roots=plan.roots,
                path=path,
                memories=memories,
                evidence=plan.evidence,
            )
            if report.operation_id and change.before != change.after:
                add_texts(self._store.backend, report.operation_id, (change,))
        except (StoreError, OSError) as error:
            self._store.recorder.problem("session-not-kept", str(error))

    def _tell(self, plan: CapturePlan, report: StoreReport, started: datetime) -> None:
        """Emit that a session was looked at and left some observations; none is worth it too."""
        self._store.events.emit(
            SessionCaptured(
                agent=plan.agent,
                issue_number=plan.issue,
                session_id=plan.session_id,
                observation_ids=tuple(stored.id for stored in report.stored),
                timestamp=self._store.clock(),
                skipped=len(plan.skipped),
                seen_again=len(plan.seen_again),
                took=self._store.recorder.took(started),
                operation_id=report.operation_id,
            )
        )

    def _held(self, issue: int) -> list[Observation]:
        records = self._store.backend.read(issue)
        return [*records.observations(), *records.observations(Location.ARCHIVE)]
