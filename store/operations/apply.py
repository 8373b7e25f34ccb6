"""Carrying out a plan as one operation: in the journal first, then part by part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter

from store.action import Action, ActionKind
from store.backends.issue_records import Dating
from store.backends.protocol import Backend
from store.errors import Conflict, StoreError
from store.model import Location
from store.notice import Notice, quoted
from store.operations.layout import change_layout
from store.operations.moves import move_files
from store.operations.operation_record import Operation
from store.operations.outcome import Outcome
from store.operations.plan import Change, GoesOn, Plan
from store.operations.proposals import settled_texts
from store.operations.records import change_records
from store.operations.texts import change_texts
from store.operations.tombstones import keep_removed, lift_brought
from store.operations.write_ahead import begin, discard
from store.records import format_time

_ADDING = ("add", ActionKind.UNDO, ActionKind.REDO)


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of a plan: how many changes were made, and why others were left.

    `operation_id` is empty where nothing was there to be changed. `unfinished`: some were left
    because of an error, and can be tried again. `final`: nothing of it can be taken back.
    `added` are the ids of what was written anew, or is back after an undo or a redo; `waiting` are
    those in the inbox of what is to be approved first.
    """

    operation_id: str
    action: Action
    changed: int
    left: tuple[Notice, ...] = ()
    unfinished: bool = False
    final: bool = False
    added: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


def apply_plan(
    backend: Backend, plan: Plan, now: datetime, *, goes_on: GoesOn | None = None, by: str = ""
) -> Applied:
    """Carry out a plan, issue by issue, each atomically.

    `goes_on` is asked before each issue; where it stops, what is done stays done and can be
    undone. `by` is the agent that asked for it, empty where a person did. A change whose record is
    no longer what the plan saw is left, and named. Raises `Conflict` where nothing of the plan
    could be carried out, and the store's own errors.
    """
    if plan.is_empty:
        return Applied("", plan.action, 0)
    operation = begin(backend, plan, now)
    try:
        with backend.together():
            applied = carry_out(backend, operation, goes_on, by)
    except StoreError as error:
        discard(backend, operation, error)
        raise
    if applied.changed == 0:
        discard(backend, operation)
        return replace(applied, operation_id="")
    return applied


def carry_out(
    backend: Backend,
    operation: Operation,
    goes_on: GoesOn | None = None,
    by: str = "",
    taken_back: Operation | None = None,
) -> Applied:
    """Make the changes of an operation that is in the journal; of an undo, `taken_back` is what it
    undoes. Raises as `apply_plan`.
    """
    plan, action = operation.plan, operation.plan.action
    # Before the records: one that is there with its own tombstone is known, and never lost.
    keep_removed(backend, plan, operation.timestamp, by)
    outcome = Outcome()
    if not plan.moves_last:
        outcome += move_files(backend, plan)
    outcome += change_records(backend, plan, goes_on, _dating(operation, taken_back))
    if plan.moves_last and not outcome.is_stopped:
        outcome += move_files(backend, plan)
    texts = settled_texts(backend, plan) if outcome.left else plan.texts
    outcome += change_texts(backend, replace(plan, texts=texts))
    if plan.clarifications or plan.lines or plan.files:
        from store.operations.rare_changes import make_rare_changes  # few plans have any

        outcome += make_rare_changes(backend, plan)
    if plan.layout is not None:
        written = change_layout(backend, plan.layout, goes_on)
        action = action._replace(figures={**action.figures, "issues": written.changed})
        # Of a memory without records yet, what changed is the layout itself.
        is_empty = not (written.changed or written.left)
        outcome += replace(written, changed=1) if is_empty else written
    try:
        lift_brought(backend, plan)
    except StoreError as error:  # what was brought back is there; only its capture is still refused
        outcome += Outcome(left=(quoted(error.message),))
    if outcome.changed == 0:
        if outcome.error is not None:
            raise outcome.error
        if outcome.left:
            is_late = outcome.left[0].kind.endswith("changed-since")
            hint = "Reload and repeat your change." if is_late else ""
            raise Conflict("Nothing changed.", hint, outcome.left[:1])
    return Applied(
        operation.id,
        action,
        outcome.changed,
        outcome.left,
        unfinished=outcome.error is not None,
        final=not plan.has_other_changes and all(change.forget for change in plan.changes),
        added=tuple(map(attrgetter("id"), filter(_is_added, plan.changes)))
        if plan.kind in _ADDING
        else (),
    )


def _is_added(change: Change) -> bool:
    """Return whether a memory is there only after a change."""
    return change.location is Location.ISSUE and change.before is None and change.after is not None


def _dating(operation: Operation, taken_back: Operation | None) -> Dating:
    changed = format_time(operation.timestamp)
    if taken_back is None:
        return Dating(changed)
    return Dating(changed, format_time(taken_back.timestamp), taken_back.dates)
