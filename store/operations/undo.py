"""Taking operations back, and doing again what was taken back.

An undo `undoes` an operation, a redo that undo: from an entry of the journal these names lead to
the operation that it is about. Whether an operation holds is one mark, its `undone_by`: the journal
changes in one step. An undo or redo that broke off before it leaves its operation in between: both
can be asked for then. Of two programs at once, each takes back another operation, or learns that
one was faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from store.backends.protocol import Backend
from store.errors import Conflict, NotFound, StoreError, Unreadable
from store.notice import Notice, notice
from store.operations.apply import Applied, carry_out
from store.operations.journal import mark_undone, operation_ids, read_operation
from store.operations.operation_record import Operation
from store.operations.plan import Plan
from store.operations.write_ahead import begin, discard

Progress = Callable[[int, int], object]
"""Told how many issues are done, and of how many."""

_FASTER = "Another program may have undone it."


class _Step(NamedTuple):
    """An undo or a redo that is to be made of an operation, and the entry that it undoes."""

    operation: Operation
    plan: Plan
    undoes: str

    @property
    def is_undo(self) -> bool:
        return self.undoes == self.operation.id


class _State(NamedTuple):
    """What became of an operation: whether it can be taken back, and by which undo it was, where
    that can be redone. After what broke off, both are so.
    """

    operation: Operation
    can_undo: bool
    undo: Operation | None


def last_operation(backend: Backend) -> Operation:
    """Return the newest operation that holds; what was done again is as new as that.

    Raises `NotFound`, or `Unreadable` where it is damaged: an older one is not taken in its place.
    """
    for state in _states(backend):
        if state.can_undo:
            return state.operation
    raise NotFound("Nothing to undo.", "Operations can be undone for 30 days.")


def last_undo(backend: Backend) -> Operation:
    """Return the newest undo that was not taken back itself. Raises `NotFound`, `Unreadable`."""
    for state in _states(backend):
        if state.undo is not None:
            return state.undo
    raise NotFound("Nothing to redo.", "Only undone operations can be redone.")


def plan_undo(backend: Backend, operation_id: str | None) -> Plan:
    """Plan taking back the last operation, or a named one; an undo is done again.

    Raises `NotFound`, and `Conflict` where it was taken back already or can't be.
    """
    return _undo(backend, operation_id).plan


def plan_redo(backend: Backend, operation_id: str | None) -> Plan:
    """Plan doing again what the last undo, or a named one, undid. Raises as `plan_undo`."""
    return _redo(backend, operation_id).plan


def undo_operation(
    backend: Backend, operation_id: str | None, now: datetime, progress: Progress | None = None
) -> Applied:
    """Take back the last operation, or a named one; of an undo, do it again.

    `progress` is called with how many issues are done, and of how many. Raises `NotFound`, and
    `Conflict` also where another program did the same meanwhile.
    """
    return _carry_out(backend, _undo(backend, operation_id), now, progress)


def redo_operation(
    backend: Backend, operation_id: str | None, now: datetime, progress: Progress | None = None
) -> Applied:
    """Do again what the last undo, or a named one, undid. Raises as `undo_operation`."""
    return _carry_out(backend, _redo(backend, operation_id), now, progress)


def _undo(backend: Backend, operation_id: str | None) -> _Step:
    operation = _chosen(backend, operation_id)
    if operation.undoes:
        return _redo(backend, operation.id)
    return _Step(operation, _taking_back(operation), operation.id)


def _redo(backend: Backend, operation_id: str | None) -> _Step:
    undo = _chosen_undo(backend, operation_id)
    operation = read_operation(backend, undo.undoes)
    return _Step(operation, _doing_again(operation), undo.id)


def _carry_out(backend: Backend, step: _Step, now: datetime, progress: Progress | None) -> Applied:
    """Carry out an undo or a redo and mark its operation; not where an error left some of it."""

    def report(number: int, of: int) -> bool:
        if progress is not None:
            progress(number, of)
        return True

    operation, entry = step.operation, begin(backend, step.plan, now, undoes=step.undoes)
    try:
        with backend.together():
            taken_back = operation if step.is_undo else None
            applied = carry_out(backend, entry, report, taken_back=taken_back)
            if not applied.unfinished:
                _mark(backend, operation, entry.id if step.is_undo else "")
    except StoreError as error:
        discard(backend, entry, error)
        raise
    gone = _gone_for_good(operation.plan) if step.is_undo else ()
    return replace(applied, left=(*applied.left, *gone))


def _mark(backend: Backend, operation: Operation, undone_by: str) -> None:
    """Mark an operation as taken back, or as standing. Raises `Conflict` where another program
    just did either.
    """
    with backend.locked():
        now = read_operation(backend, operation.id)
        if now.undone_by != operation.undone_by:
            how = "undone" if now.undone_by else "redone"
            raise Conflict(f"Operation {operation.id[-4:]} was just {how} elsewhere.", _FASTER)
        mark_undone(backend, now, undone_by)


def _states(backend: Backend, since: str = "") -> Iterator[_State]:
    """Yield the state of each operation `since` one, the one that changed last first.

    Raises `Unreadable`; from one on, what is damaged is passed over.
    """
    seen: set[str] = set()
    for identifier in operation_ids(backend):
        if identifier < since:
            return
        try:
            entry = read_operation(backend, identifier)
        except Unreadable:
            if since:
                continue
            raise
        chain = _chain(backend, entry)
        if not chain[-1].undoes and chain[-1].id not in seen:
            seen.add(chain[-1].id)
            yield _state(chain)


def _chain(backend: Backend, entry: Operation) -> list[Operation]:
    """Return an entry of the journal, what it undoes, and so on to the operation that it is about.

    What an old one undid may be gone from the journal, or damaged: then it ends there.
    """
    chain = [entry]
    while chain[-1].undoes:
        try:
            chain.append(read_operation(backend, chain[-1].undoes))
        except (NotFound, Unreadable):
            break
    return chain


def _state(chain: list[Operation]) -> _State:
    """Return the state of an operation by the newest entry that is about it."""
    entry, operation = chain[0], chain[-1]
    if entry is operation:
        return _State(operation, not operation.undone_by, None)
    undo = chain[-2]
    is_undone = operation.undone_by == undo.id
    if undo is entry and not entry.undone_by:
        return _State(operation, not is_undone, undo)
    return _State(operation, can_undo=True, undo=undo if is_undone else None)


def _state_of(backend: Backend, operation: Operation) -> _State:
    found = _states(backend, since=operation.id)
    state = next((state for state in found if state.operation.id == operation.id), None)
    return state or _state([operation])


def _chosen(backend: Backend, operation_id: str | None) -> Operation:
    """Return the operation to take back. Raises `Conflict` where it was taken back already."""
    if operation_id is None:
        return last_operation(backend)
    chain = _chain(backend, read_operation(backend, operation_id))
    named, operation = chain[0], chain[-1]
    if len(chain) == 2 or operation.undoes:
        return named
    if not _state_of(backend, operation).can_undo:
        raise Conflict(f"Operation {operation.id[-4:]} is already undone.", _FASTER)
    return operation


def _chosen_undo(backend: Backend, operation_id: str | None) -> Operation:
    """The undo to take back. Raises `Conflict` where that was done already, or it is none."""
    if operation_id is None:
        return last_undo(backend)
    chain = _chain(backend, read_operation(backend, operation_id))
    named, operation = chain[0], chain[-1]
    undo = None if operation.undoes else _state_of(backend, operation).undo
    if undo is not None and named.id in (undo.id, operation.id):
        return undo
    if not named.undoes:
        raise Conflict(f"Operation {named.id[-4:]} is not undone.", "Only an undo can be redone.")
    raise Conflict(f"Operation {named.id[-4:]} is already redone.", _FASTER)


def _taking_back(operation: Operation) -> Plan:
    """The plan of an undo. Raises `Conflict` where nothing of the operation can be taken back."""
    plan = operation.plan
    kept = replace(plan, changes=tuple(change for change in plan.changes if not change.forget))
    if kept.is_empty:
        raise Conflict(
            f"Operation {operation.id[-4:]} can't be undone: its data was deleted for good.",
            "See `memtui history`, and undo an older one with `memtui undo ID`.",
        )
    return kept.inverse()


def _doing_again(operation: Operation) -> Plan:
    plan = operation.plan
    kept = tuple(change for change in plan.changes if not change.forget)
    return replace(plan, action=plan.action.again(), changes=kept)


def _gone_for_good(plan: Plan) -> tuple[Notice, ...]:
    """Parts that an operation removed for good, which no undo brings back."""
    ids = list(dict.fromkeys(change.id for change in plan.changes if change.forget))
    if not ids:
        return ()
    if len(ids) > 1:
        return (notice("more-stay-redacted", id=ids[0], more=len(ids) - 1),)
    return (notice("stays-redacted", id=ids[0]),)
