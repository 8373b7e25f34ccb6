"""Capture: observations worth keeping from a session's transcript."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import LockTimeout, ProgramFailed, StoreError, Unreadable
from store.model import Location, Observation, check_issue

if TYPE_CHECKING:
    from datetime import datetime

    from store.agents.client import SessionFile
    from store.agents.session import Session
    from store.capture.candidate import Found
    from store.capture.plan import CapturePlan
    from store.capture.several import Held
    from store.events import ContextCompacted
    from store.operations.batch import StoreReport
    from store.pipeline.additions import Additions
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.sessions import Sessions
    from store.pipeline.upkeep import Upkeep
    from store.project import Project
    from store.sessions.take_in import GoesOn


def _always() -> bool:
    return True


class Capture:
    """What a session leaves in memory: planned, previewed, stored."""

    def __init__(
        self,
        opened: OpenedStore,
        index: CurrentIndex,
        *,
        additions: Additions,
        sessions: Sessions,
        upkeep: Upkeep,
    ) -> None:
        self._backend = opened.backend
        self._opened = opened
        self._clock = opened.clock
        self._recorder = opened.recorder
        self._events = opened.events
        self._current = index
        self._additions = additions
        self._sessions = sessions
        self._upkeep = upkeep
        self._stops: list[Callable[[], None]] = []

    def plan_capture(
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
        from store.agents.discovery import path_of, session_id_of
        from store.agents.formats import format_named, read_session
        from store.capture.place import issue_for
        from store.project import project_of

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
        from store.agents.discovery import written_at
        from store.capture.plan import from_origin, plan_capture

        roots = (str(project.root), str(project.main_root)) if project else ()
        plan = plan_capture(
            session,
            issue=issue,
            held=[it for it in (held or self._held)(issue) if not own or it.agent == agent],
            now=written_at(path) or self._clock(),
            settings=self._opened.settings,
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
        from store.capture.plan import Skipped
        from store.notice import notice
        from store.operations.tombstones import Tombstones

        stones = Tombstones.of(self._backend, owner)
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
        from store.project import project_of

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

    def plan_captures(
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
        from store.agents.discovery import session_id_of
        from store.capture.several import SeveralSessions

        several = SeveralSessions(self._held, self._opened.new_id)
        ordered = self._sessions.in_order(files)
        if program:
            captured = {it.id for it in self._sessions.sessions() if it.memories}
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
        from store.agents.discovery import open_session, session_id_of

        with open_session(file.path) as lines:
            return self.plan_capture(
                lines,
                agent=agent,
                issue=issue,
                environ={},
                session_id=file.session_id or session_id_of(file.path),
                folder=file.folder,
                likely=file.client,
                held=held,
            )

    def capture(self, plan: CapturePlan) -> StoreReport:
        """Store what a capture plan keeps, and count what it saw again.

        What it stored is an operation that `undo` takes back. A capture that found nothing is
        recorded as such; of several sessions, only those are that left something. Where the
        settings say so, what is stale, or beyond a capacity, goes to the archive afterwards. Raises
        as `store`.
        """
        from store.operations.batch import StoreReport, see_again
        from store.operations.tombstones import Tombstones

        nothing = StoreReport((), (), (), ())
        if not self._opened.settings.enabled:
            return nothing
        started = self._clock()
        if plan.sessions:
            for left in self._sessions.take_in(plan.files).left:
                self._recorder.problem("session-not-kept", left)
        kept = [captured.observation for captured in plan.kept]
        try:
            report = (
                self._additions.store_as("capture", kept, Tombstones.has_captured)
                if kept
                else nothing
            )
        except LockTimeout as error:
            told = f"Memory capture skipped: lock timeout on {error.on}. {error.message}"
            raise LockTimeout(told, error.hint, on=error.on) from error
        for each in plan.sessions or (plan,):
            if each.seen_again:
                see_again(self._backend, each.issue, each.seen_again)
                self._current.wrote([each.issue])
        if plan.sessions:
            self._link_sessions(plan, report, started)
        else:
            self._keep_read(plan, report)
            self._recorder.captured(plan, report, started)
        try:
            self._upkeep.make_room()
        except StoreError as error:  # the capture stands
            self._recorder.problem("not-archived", error.message)
        return report

    def _link_sessions(self, plan: CapturePlan, report: StoreReport, started: datetime) -> None:
        """Have the digests of several sessions name the memories captured from each.

        A failure of that does not undo the capture.
        """
        from store.operations.journal import add_texts

        stored = defaultdict(list)
        for item in report.stored:
            stored[item.session_id].append(item)
        changes = []
        try:
            for each in plan.sessions:
                if mine := stored.get(each.session_id):
                    changes += self._sessions.link_memories(each.session_id, [it.id for it in mine])
                    self._recorder.captured(each, replace(report, stored=tuple(mine)), started)
            if report.operation_id and changes:
                add_texts(self._backend, report.operation_id, tuple(changes))
        except (StoreError, OSError) as error:
            self._recorder.problem("session-not-kept", str(error))

    def start_capture(self) -> Callable[[], None]:
        """Capture each summary that a `ContextCompacted` event tells; returns the unsubscriber.

        It is a capture like any other, until memory is closed; one that fails is told and logged.
        """
        from store.events import ContextCompacted

        stop = self._events.subscribe(ContextCompacted, self._capture_summary)
        self._stops.append(stop)
        return stop

    def stop_capture(self) -> None:
        """Capture what events tell no longer."""
        while self._stops:
            self._stops.pop()()

    def _capture_summary(self, event: ContextCompacted) -> None:
        """Capture what an agent's summary of its session says."""
        from store.agents.session import Session
        from store.agents.transcript import ContextSummary
        from store.project import project_of
        from store.redaction.labels import agent_name, clean_label

        summary = ContextSummary(line=1, at=event.timestamp, text=event.summary)
        session = Session(id=clean_label(event.session_id), summaries=(summary,))
        project = project_of(Path(event.folder)) if event.folder else None
        try:
            issue = check_issue(event.issue_number)
            plan = self._plan(session, agent_name(event.agent), issue, project, is_over=False)
            self.capture(plan)
            if plan.is_empty and not plan.skipped and self._opened.settings.enabled:
                self._recorder.problem("nothing-extracted")
        except StoreError as error:
            self._recorder.failed("capture-failed", error.message, session.id)

    def _keep_read(self, plan: CapturePlan, report: StoreReport) -> None:
        """Keep the session that a capture read; undoing the capture takes back its digest too.

        A failure of that does not undo the capture.
        """
        from store.operations.journal import add_texts

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
                add_texts(self._backend, report.operation_id, (change,))
        except (StoreError, OSError) as error:
            self._recorder.problem("session-not-kept", str(error))

    def _held(self, issue: int) -> list[Observation]:
        records = self._backend.read(issue)
        return [*records.observations(), *records.observations(Location.ARCHIVE)]
