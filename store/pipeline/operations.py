"""Changes to what exists: planned, applied, recorded, taken back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from store import operations
from store.action import ActionKind
from store.backends.text_kinds import TextKind
from store.errors import Conflict, StoreError
from store.model import Layout, Observation

if TYPE_CHECKING:
    from store.action import Action
    from store.operations.apply import Applied
    from store.operations.changes import Where
    from store.operations.forget import Traces
    from store.operations.journal import Operation
    from store.operations.plan import GoesOn, Plan
    from store.operations.undo import Progress
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.session_search import SessionSearch

_BRINGING = frozenset({ActionKind.CAPTURE, ActionKind.IMPORT, ActionKind.RESTORE})
"""The kinds of what brings memories that may be old."""


@dataclass(frozen=True, slots=True)
class OperationInfo:
    """One line of the history. `count` is the number of observations it touched.

    `about` is the summary of the first of them.
    """

    id: str
    action: Action
    timestamp: datetime
    undone: bool
    count: int
    about: str = ""

    @property
    def kind(self) -> str:
        """The kind of the action."""
        return self.action.kind


class Operations:
    """Plan, apply, undo, history."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex, sessions: SessionSearch) -> None:
        self._backend = opened.backend
        self._clock = opened.clock
        self._recorder = opened.recorder
        self._prepare = opened.prepare
        self._current = index
        self._sessions = sessions
        index.rebuild_sessions = self._rebuild_sessions

    def plan_add(self, observations: Sequence[Observation], kind: str = "add") -> Plan:
        """A plan that stores new observations. Raises `InvalidObservation`."""
        return operations.changes.plan_add(observations, self._prepare, kind)

    def plan_edit(
        self, identifiers: str | Sequence[str], fields: Mapping[str, Any], kind: str = "edit"
    ) -> Plan:
        """A plan that sets fields of observations. Raises `NotFound`, `InvalidObservation`."""
        ids = self._whole_ids(identifiers)
        where, now = self._where(ids), self._clock()
        return operations.changes.plan_edit(where, list(ids), fields, kind, now)

    def edit(
        self,
        identifier: str,
        fields: Mapping[str, Any] | Callable[[Observation], Mapping[str, Any]],
        kind: str = "edit",
    ) -> Applied:
        """Set fields of an observation by what its record holds at that moment.

        Who edits it at the same time waits, and is not refused. Raises `NotFound`,
        `InvalidObservation`, and write errors.
        """
        ((whole, issue),) = self._whole_ids(identifier).items()
        with self._backend.locked():
            where = {issue: self._backend.read(issue)}
            plan = operations.changes.plan_edit(where, [whole], fields, kind, self._clock())
            return self.apply(plan)

    def plan_tag(
        self,
        identifiers: str | Sequence[str],
        add: Sequence[str] = (),
        remove: Collection[str] = (),
        kind: str = "tag",
    ) -> Plan:
        """A plan that adds and removes tags. Raises `NotFound`, `InvalidObservation`."""
        ids = self._whole_ids(identifiers)
        return operations.changes.plan_tag(self._where(ids), list(ids), add, remove, kind)

    def plan_resolve(self, identifier: str, choice: int) -> Plan:
        """A plan that keeps one version of a memory that two branches edited; 0 is the one in use.

        Raises `NotFound`, `InvalidObservation`.
        """
        (whole,) = ids = self._whole_ids(identifier)
        return operations.changes.plan_resolve(self._where(ids), whole, choice)

    def plan_remove(self, identifiers: str | Sequence[str]) -> Plan:
        """A plan that removes observations. Raises `NotFound`."""
        ids = self._whole_ids(identifiers)
        return operations.changes.plan_remove(self._where(ids), list(ids))

    def plan_forget(self, identifiers: str | Sequence[str]) -> Plan:
        """A plan that removes observations and keeps nothing of them. Raises `NotFound`.

        What an earlier command began to forget is finished first, and is not in the plan.
        """
        self._current.finish_forgetting()
        given = [identifiers] if isinstance(identifiers, str) else identifiers
        ids = self._whole_ids([it for it in given if not self._was_finished(it)])
        return operations.forget.plan_forget(self._where(ids), list(ids))

    def _was_finished(self, identifier: str) -> bool:
        return any(it.endswith(identifier) for it in self._current.finished)

    def find_traces(self, plan: Plan, *, agent: str = "") -> Traces:
        """Where else the memories that a plan forgets are stored. Changes nothing."""
        return operations.forget.find_traces(self._backend, plan, agent)

    def forget(self, plan: Plan, *, agent: str = "") -> Applied:
        """Carry out a plan of `plan_forget`, and remove its memories from everything derived.

        Journal, injected texts, digests of sessions, manifest and index; it can't be undone. An
        `agent` takes nothing out of what others said. Where it breaks off, the next command goes on
        with it. Raises `Conflict` where a memory was changed meanwhile.
        """
        if plan.is_empty:
            return self.apply(plan)
        self._current.finish_forgetting()
        applied = operations.forget.forget(self._backend, plan, self._clock(), agent)
        self._current.wrote(self._issues(plan))
        self._current.forgot()
        self._recorder.changed(plan.kind, plan, applied)
        return applied

    def plan_archive(self, identifiers: str | Sequence[str]) -> Plan:
        """A plan that moves observations to the archive. Raises `NotFound`."""
        ids = self._whole_ids(identifiers)
        return operations.changes.plan_archive(self._where(ids), list(ids))

    def plan_restore(self, identifiers: str | Sequence[str]) -> Plan:
        """A plan that restores observations from the archive. Raises `NotFound`."""
        ids = self._whole_ids(identifiers)
        return operations.changes.plan_restore(self._where(ids), list(ids))

    def plan_bring_back(self) -> Plan:
        """A plan that brings back what was acknowledged, by the journal, and is in no file."""
        from store.operations.missing import plan_bring_back

        return plan_bring_back(self._backend)

    def plan_layout(self, layout: Layout) -> Plan:
        """A plan that changes how records are divided into files. Raises `Unreadable`."""
        return operations.layout.plan_layout(self._backend, layout)

    def plan_undo(self, operation_id: str | None = None) -> Plan:
        """The plan that undoes the last operation, or a named one.

        Raises `NotFound`, and `Conflict` where it was taken back already or can't be.
        """
        return operations.undo.plan_undo(self._backend, operation_id)

    def plan_redo(self, operation_id: str | None = None) -> Plan:
        """The plan that does again what the last undo, or a named one, took back. Raises as it."""
        return operations.undo.plan_redo(self._backend, operation_id)

    def apply(self, plan: Plan, goes_on: GoesOn | None = None) -> Applied:
        """Carry out a plan; `goes_on` may stop it between two issues.

        Raises `Conflict` where nothing could be done, and write errors.
        """
        if plan.is_empty:
            return operations.apply.Applied("", plan.action, 0)
        self._check_free(plan)
        self._current.wrote(self._issues(plan))
        applied = operations.apply.apply_plan(self._backend, plan, self._clock(), goes_on=goes_on)
        if applied.changed:
            self._recorder.changed(plan.kind, plan, applied)
        return applied

    def undo(self, operation_id: str | None = None, progress: Progress | None = None) -> Applied:
        """Undo the last operation, or a named one. Raises `NotFound`, `Conflict`.

        `progress` is told how many issues are done, and of how many.
        """
        plan = self.plan_undo(operation_id)
        self._check_free(plan)
        self._current.wrote(self._issues(plan))
        applied = operations.undo.undo_operation(
            self._backend, operation_id, self._clock(), progress
        )
        self._follow_sessions(plan)
        self._recorder.changed("undo", plan, applied)
        return applied

    def redo(self, operation_id: str | None = None, progress: Progress | None = None) -> Applied:
        """Do again what the last undo, or a named one, took back. Raises `NotFound`, `Conflict`."""
        plan = self.plan_redo(operation_id)
        self._check_free(plan)
        self._current.wrote(self._issues(plan))
        applied = operations.undo.redo_operation(
            self._backend, operation_id, self._clock(), progress
        )
        self._follow_sessions(plan)
        self._recorder.changed("redo", plan, applied)
        return applied

    def history(self) -> list[OperationInfo]:
        """The operations of the last 30 days, newest first."""
        done = list(operations.journal.operations(self._backend))
        undone_by = {item.id: item.undone_by for item in done if not item.undoes}
        redone = {it.id for it in done if undone_by.get(it.undoes, it.id) != it.id}
        return [_told(item, item.id in redone) for item in done]

    def brought_since(self, moment: datetime) -> frozenset[str]:
        """The ids of what was captured, imported or restored since, as far as the journal goes
        back. What these tell may be older by far, but nobody could be told it before.
        """
        return frozenset(
            change.id
            for done in operations.journal.operations(self._backend)
            if done.plan.action.kind in _BRINGING and not done.undone_by and done.timestamp > moment
            for change in done.plan.changes
            if change.after is not None
        )

    def last_operation(self) -> OperationInfo:
        """The operation that `undo` would undo. Raises `NotFound`."""
        return _told(operations.undo.last_operation(self._backend))

    def last_undo(self) -> OperationInfo:
        """The undo that `redo` would take back. Raises `NotFound`."""
        return _told(operations.undo.last_undo(self._backend))

    def plan_of(self, operation_id: str) -> Plan:
        """What an operation of the history did. Raises `NotFound`, `Unreadable`."""
        return operations.journal.read_operation(self._backend, operation_id).plan

    def _follow_sessions(self, plan: Plan) -> None:
        """Index the digests that a plan brought, and forget those it took: who has memory open for
        long asks the index alone.
        """
        changed = any(text.kind == TextKind.SESSIONS for text in plan.texts)
        if changed and self._sessions.is_begun:
            with suppress(StoreError):  # it is done; what asks for the newest state looks again
                self._sessions.index.catch_up()

    def _rebuild_sessions(self) -> None:
        if self._sessions.is_begun:
            self._sessions.index.rebuild()

    def _check_free(self, plan: Plan) -> None:
        """Raise `Conflict` where an id that a plan brings in stands in another issue by now, or is
        brought into two.
        """
        leaving = {change.id for change in plan.changes if change.before is not None}
        coming: dict[str, int] = {}
        for it in plan.changes:
            if it.id not in leaving and coming.setdefault(it.id, it.issue) != it.issue:
                both = f"{coming[it.id]} and {it.issue}"
                raise Conflict(
                    f"{it.id} would stand in issues {both}; nothing changed.",
                    "Ids are unique: omit one of them.",
                )
        for identifier, issue in self._current.issues_of(coming).items():
            if issue != coming[identifier]:
                raise Conflict(
                    f"{identifier} is now in issue {issue}; nothing changed.",
                    "Ids are unique: delete that memory first.",
                )

    def _issues(self, plan: Plan) -> set[int]:
        """The issues that a plan writes."""
        names = (name for move in plan.moves for name in (move.source, move.target))
        moved = (self._backend.issue_of(name) for name in names)
        written = self._backend.issues() if plan.layout is not None else set()
        issues = (*(change.issue for change in plan.changes), *moved, *written)
        return {issue for issue in issues if issue is not None}

    def _whole_ids(self, identifiers: str | Sequence[str]) -> dict[str, int]:
        """The whole ids of those given, which may be endings, and the issue of each."""
        given = [identifiers] if isinstance(identifiers, str) else identifiers
        found = self._current.ask(
            lambda searcher: [
                self._current.reader(searcher).get(identifier) for identifier in given
            ]
        )
        return {observation.id: observation.issue_number for observation in found}

    def _where(self, ids: Mapping[str, int]) -> Where:
        return {issue: self._backend.read(issue) for issue in sorted(set(ids.values()))}


def _told(operation: Operation, is_redone: bool = False) -> OperationInfo:
    """What the history says of an operation."""
    plan = operation.plan
    return OperationInfo(
        operation.id,
        plan.action,
        operation.timestamp,
        bool(operation.undone_by) or is_redone,
        len({change.id for change in plan.changes}),
        _about(plan),
    )


def _about(plan: Plan) -> str:
    for change in plan.changes:
        summary = (change.after or change.before or {}).get("summary")
        if isinstance(summary, str):
            return summary
    asked = (it.after or it.before or {} for it in plan.clarifications)
    topics = (str(record.get("topic", "")) for record in asked)
    return ", ".join((*(move.source for move in plan.moves), *topics))
