"""Capture: observations worth keeping from a session's transcript."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from store.agents.client import SessionFile
from store.agents.discovery import open_session, path_of, session_id_of, written_at
from store.agents.formats import format_named, read_session
from store.agents.session import Session
from store.agents.transcript import ContextSummary
from store.backends.tombstones import tombstone_of
from store.capture.candidate import Found, Picked, Skipped
from store.capture.plan import (
    CapturePlan,
    Held,
    SeveralSessions,
    plan_capture,
    without_rules,
)
from store.compaction.upkeep import Upkeep
from store.errors import LockTimeout, ProgramFailed, StoreError, Unreadable
from store.events import ContextCompacted, SessionCaptured
from store.model import Location, Observation, check_issue
from store.notice import notice
from store.opened_store import OpenedStore
from store.operations.batch import StoreReport, see_again
from store.operations.journal import add_texts, left_by_last
from store.operations.plan import GoesOn, TextChange
from store.operations.service import History
from store.operations.tombstones import Tombstones
from store.platform.project import Project, project_of
from store.redaction.labels import agent_name, clean_label
from store.sessions.digest_record import READ
from store.sessions.indexing import SessionIndexing
from store.sessions.place import issue_for
from store.sessions.service import Sessions
from store.sessions.session_file import read_file

_MOST_FAILED = 3
"""Sessions in a row about which a program fails before no other is asked about."""


class Estimate(NamedTuple):
    """What asking a language model would take: sessions, prompts, and the tokens of these."""

    sessions: int
    prompts: int
    tokens: int


def _id_of(file: SessionFile) -> str:
    return file.session_id or session_id_of(file.path)


class Capture:
    """Capture of sessions: planned, previewed, stored."""

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
    ) -> CapturePlan:
        plan = plan_capture(
            session,
            issue=issue,
            held=[it for it in (held or self._held)(issue) if not own or it.agent == agent],
            now=written_at(path) or self._store.clock(),
            settings=self._store.settings,
            agent=agent,
            roots=(str(project.root), str(project.main_root)) if project else (),
            checkout=project.origin if project else None,
            path=path,
            is_over=is_over,
            found=found,
        )
        return self._without_removed(plan, agent if own else "")

    def _without_removed(self, plan: CapturePlan, owner: str) -> CapturePlan:
        """Return the plan without what was removed or reworded since it was captured before; with
        an `owner`, only what was in that agent's own memory.
        """
        if not plan.kept:
            return plan
        stones = (Tombstones.of(self._store.backend, owner), self._taken_out(plan))
        gone = [
            captured
            for captured in plan.kept
            if any(stone.has_captured(captured.observation) for stone in stones)
        ]
        kept = tuple(captured for captured in plan.kept if captured not in gone)
        why = notice("removed-before")
        skipped = (Skipped(captured.observation.summary, why) for captured in gone)
        return replace(plan, kept=kept, skipped=(*plan.skipped, *skipped))

    def _taken_out(self, plan: CapturePlan) -> Tombstones:
        """Return what was captured from the session before and is in no file, as if it had been
        removed: a person took it out by hand, or git did, and the doctor can bring it back.
        """
        digest = self._sessions.digest(plan.session_id)
        if digest is None or not digest.memories:
            return Tombstones(())
        backend, now = self._store.backend, self._store.clock()
        unseen = set(digest.memories) - {held.id for held in self._held(plan.issue)}
        left = list(left_by_last(backend, unseen))
        records = {change.issue: backend.read(change.issue) for change in left}
        return Tombstones(
            tombstone_of(change.after, now)
            for change in left
            if change.after is not None
            and all(change.id not in records[change.issue].ids(place) for place in Location)
        )

    def ask_model(
        self,
        plan: CapturePlan,
        program: str,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> CapturePlan:
        """Return the plan of a session with what a language model picks from it, in place of the
        rules.

        `program` is a client's name, or a command that reads a prompt and prints the answer, such
        as `claude -p`. It gets the session without secrets, and is ended when `goes_on` says no.
        What rules captured from the session before is `replaced`. Changes nothing.
        Raises `ProgramFailed`, and `InvalidSetting` for what is no command.
        """
        picked = self._pick(plan, goes_on, program, self._held)
        return self._with_picked(plan, program, picked, self._held)

    def _pick(
        self, plan: CapturePlan, goes_on: Callable[[], bool], program: str, held: Held
    ) -> Picked:
        from store.language_model.reading import pick

        if plan.session is None or not plan.session.said:
            return Picked()
        known, _ = without_rules(held(plan.issue), plan.session_id)
        return pick(plan.session, known, program, goes_on)

    def _with_picked(
        self, plan: CapturePlan, program: str, picked: Picked, held: Held
    ) -> CapturePlan:
        if plan.session is None or not plan.session.said:
            return replace(plan, picked_by=program)
        known, replaced = without_rules(held(plan.issue), plan.session_id)
        made = self._plan(
            plan.session,
            plan.agent,
            plan.issue,
            project_of(Path(plan.folder)) if plan.folder else None,
            plan.path,
            held=lambda _: known,
            found=picked.found,
        )
        return replace(
            made,
            evidence=plan.evidence,
            picked_by=program,
            left_out=picked.left_out,
            replaced=replaced,
        )

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
        """How much asking a language model about sessions would send. Reads each; asks nobody."""
        sizes = [
            len(prompt)
            for done, file in enumerate(files)
            if goes_on is None or goes_on(done, len(files))
            for prompt in self._prompts(file)
        ]
        return Estimate(len(files), len(sizes), -(-sum(sizes) // 4))

    def _prompts(self, file: SessionFile) -> Iterator[str]:
        """Yield what would be asked about a session; nothing where it can't be read."""
        from store.language_model.prompt import parts_of, prompt_of, shown_of

        with suppress(OSError, Unreadable):
            session, _ = read_file(file.path, session_id=file.session_id)
            shown = shown_of(self._held(issue_for(branch=session.branch)), session.id)
            for text in parts_of(session).texts if session.said else ():
                yield prompt_of(text, shown)

    def plan_files(
        self,
        files: Sequence[SessionFile],
        goes_on: GoesOn | None = None,
        *,
        agent: str = "",
        issue: int | None = None,
        program: str = "",
        at_most: int | None = None,
    ) -> CapturePlan:
        """Plan the memories that session files leave together, the newest session's first.

        Each is planned as if all before it had been captured; a file that can't be read is named in
        `left`. `goes_on` hears how many are done, and ends it by False: what was planned so far can
        be captured. With a `program`, it is asked about the newest `at_most` sessions that none has
        read yet, two at a time; a session about which it fails is named in `left`, and after three
        in a row no other is asked about. Changes nothing.
        """
        several = SeveralSessions(self._held, self._store.new_id)
        ordered = self.not_read(files, at_most) if program else self._sessions.in_order(files)

        def still(done: int) -> bool:
            return goes_on is None or goes_on(done, len(ordered))

        if program:
            plans = self._plans(ordered, several, lambda _: True, agent, issue)
            self._ask_about(plans, several, program, still)
        else:
            for plan in self._plans(ordered, several, still, agent, issue):
                several.add(plan)
        return replace(several.together(), files=tuple(files))

    def _ask_about(
        self,
        plans: Iterator[CapturePlan],
        several: SeveralSessions,
        program: str,
        goes_on: Callable[[int], bool],
    ) -> None:
        from store.language_model.reading import answers

        failed = 0
        ask = partial(self._pick, program=program, held=several.held)
        for plan, picked in answers(plans, ask, goes_on):
            if not isinstance(picked, ProgramFailed):
                failed = 0
                several.add(self._with_picked(plan, program, picked, several.held))
                continue
            failed += 1
            several.leave(f"{plan.path}: {picked.message}")
            if failed == _MOST_FAILED:
                several.leave(f"No other session was asked about: {failed} failed in a row.")
                break

    def _plans(
        self,
        ordered: Sequence[SessionFile],
        several: SeveralSessions,
        goes_on: Callable[[int], bool],
        agent: str,
        issue: int | None,
    ) -> Iterator[CapturePlan]:
        """Yield what each file would leave, as memory will be then."""
        for done, file in enumerate(ordered):
            if not goes_on(done):
                return
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
            for left in self._indexing.index(plan.files).left:
                self._store.recorder.problem("session-not-kept", left)
        kept = [captured.observation for captured in plan.kept]
        try:
            has_captured = Tombstones.has_captured
            report = nothing
            if plan.replaced:
                report = self._history.replace(plan.replaced, kept, "capture", has_captured)
            elif kept:
                report = self._history.add(kept, "capture", has_captured)
        except LockTimeout as error:
            told = f"Memory capture skipped: lock timeout on {error.on}. {error.message}"
            raise LockTimeout(told, error.hint, on=error.on) from error
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
        """Have the digest of each session name what was captured from it, and tell of the capture.

        A failure of that does not undo the capture; undoing the capture takes the digests back.
        """
        parts = [
            (part, [it for it in report.stored if part is plan or it.session_id == part.session_id])
            for part in plan.sessions or (plan,)
        ]
        changes: list[TextChange] = []
        try:
            for part, stored in parts:
                if part is plan or stored or part.picked_by:
                    changes += self._keep_session(part, [memory.id for memory in stored])
            if report.operation_id and changes:
                add_texts(self._store.backend, report.operation_id, tuple(changes))
        except (StoreError, OSError) as error:
            self._store.recorder.problem("session-not-kept", str(error))
        for part, stored in parts:
            if part is plan or stored:
                self._emit_captured(part, replace(report, stored=tuple(stored)), started)

    def _keep_session(self, plan: CapturePlan, memories: Sequence[str]) -> list[TextChange]:
        """Return what changed in the digest of a session: of several sessions at once each has been
        indexed before, and is not at hand any more.
        """
        session, is_read = plan.session, bool(plan.picked_by)
        if session is None:
            return self._indexing.link_memories(plan.session_id, memories, is_read=is_read)
        if not session.id or not session.said:
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

    def _emit_captured(self, plan: CapturePlan, report: StoreReport, started: datetime) -> None:
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
