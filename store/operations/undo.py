"""Taking operations back, and doing again what was taken back.

Of two programs at once, each takes back another operation, or is told that one was faster.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from store.errors import Conflict, NotFound, StoreError, Unreadable
from store.notice import Notice, notice
from store.operations.apply import Applied, begin, carry_out, discard
from store.operations.journal import Operation, mark_undone, operation_ids, read_operation
from store.operations.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from store.backends.protocol import Backend

    Progress = Callable[[int, int], None]

_FASTER = "Another program may have undone it."


def last_operation(backend: Backend) -> Operation:
    """The newest operation that stands; what was done again is as new as that.

    Raises `NotFound`, or `Unreadable` where it is damaged: an older one is not taken in its place.
    """
    for identifier in operation_ids(backend):
        operation = read_operation(backend, identifier)
        if operation.undoes and not operation.undone_by:
            operation = _done_again(backend, operation)
        if not operation.undone_by and not operation.undoes:
            return operation
    raise NotFound("Nothing to undo.", "Operations can be undone for 30 days.")


def last_undo(backend: Backend) -> Operation:
    """The newest undo that was not taken back itself. Raises `NotFound`, `Unreadable`."""
    for identifier in operation_ids(backend):
        undo = read_operation(backend, identifier)
        if undo.undoes and not undo.undone_by and _undone(backend, undo) is not None:
            return undo
    raise NotFound("Nothing to redo.", "Only undone operations can be redone.")


def plan_undo(backend: Backend, operation_id: str | None) -> Plan:
    """What takes back the last operation, or a named one; of an undo, what does it again.

    Raises `NotFound`, and `Conflict` where it was taken back already or can't be.
    """
    operation = _chosen(backend, operation_id)
    return plan_redo(backend, operation.id) if operation.undoes else _taking_back(operation)


def plan_redo(backend: Backend, operation_id: str | None) -> Plan:
    """What does again what the last undo, or a named one, took back. As `plan_undo` raises."""
    return _doing_again(backend, _chosen_undo(backend, operation_id))


def undo_operation(
    backend: Backend, operation_id: str | None, now: datetime, progress: Progress | None = None
) -> Applied:
    """Take back the last operation, or a named one; of an undo, do it again.

    `progress` is told how many issues are done, and of how many. Raises `NotFound`, and `Conflict`
    also where another program did the same meanwhile.
    """
    operation = _chosen(backend, operation_id)
    if operation.undoes:
        return redo_operation(backend, operation.id, now, progress)
    applied = _carry_out(backend, operation, _taking_back(operation), now, progress)
    return replace(applied, left=(*applied.left, *_gone_for_good(operation.plan)))


def redo_operation(
    backend: Backend, operation_id: str | None, now: datetime, progress: Progress | None = None
) -> Applied:
    """Do again what the last undo, or a named one, took back. Raises as `undo_operation`."""
    undo = _chosen_undo(backend, operation_id)
    applied = _carry_out(backend, undo, _doing_again(backend, undo), now, progress)
    if not applied.unfinished:
        with backend.locked():
            mark_undone(backend, read_operation(backend, undo.undoes), "")
    return applied


def _carry_out(
    backend: Backend, operation: Operation, plan: Plan, now: datetime, progress: Progress | None
) -> Applied:
    """Carry out what takes an operation back, and mark it; not where an error left some of it."""

    def tell(done: int, of: int) -> bool:
        if progress is not None:
            progress(done, of)
        return True

    undo = begin(backend, plan, now, undoes=operation.id)
    try:
        with backend.together():
            applied = carry_out(backend, undo, tell)
            if not applied.unfinished:
                _mark(backend, operation, undo.id)
    except StoreError as error:
        discard(backend, undo, error)
        raise
    return applied


def _mark(backend: Backend, operation: Operation, by: str) -> None:
    """Mark an operation as taken back. Raises `Conflict` where another program just did that."""
    with backend.locked():
        if read_operation(backend, operation.id).undone_by:
            raise Conflict(f"Operation {operation.id[-4:]} was just undone elsewhere.", _FASTER)
        mark_undone(backend, operation, by)


def _chosen(backend: Backend, operation_id: str | None) -> Operation:
    """The operation to take back. Raises `Conflict` where it was taken back already."""
    if operation_id is None:
        return last_operation(backend)
    operation = _done_again(backend, read_operation(backend, operation_id))
    if operation.undone_by:
        raise Conflict(f"Operation {operation.id[-4:]} is already undone.", _FASTER)
    return operation


def _done_again(backend: Backend, operation: Operation) -> Operation:
    """What a redo did again, which stands as the operation itself; any other as it is."""
    # What an old undo took back may be gone from the journal, or damaged.
    with suppress(NotFound, Unreadable):
        while operation.undoes and (undo := read_operation(backend, operation.undoes)).undoes:
            operation = read_operation(backend, undo.undoes)
    return operation


def _chosen_undo(backend: Backend, operation_id: str | None) -> Operation:
    """The undo to take back. Raises `Conflict` where that was done already, or it is none."""
    if operation_id is None:
        return last_undo(backend)
    named = read_operation(backend, operation_id)
    undo = named if named.undoes or not named.undone_by else _undo_of(backend, named)
    if not undo.undoes:
        raise Conflict(f"Operation {undo.id[-4:]} is not undone.", "Only an undo can be redone.")
    if undo.undone_by or _undone(backend, undo) is None:
        raise Conflict(f"Operation {undo.id[-4:]} is already redone.", _FASTER)
    return undo


def _undo_of(backend: Backend, operation: Operation) -> Operation:
    return read_operation(backend, operation.undone_by)


def _undone(backend: Backend, undo: Operation) -> Operation | None:
    """The operation that an undo took back; None where it is none, or that stands again."""
    try:
        operation = read_operation(backend, undo.undoes)
    except NotFound:
        return None
    return None if operation.undoes or operation.undone_by != undo.id else operation


def _taking_back(operation: Operation) -> Plan:
    """The plan of an undo. Raises `Conflict` where nothing of the operation can be taken back."""
    plan = operation.plan
    kept = replace(plan, changes=tuple(it for it in plan.changes if not it.forget))
    if kept.is_empty:
        raise Conflict(
            f"Operation {operation.id[-4:]} can't be undone: its data was deleted for good.",
            "See `memtui history`, and undo an older one with `memtui undo ID`.",
        )
    return kept.inverse()


def _doing_again(backend: Backend, undo: Operation) -> Plan:
    plan = read_operation(backend, undo.undoes).plan
    kept = tuple(it for it in plan.changes if not it.forget)
    return replace(plan, action=plan.action.again(), changes=kept)


def _gone_for_good(plan: Plan) -> tuple[Notice, ...]:
    """What an operation took out for good, which no undo brings back."""
    ids = list(dict.fromkeys(change.id for change in plan.changes if change.forget))
    if not ids:
        return ()
    if len(ids) > 1:
        return (notice("more-stay-redacted", id=ids[0], more=len(ids) - 1),)
    return (notice("stays-redacted", id=ids[0]),)
