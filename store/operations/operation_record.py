"""The record of an operation: its plan and what is known of it, as JSON in the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from store.action import action_of, action_record
from store.backends.text_kinds import TextKind
from store.errors import InvalidObservation
from store.model import Layout, Location, check_issue
from store.notice import notice_of, notice_record
from store.operations.plan import (
    Change,
    ClarificationChange,
    FileChange,
    LayoutChange,
    LineChange,
    Move,
    Plan,
    TextChange,
)
from store.platform.json_fields import integer, is_count, mapping
from store.records import as_json, format_time, parse_time

_LOCATION = "shelf"
"""The key of a change's location: what the journals of earlier versions have."""


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


def dump_operation(operation: Operation) -> bytes:
    """Return the text of an operation's record."""
    return as_json(operation_record(operation))


def operation_record(operation: Operation) -> dict[str, Any]:
    value: dict[str, Any] = {
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
    for name in ("texts", "clarifications", "lines", "files"):
        if changes := getattr(operation.plan, name):
            value[name] = list(map(asdict, changes))
    if operation.plan.layout:
        value["layout"] = list(map(str, operation.plan.layout))
    return value


def _change_record(change: Change) -> dict[str, Any]:
    """Return a change as it is kept, without what is None, since there are tens of thousands."""
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


def load_operation(value: dict[str, Any], identifier: str) -> Operation:
    """Return the operation of a record, which anybody may have written.

    Raises `InvalidObservation`, and what reading values of another shape raises: `ValueError`,
    `KeyError`, `TypeError`, `AttributeError`.
    """
    changes = tuple(
        Change(
            location=Location(item[_LOCATION]),
            issue=check_issue(item["issue"]),
            id=str(item["id"]),
            before=item.get("before"),
            after=item.get("after"),
            place=place if is_count(place := item.get("place")) else None,
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
        lines=tuple(map(_line_change, value.get("lines", ()))),
        files=tuple(map(_file_change, value.get("files", ()))),
    )
    return Operation(
        identifier,
        plan,
        parse_time(value["timestamp"]),
        str(value.get("undoneBy", "")),
        str(value.get("undoes", "")),
        {str(name): str(date) for name, date in mapping(value.get("dates")).items()},
    )


def _inside(part: str) -> str:
    """Return a part's name as it may be in the journal, which anybody may have written.

    Raises `InvalidObservation` for one that leads out of the memory; the backend, when it moves
    it, for one that is no part.
    """
    if part.startswith("/") or ".." in part.split("/"):
        raise InvalidObservation(f"{part!r} is not part of a memory.", "")
    return part


def _text_change(item: dict[str, Any]) -> TextChange:
    before, after = _sides(item, "a text")
    return TextChange(TextKind(item["kind"]), str(item["name"]), before, after)


def _clarification_change(item: dict[str, Any]) -> ClarificationChange:
    before, after = _sides(item, "a clarification")
    return ClarificationChange(check_issue(item["issue"]), str(item["id"]), before, after)


def _line_change(item: dict[str, Any]) -> LineChange:
    text = str(item["text"])
    if "\n" in text:
        raise InvalidObservation("a line in the journal is several", "")
    path, memory = _inside(str(item["path"])), str(item["memory"])
    return LineChange(path, text, memory, item["is_added"] is True)


def _file_change(item: dict[str, Any]) -> FileChange:
    before, after = (
        None if item[side] is None else str(item[side]) for side in ("before", "after")
    )
    return FileChange(
        str(item["name"]),
        before,
        after,
        str(item["above"]),
        str(item["below"]),
        integer(item["line"]),
        str(item["approved_in"]),
    )


def _sides(item: dict[str, Any], what: str) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return the two sides of a change in the journal, each a record or nothing."""
    before, after = item.get("before"), item.get("after")
    if not all(side is None or isinstance(side, dict) for side in (before, after)):
        raise InvalidObservation(f"{what} in the journal is not a record", "")
    return before, after
