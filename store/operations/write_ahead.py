"""The journal, written ahead: an operation is in it before it is carried out, and leaves it again
where it changed nothing.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from store.backends.issue_records import OF_LEVEL
from store.backends.protocol import Backend
from store.errors import NotSynced, ReadOnly, StoreError, WriteFailed
from store.operations.journal import (
    forget,
    forget_old,
    is_after,
    newest_id,
    next_operation_id,
    write_operation,
)
from store.operations.layout import layout_of
from store.operations.operation_record import Operation
from store.operations.plan import Plan
from store.operations.records import are_records_changed
from store.operations.texts import are_texts_changed


def begin(
    backend: Backend, plan: Plan, now: datetime, *, undoes: str = "", durable: bool = True
) -> Operation:
    """Keep an operation in the journal before it is carried out, and forget old ones.

    Not `durable`, it may be lost in a power cut: for what was done already and is durable itself.
    """
    issues = {change.issue for change in plan.changes}
    dates = _dates(backend, issues)
    operation = Operation(next_operation_id("", now), plan, now, undoes=undoes, dates=dates)
    with backend.locked():
        try:
            newest = newest_id(backend)
            forget_old(backend, newest, now)
            if not is_after(operation.id, newest):
                operation = replace(operation, id=next_operation_id(newest, now))
            write_operation(backend, operation, durable=durable)
        except NotSynced as error:
            # What may not last in the journal is not carried out.
            discard(backend, operation)
            raise WriteFailed(
                "The disk did not confirm that the operation was noted. Nothing changed.",
                "Check the disk.",
            ) from error
    return operation


def _dates(backend: Backend, issues: set[int]) -> dict[str, str]:
    """Return the dates that the files of issues give; of several levels, each with its name."""
    if not backend.levels:
        return {} if backend.files is None else backend.files.dates(issues)
    return {
        f"{level}{OF_LEVEL}{name}": date
        for level, part in backend.levels.items()
        for name, date in _dates(part, issues).items()
    }


def keep_done(backend: Backend, plan: Plan, now: datetime) -> str:
    """Keep what was done otherwise as an operation, so that it can be taken back; its id.

    Raises `ReadOnly`, `WriteFailed`, `LockTimeout`; then it is done all the same.
    """
    return begin(backend, plan, now, durable=False).id


def discard(backend: Backend, operation: Operation, error: StoreError | None = None) -> None:
    """Take an operation that changed nothing out of the history.

    What a failed write ended may have changed something all the same: that stays, to be taken back.
    Where this fails it stays there too, and taking it back does nothing: the error that is raised
    is why nothing was done.
    """
    with suppress(StoreError), backend.locked():
        failed = isinstance(error, WriteFailed | ReadOnly)
        if not (failed and _has_changed(backend, operation.plan)):
            forget(backend, operation.id)


def _has_changed(backend: Backend, plan: Plan) -> bool:
    """True if anything that a plan changes is not as it was before; of files that move, it may."""
    if plan.moves or are_records_changed(backend, plan):
        return True
    if plan.layout is not None and layout_of(backend) is not plan.layout.before:
        return True
    if plan.clarifications:
        from store.operations.clarifications import are_clarifications_changed  # few plans have any

        if are_clarifications_changed(backend, plan):
            return True
    return are_texts_changed(backend, plan)
