"""The journal: what each operation did, kept 30 days, so that it can be taken back."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from store.action import Action
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import InvalidObservation, NotFound, Unreadable
from store.operations.operation_record import Operation, dump_operation, load_operation
from store.operations.plan import Plan, TextChange
from store.operations.proposals import proposal_summary

KEEP = timedelta(days=30)
"""How long an operation can be taken back."""

_DAY = timedelta(days=1)
_FAR = 9_000
"""The year from which a time is nobody's."""
_DATE = len("20260227")
_STAMP = len("20260227T100000123")
_ID = re.compile(r"[0-9]{8}T[0-9]{9}-[a-z0-9]{4}", re.ASCII)


def new_operation_id(now: datetime, suffix: str | None = None) -> str:
    """Return an id that sorts by time: `20260227T100000123-a1b2`."""
    stamp = now.astimezone(UTC)
    tail = suffix or os.urandom(2).hex()
    return f"{stamp:%Y%m%dT%H%M%S}{stamp.microsecond // 1000:03d}-{tail}"


def newest_id(backend: Backend) -> str:
    """Return the id of the newest operation that was ever kept; empty where there is none."""
    names = sorted(backend.texts.names(TextKind.OPERATIONS), reverse=True)
    return next(filter(_is_dated, names), "")


def next_operation_id(newest: str, now: datetime) -> str:
    """Return an id that sorts after the newest, also where two fall in one millisecond."""
    identifier = new_operation_id(now)
    while not is_after(identifier, newest):
        now = _time_of(newest) + timedelta(milliseconds=1)
        identifier = new_operation_id(now)
    return identifier


def is_after(identifier: str, newest: str) -> bool:
    """Return whether an operation's id is of a later millisecond than the newest one."""
    return identifier[:_STAMP] > newest[:_STAMP]


def write_operation(backend: Backend, operation: Operation, *, durable: bool = True) -> None:
    """Keep an operation, before it is carried out. Raises `ReadOnly`, `WriteFailed`."""
    text = dump_operation(operation)
    backend.texts.keep(TextKind.OPERATIONS, operation.id, text, durable=durable)


def read_operation(backend: Backend, operation_id: str) -> Operation:
    """Return an operation by its id, or any unique beginning or ending of it.

    Raises `NotFound`, or `Unreadable` where its file is damaged.
    """
    name = operation_id if _ID.fullmatch(operation_id) else _whole_id(backend, operation_id)
    try:
        return load_operation(json.loads(backend.texts.read(TextKind.OPERATIONS, name)), name)
    except NotFound as error:
        raise _no_operation(operation_id) from error
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        InvalidObservation,
    ) as error:
        raise Unreadable(
            f"operations/{name}.json is damaged, so this operation can't be undone.",
            "The memories are not affected.",
        ) from error


def _whole_id(backend: Backend, part: str) -> str:
    """Return the id that begins or ends with a text. Raises `NotFound` for none, or several."""
    ids = [name for name in operation_ids(backend) if name.startswith(part) or name.endswith(part)]
    if not part or not ids:
        raise _no_operation(part)
    if len(ids) > 1:
        raise NotFound(f"{len(ids)} operations match {part!r}.", "See `memtui history`.")
    return ids[0]


def _no_operation(named: str) -> NotFound:
    return NotFound(f"No operation {named!r}.", "See `memtui history`.")


def operation_ids(backend: Backend) -> list[str]:
    """Return the ids of all operations in the journal, newest first. Raises `Unreadable`."""
    names = backend.texts.names(TextKind.OPERATIONS)
    return sorted(filter(_is_dated, names), reverse=True)


def _is_dated(name: str) -> bool:
    """Return whether the name is that of an operation: another file in the folder stops nothing."""
    if not _ID.fullmatch(name):
        return False
    try:
        return _time_of(name).year < _FAR
    except ValueError:
        return False


def operations(backend: Backend) -> Iterator[Operation]:
    """Yield the operations that can be read, newest first."""
    for identifier in operation_ids(backend):
        try:
            yield read_operation(backend, identifier)
        except (Unreadable, NotFound):
            continue


def mark_undone(backend: Backend, operation: Operation, by: str) -> None:
    """Note that an operation was taken back, and by which; by none, that it holds again."""
    write_operation(backend, replace(operation, undone_by=by))


def forget(backend: Backend, operation_id: str) -> None:
    """Remove one operation from the journal. Raises `ReadOnly`, `WriteFailed`."""
    backend.texts.remove(TextKind.OPERATIONS, operation_id)


def forget_old(backend: Backend, newest: str, now: datetime) -> None:
    """Remove operations older than 30 days, with the first operation of a day.

    Counted from the last operation before today: a clock that is ahead removes nothing that a right
    one would keep.
    """
    if newest[:_DATE] >= new_operation_id(now)[:_DATE]:
        return
    today = new_operation_id(now - _DAY, "0000")
    ids = operation_ids(backend)
    earlier = next((name for name in ids if name < today), None)
    if earlier is None:
        return
    limit = new_operation_id(_time_of(earlier) - KEEP, "0000")
    for identifier in ids:
        if identifier < limit:
            forget(backend, identifier)


def _time_of(identifier: str) -> datetime:
    return datetime.strptime(identifier[:_STAMP] + "000", "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)


def add_texts(backend: Backend, operation_id: str, texts: tuple[TextChange, ...]) -> None:
    """Have an operation take texts back with its records. Raises `NotFound`, `Unreadable`."""
    with backend.locked():
        operation = read_operation(backend, operation_id)
        plan = replace(operation.plan, texts=(*operation.plan.texts, *texts))
        write_operation(backend, replace(operation, plan=plan), durable=False)


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
        return self.action.kind


def info_of(operation: Operation, is_redone: bool = False) -> OperationInfo:
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
    if plan.texts and plan.texts[0].kind is TextKind.INBOX:
        return proposal_summary(plan.texts[0])
    asked = (change.after or change.before or {} for change in plan.clarifications)
    topics = (str(record.get("topic", "")) for record in asked)
    return ", ".join((*(move.source for move in plan.moves), *topics))
