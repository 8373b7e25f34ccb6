"""The journal: what each operation did, kept 30 days, so that it can be taken back."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from store.action import Action, ActionKind, action_of, action_record
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import InvalidObservation, NotFound, Unreadable
from store.model import Layout, Location, check_issue
from store.notice import notice_of, notice_record
from store.operations.plan import Change, ClarificationChange, LayoutChange, Move, Plan, TextChange
from store.platform.json_fields import is_count, mapping
from store.records import as_json, format_time, parse_time

KEEP = timedelta(days=30)
"""How long an operation can be taken back."""

_LOCATION = "shelf"
"""The key of a change's location: what the journals of earlier versions have."""
_DAY = timedelta(days=1)
_FAR = 9_000
"""The year from which a time is nobody's."""
_DATE = len("20260227")
_STAMP = len("20260227T100000123")
_ID = re.compile(r"[0-9]{8}T[0-9]{9}-[a-z0-9]{4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation in the journal: its plan, when it was carried out, and what undid it.

    `dates` are those that the files which it changes had before.
    """

    id: str
    plan: Plan
    timestamp: datetime
    undone_by: str = ""
    undoes: str = ""
    dates: Mapping[str, str] = field(default_factory=dict)


def new_operation_id(now: datetime, suffix: str | None = None) -> str:
    """Return an id that sorts by time: `20260227T100000123-a1b2`."""
    stamp = now.astimezone(UTC)
    tail = suffix or os.urandom(2).hex()
    return f"{stamp:%Y%m%dT%H%M%S}{stamp.microsecond // 1000:03d}-{tail}"


def _change_record(change: Change) -> dict[str, Any]:
    """A change as it is kept; what is None is left out, since there are tens of thousands."""
    before = change.after if change.forget else change.before
    record = {
        _LOCATION: str(change.location),
        "issue": change.issue,
        "id": change.id,
        "before": before,
        "after": change.after,
        "place": change.place,
        "forget": change.forget or None,
    }
    return {key: value for key, value in record.items() if value is not None}


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
    backend.texts.keep(TextKind.OPERATIONS, operation.id, _text_of(operation), durable=durable)


def _text_of(operation: Operation) -> bytes:
    value = {
        "id": operation.id,
        **action_record(operation.plan.action),
        "notes": list(map(notice_record, operation.plan.notes)),
        "timestamp": format_time(operation.timestamp),
        "undoneBy": operation.undone_by,
        "undoes": operation.undoes,
        "moves": [[move.source, move.target] for move in operation.plan.moves],
        "movesLast": operation.plan.moves_last,
        "changes": [_change_record(change) for change in operation.plan.changes],
    }
    if operation.dates:
        value["dates"] = dict(operation.dates)
    if operation.plan.texts:
        value["texts"] = [asdict(change) for change in operation.plan.texts]
    if operation.plan.clarifications:
        value["clarifications"] = [asdict(change) for change in operation.plan.clarifications]
    if operation.plan.layout:
        value["layout"] = list(map(str, operation.plan.layout))
    return as_json(value)


def read_operation(backend: Backend, operation_id: str) -> Operation:
    """Return an operation by its id, or any unique beginning or ending of it.

    Raises `NotFound`, or `Unreadable` where its file is damaged.
    """
    name = operation_id if _ID.fullmatch(operation_id) else _whole_id(backend, operation_id)
    try:
        return _parsed(json.loads(backend.texts.read(TextKind.OPERATIONS, name)), name)
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


def _inside(part: str) -> str:
    """Return a part's name as it may be in the journal, which anybody may have written.

    Raises `InvalidObservation` for one that leads out of the memory; the backend, when it moves
    it, for one that is no part.
    """
    if part.startswith("/") or ".." in part.split("/"):
        raise InvalidObservation(f"{part!r} is not part of a memory.", "")
    return part


def _place(value: object) -> int | None:
    return value if is_count(value) else None


def _text_change(item: dict[str, Any]) -> TextChange:
    before, after = _sides(item, "a text")
    return TextChange(TextKind(item["kind"]), str(item["name"]), before, after)


def _clarification_change(item: dict[str, Any]) -> ClarificationChange:
    before, after = _sides(item, "a clarification")
    return ClarificationChange(check_issue(item["issue"]), str(item["id"]), before, after)


def _sides(item: dict[str, Any], what: str) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return the two sides of a change in the journal, each a record or nothing."""
    before, after = item.get("before"), item.get("after")
    if not all(side is None or isinstance(side, dict) for side in (before, after)):
        raise InvalidObservation(f"{what} in the journal is not a record", "")
    return before, after


def add_texts(backend: Backend, operation_id: str, texts: tuple[TextChange, ...]) -> None:
    """Have an operation take texts back with its records. Raises `NotFound`, `Unreadable`."""
    with backend.locked():
        operation = read_operation(backend, operation_id)
        plan = replace(operation.plan, texts=(*operation.plan.texts, *texts))
        write_operation(backend, replace(operation, plan=plan), durable=False)


def _parsed(value: dict[str, Any], identifier: str) -> Operation:
    changes = tuple(
        Change(
            location=Location(item[_LOCATION]),
            issue=check_issue(item["issue"]),
            id=str(item["id"]),
            before=item.get("before"),
            after=item.get("after"),
            place=_place(item.get("place")),
            forget=item.get("forget") is True,
        )
        for item in value["changes"]
    )
    moves = tuple(
        Move(_inside(str(source)), _inside(str(target)))
        for source, target in value.get("moves", ())
    )
    plan = Plan(
        action=action_of({**value, "kind": value["kind"]}),
        changes=changes,
        notes=tuple(map(notice_of, value.get("notes", ()))),
        moves=moves,
        moves_last=value.get("movesLast") is True,
        texts=tuple(map(_text_change, value.get("texts", ()))),
        layout=LayoutChange(*map(Layout, value["layout"])) if "layout" in value else None,
        clarifications=tuple(map(_clarification_change, value.get("clarifications", ()))),
    )
    return Operation(
        identifier,
        plan,
        parse_time(value["timestamp"]),
        str(value.get("undoneBy", "")),
        str(value.get("undoes", "")),
        {str(name): str(date) for name, date in mapping(value.get("dates")).items()},
    )


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
    asked = (change.after or change.before or {} for change in plan.clarifications)
    topics = (str(record.get("topic", "")) for record in asked)
    return ", ".join((*(move.source for move in plan.moves), *topics))


def plan_bring_back(backend: Backend) -> Plan:
    """Return a plan that brings back what is there by the journal, and in no file; empty for
    nothing.

    What was removed, here or by a clone's tombstone, stays so. Raises `Unreadable`.
    """
    changes = _current(backend)
    issues = set(backend.issues())
    # Nearly all are where the journal left them: only what is not there is looked for elsewhere.
    for looked_at in (issues.intersection(change.issue for change in changes), issues):
        if not changes:
            break
        read = {records.issue: records for records in backend.read_each(sorted(looked_at))}
        held = {
            identifier
            for records in read.values()
            for location in Location
            for identifier in records.ids(location)
        }
        changes = [
            change
            for change in changes
            if change.id not in held
            and (change.issue not in read or not read[change.issue].is_back(change.after))
        ]
    return Plan(Action(ActionKind.RESTORE, {"memories": len(changes)}), tuple(changes))


def left_by_last(backend: Backend, identifiers: Collection[str]) -> Iterator[Change]:
    """Yield what the last operation on each of some memories left there; others are passed over."""
    left = set(identifiers)
    for operation in operations(backend):
        if not left:
            return
        found = [change for change in operation.plan.changes if change.id in left]
        yield from (change for change in found if change.after is not None)
        left -= {change.id for change in found}


def _current(backend: Backend) -> list[Change]:
    """Memories by the journal alone, each as its last operation left it."""
    states: dict[str, dict[tuple[Location, int], Mapping[str, Any] | None]] = {}
    for identifier in reversed(operation_ids(backend)):
        try:
            changes = read_operation(backend, identifier).plan.changes
        except (NotFound, Unreadable):
            continue
        for change in changes:
            states.setdefault(change.id, {})[change.location, change.issue] = change.after
    found = []
    for identifier, state in states.items():
        places = [(place, after) for place, after in state.items() if after is not None]
        if places:  # of one in both, the issue's counts
            (location, issue), after = max(places, key=lambda place: place[0][0] is Location.ISSUE)
            found.append(Change(location, issue, identifier, None, after))
    return found
