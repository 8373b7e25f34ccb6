"""Changes carried out as operations: applied, recorded in the history, undone and redone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from store.action import ActionKind
from store.backends.issue_records import IssueRecords
from store.backends.text_kinds import TextKind
from store.errors import Conflict, StoreError
from store.forgetting import Forgetting
from store.model import Level, Location, Observation
from store.notice import notice
from store.opened_store import OpenedStore
from store.operations import changes, journal, undo
from store.operations.apply import Applied, apply_plan
from store.operations.batch import (
    IdTaken,
    PartlyStored,
    StoreReport,
    held_twins,
    see_again,
    store_batch,
)
from store.operations.journal import OperationInfo, info_of
from store.operations.plan import GoesOn, Plan
from store.operations.proposals import dropped_proposals, propose
from store.operations.texts import change_texts
from store.operations.tombstones import Tombstones, lift
from store.operations.undo import Progress
from store.operations.write_ahead import keep_done
from store.records import from_record
from store.redaction.walk import texts_of
from store.sessions.session_search import SessionSearch

Refuses = Callable[[Tombstones, Observation], bool]
"""Returns True for an observation that may not be stored again, by the tombstones."""
_BRINGING = frozenset(
    {ActionKind.CAPTURE, ActionKind.IMPORT, ActionKind.RESTORE, ActionKind.APPROVE}
)
"""Kinds of operations whose new memories may be old."""


class History:
    """Carries out changes as operations, lists them, takes them back and does them again."""

    def __init__(self, store: OpenedStore, sessions: SessionSearch, forgetting: Forgetting) -> None:
        self._store = store
        self._backend = store.backend
        self._sessions = sessions
        self._forgetting = forgetting

    def add(
        self,
        observations: Sequence[Observation],
        kind: str = "add",
        refuses: Refuses | None = None,
        *,
        agent: str = "",
        source: str = "",
    ) -> StoreReport:
        """Store observations as an operation of a kind; durable when this returns.

        A `source` is named by what an agent does: where the setting `review` says so, it waits.

        `refuses` decides what of it may not come back, by the tombstones; an `agent` brings back
        nothing that others removed. Without either somebody asks for it by name: what was removed
        is wanted again. Raises `InvalidObservation`, `LockTimeout`, `ReadOnly`, `WriteFailed`,
        `PartlyStored`.
        """
        if agent:
            refuses = partial(_is_refused, agent)
        refused = self._refused(observations, refuses) if refuses else set()
        wanted = [item for at, item in enumerate(observations) if at not in refused]
        if self._is_reviewed(source):
            return self._propose_new(kind, wanted, source, agent).among(refused)
        place = None if all(item.level for item in wanted) else self._place_to_begin()
        try:
            report = self._add(kind, wanted)
        except PartlyStored as error:
            error.report = error.report.among(refused)
            raise
        if place is not None and place.is_dir():
            begun = notice("level-begun", place=str(place))
            report = replace(report, notices=(*report.notices, begun))
        return report.among(refused)

    def _place_to_begin(self) -> Path | None:
        """Return where the project's own level begins with what is added beside the team's; None
        where it has begun, or that goes elsewhere.
        """
        levels = self._backend.levels
        if Level.TEAM not in levels or levels.default != Level.PROJECT:
            return None
        place = levels[Level.PROJECT].folder
        return None if place.is_dir() else place

    def replace(
        self,
        replaced: Sequence[Observation],
        observations: Sequence[Observation],
        kind: str,
        refuses: Refuses,
        *,
        source: str = "",
    ) -> StoreReport:
        """Store observations in place of others, as one operation. Those others that are gone, or
        that were changed meanwhile, stay as they are; of those that wait, none does any more.
        `source` is as for `add`. Raises as `add`, and `Conflict`.
        """
        refused = self._refused(observations, refuses)
        wanted = [item for at, item in enumerate(observations) if at not in refused]
        started = self._store.clock()
        added = changes.plan_add(wanted, self._store.prepare, kind)
        where = {item.issue_number: self._backend.read(item.issue_number) for item in replaced}
        unchanged = [item.id for item in replaced if _is_unchanged(item, where[item.issue_number])]
        gone = changes.plan_remove(where, unchanged)
        dropped = dropped_proposals(self._backend, {item.id for item in replaced})
        if self._is_reviewed(source):
            report = self._propose_new(kind, wanted, source).among(refused)
            removal = self._propose(gone, source)
            change_texts(self._backend, replace(gone, changes=(), texts=dropped))
            return replace(report, waiting=(*report.waiting, *removal))
        plan = replace(added, changes=(*added.changes, *gone.changes), texts=dropped)
        with self._writing(plan):
            applied = apply_plan(self._backend, plan, started)
        stored = tuple(from_record(change.after, change.issue) for change in added.changes)
        report = StoreReport(
            ids=tuple(change.id for change in added.changes),
            stored=stored,
            twins=(),
            notices=plan.notes,
            operation_id=applied.operation_id,
        ).among(refused)
        self._store.recorder.stored(stored, started, applied.operation_id)
        return report

    def _refused(self, observations: Sequence[Observation], refuses: Refuses) -> set[int]:
        """Return the indexes of those that may not be stored again, judged as prepared."""
        stones = Tombstones.of(self._backend)
        if not stones:
            return set()
        cleaned = (self._store.prepare(item).observation for item in observations)
        return {at for at, item in enumerate(cleaned) if refuses(stones, item)}

    def _add(self, kind: str, observations: Sequence[Observation]) -> StoreReport:
        self._check_given_ids(observations)
        started = self._store.clock()
        partly: PartlyStored | None = None
        with self._backend.together():
            try:
                report = store_batch(self._backend, observations, self._store.prepare)
            except PartlyStored as error:
                partly, report = error, error.report
            for stored in report.stored:  # while a database still writes them
                self._store.index.outgoing.know(texts_of(stored))
            report = replace(report, operation_id=self._recorded(kind, report.stored))
            if partly is None and report.stored:  # with it, or not at all
                lift(self._backend, (item.content for item in report.stored))
        self._store.index.wrote(observation.issue_number for observation in observations)
        self._store.recorder.stored(report.stored, started, report.operation_id)
        if partly is not None:
            partly.report = report
            raise partly
        return report

    def _is_reviewed(self, source: str) -> bool:
        """Return whether what an agent does waits until somebody approves it."""
        return bool(source) and self._store.is_reviewed

    def _propose(self, plan: Plan, source: str, agent: str = "") -> tuple[str, ...]:
        if plan.is_empty:
            return ()
        return propose(self._backend, plan, source, agent, self._store.clock())

    def _propose_new(
        self, kind: str, observations: Sequence[Observation], source: str, agent: str = ""
    ) -> StoreReport:
        """Have observations wait to be approved; what memory has already is counted."""
        prepared = [self._store.prepare(item) for item in observations]
        cleaned = [item.observation for item in prepared]
        twins = held_twins(self._backend, cleaned)
        for at, twin in twins.items():
            see_again(self._backend, cleaned[at].issue_number, [twin])
        self._store.index.wrote(cleaned[at].issue_number for at in twins)
        names = {
            at: self._propose(changes.added([item], kind), source, agent)[0]
            for at, item in enumerate(cleaned)
            if at not in twins
        }
        waiting = tuple(dict.fromkeys(names.values()))
        notes = tuple(note for item in prepared for note in item.notices)
        return StoreReport(
            ids=tuple(twins.get(at) or names[at] for at in range(len(cleaned))),
            stored=(),
            twins=tuple(twins.values()),
            notices=(*notes, notice("waits", changes=len(waiting))) if waiting else notes,
            waiting=waiting,
        )

    def apply(
        self,
        plan: Plan,
        goes_on: GoesOn | None = None,
        *,
        agent: str = "",
        source: str = "",
    ) -> Applied:
        """As `Memory.apply`."""
        if plan.is_empty:
            return Applied("", plan.action, 0)
        if self._is_reviewed(source):
            return Applied("", plan.action, 0, waiting=self._propose(plan, source, agent))
        now = self._store.clock()
        with self._writing(plan):
            applied = apply_plan(self._backend, plan, now, goes_on=goes_on, by=agent)
        if applied.changed:
            self._record(plan.kind, plan, applied)
        return applied

    def _record(self, kind: str, plan: Plan, applied: Applied) -> None:
        self._store.recorder.changed(
            kind, plan.ids, applied.operation_id, applied.action, applied.changed
        )

    def edit(
        self,
        identifier: str,
        fields: Mapping[str, Any] | Callable[[Observation], Mapping[str, Any]],
        kind: str = "edit",
        *,
        agent: str = "",
        source: str = "",
    ) -> Applied:
        """As `Memory.edit`."""
        index = self._store.index
        found = index.ask(lambda searcher: index.reader(searcher).get(identifier))
        with self._backend.locked():
            where = {found.issue_number: self._backend.read(found.issue_number)}
            plan = changes.plan_edit(where, [found.id], fields, kind, self._store.clock())
            return self.apply(plan, agent=agent, source=source)

    def forget(self, plan: Plan, *, agent: str = "", source: str = "") -> Applied:
        """Carry out a plan that forgets, and remove its memories from everything derived.

        Journal, injected texts, digests of sessions, manifest and index; it can't be undone. An
        `agent` takes nothing out of the words of others. What waits by its `source` is a removal:
        only a person forgets for good. Where it breaks off, the next command goes on with it.
        Raises `Conflict` where a memory was changed meanwhile.
        """
        if plan.is_empty:
            return self.apply(plan)
        if self._is_reviewed(source):
            removed = tuple(replace(change, forget=False) for change in plan.changes)
            removal = Plan(plan.action._replace(kind=ActionKind.REMOVE), removed)
            return self.apply(removal, agent=agent, source=source)
        applied = self._forgetting.forget(plan, agent)
        self._record(plan.kind, plan, applied)
        return applied

    def forget_as_elsewhere(self, memories: Mapping[str, int]) -> None:
        """Forget memories, by id and issue, as another machine did: those that are here, and what
        came from others that were. Raises as `forget`.
        """
        issues = self._store.index.issues_of(memories)
        self._forgetting.forget_as_elsewhere({**memories, **issues}, there=issues)

    def plan_undo(self, operation_id: str | None = None) -> Plan:
        """Return the plan that undoes the last operation, or a named one.

        Raises `NotFound`, and `Conflict` where it was taken back already or can't be.
        """
        return undo.plan_undo(self._backend, operation_id)

    def plan_redo(self, operation_id: str | None = None) -> Plan:
        """Return the plan that redoes what the last undo, or a named one, undid.

        Raises as `plan_undo`.
        """
        return undo.plan_redo(self._backend, operation_id)

    def undo(self, operation_id: str | None = None, progress: Progress | None = None) -> Applied:
        """As `Memory.undo`."""
        return self._run(
            "undo",
            self.plan_undo(operation_id),
            lambda now: undo.undo_operation(self._backend, operation_id, now, progress),
        )

    def redo(self, operation_id: str | None = None, progress: Progress | None = None) -> Applied:
        """As `Memory.redo`."""
        return self._run(
            "redo",
            self.plan_redo(operation_id),
            lambda now: undo.redo_operation(self._backend, operation_id, now, progress),
        )

    def _run(self, kind: str, plan: Plan, change: Callable[[datetime], Applied]) -> Applied:
        """Make the change that a plan of an undo or a redo describes."""
        with self._writing(plan):
            applied = change(self._store.clock())
        self._follow_sessions(plan)
        self._record(kind, plan, applied)
        return applied

    def operations(self) -> list[OperationInfo]:
        """Return the operations of the last 30 days, newest first."""
        done = list(journal.operations(self._backend))
        undone_by = {
            operation.id: operation.undone_by for operation in done if not operation.undoes
        }
        redone = {entry.id for entry in done if undone_by.get(entry.undoes, entry.id) != entry.id}
        return [info_of(operation, operation.id in redone) for operation in done]

    def brought_since(self, moment: datetime) -> frozenset[str]:
        """Return the ids of what was captured, imported or restored since, as far as the journal
        goes back. These may be older by far, but nobody could see them before.
        """
        return frozenset(
            change.id
            for done in journal.operations(self._backend)
            if done.plan.action.kind in _BRINGING and not done.undone_by and done.timestamp > moment
            for change in done.plan.changes
            if change.after is not None
        )

    def last_operation(self) -> OperationInfo:
        """Return the operation that `undo` would undo. Raises `NotFound`."""
        return info_of(undo.last_operation(self._backend))

    def last_undo(self) -> OperationInfo:
        """Return the undo that `redo` would take back. Raises `NotFound`."""
        return info_of(undo.last_undo(self._backend))

    def plan_of(self, operation_id: str) -> Plan:
        """Read the plan of an operation in the history. Raises `NotFound`, `Unreadable`."""
        return journal.read_operation(self._backend, operation_id).plan

    @contextmanager
    def _writing(self, plan: Plan) -> Iterator[None]:
        """Check that a plan's ids are free, and have index and manifest follow what it writes, also
        where that breaks off.
        """
        self._check_ids(plan)
        issues = self._issues(plan)
        try:
            yield
        finally:
            self._store.index.wrote(issues)

    def _recorded(self, kind: str, stored: Sequence[Observation]) -> str:
        """Record an operation that stored something, and return its id; empty where nothing was.

        A failure is reported, not raised: the memories are stored all the same.
        """
        if not stored:
            return ""
        try:
            return keep_done(self._backend, changes.added(stored, kind), self._store.clock())
        except StoreError as error:
            self._store.recorder.problem("not-recorded", error.message)
            return ""

    def _follow_sessions(self, plan: Plan) -> None:
        """Have the index of sessions follow a plan of digests: searches look only there."""
        changed = any(text.kind == TextKind.SESSIONS for text in plan.texts)
        if changed and self._sessions.has_sessions:
            with suppress(StoreError):  # it is done; what asks for the newest state looks again
                self._sessions.index.catch_up()

    def _check_given_ids(self, observations: Sequence[Observation]) -> None:
        """Raise `IdTaken` where a given id is in another issue, or given for two issues."""
        given: dict[str, int] = {}
        for item in observations:
            if item.id and given.setdefault(item.id, item.issue_number) != item.issue_number:
                raise IdTaken(item.id, given[item.id])
        if self._backend.finds_ids:
            return
        for identifier, issue in self._store.index.issues_of(given).items():
            if issue != given[identifier]:
                raise IdTaken(identifier, issue)

    def _check_ids(self, plan: Plan) -> None:
        """Raise `Conflict` where an id that a plan brings in is in another issue by now, or is
        brought into two.
        """
        leaving = {change.id for change in plan.changes if change.before is not None}
        coming: dict[str, int] = {}
        for change in plan.changes:
            if change.id in leaving:
                continue
            if coming.setdefault(change.id, change.issue) != change.issue:
                raise Conflict(
                    f"{change.id} would stand in issues {coming[change.id]} and {change.issue}; "
                    "nothing changed.",
                    "Ids are unique: omit one of them.",
                )
        for identifier, issue in self._store.index.issues_of(coming).items():
            if issue != coming[identifier]:
                raise Conflict(
                    f"{identifier} is now in issue {issue}; nothing changed.",
                    "Ids are unique: delete that memory first.",
                )

    def _issues(self, plan: Plan) -> set[int]:
        names = (name for move in plan.moves for name in (move.source, move.target))
        files = self._backend.files
        moved = () if files is None else (files.issue_of(name) for name in names)
        written = self._backend.issues() if plan.layout is not None else set()
        issues = (*(change.issue for change in plan.changes), *moved, *written)
        return {issue for issue in issues if issue is not None}


def _is_refused(agent: str, stones: Tombstones, observation: Observation) -> bool:
    return stones.can_refuse(observation, agent)


def _is_unchanged(observation: Observation, records: IssueRecords) -> bool:
    record = records.find(Location.ISSUE, observation.id)
    return record is not None and record.get("content") == observation.content
