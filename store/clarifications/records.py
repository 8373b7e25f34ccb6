"""Clarifications as records of a ledger, in AgentX's camelCase, and the way back.

Fields that are not understood are kept: only what changed is written, and threads only grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from store.clarifications.model import Clarification, Entry
from store.platform.bounds import excess_of
from store.platform.json_fields import is_integer
from store.records import format_time, parse_time

MAX_ENTRIES = 1_000
"""Entries of one thread that are read; the rules allow some twenty."""
_FIELDS = {
    "id": "id",
    "issueNumber": "issue",
    "from": "asker",
    "to": "asked",
    "topic": "topic",
    "blocking": "blocking",
    "status": "status",
    "round": "round",
    "maxRounds": "max_rounds",
    "created": "created",
    "staleAfter": "stale_after",
    "resolvedAt": "resolved_at",
    "gaveWayTo": "gave_way_to",
}


def clarification_of(record: object, issue: int) -> Clarification:
    """Return the clarification that a record of the ledger of `issue` holds.

    Strict in what makes one (id, from, to, status, created), lenient in the rest. Raises
    `ValueError` with the field that is wrong.
    """
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    if excess := excess_of(record):
        raise ValueError(excess)
    created = _time(record, "created")
    number = _count(record.get("round"), 1)
    return Clarification(
        id=_text(record, "id"),
        issue=issue,
        asker=_text(record, "from"),
        asked=_text(record, "to"),
        topic=str(record.get("topic") or ""),
        blocking=record.get("blocking") is True,
        status=_text(record, "status"),
        round=number,
        max_rounds=_count(record.get("maxRounds"), number),
        created=created,
        stale_after=_time_or(record, "staleAfter", created),
        resolved_at=_time(record, "resolvedAt") if record.get("resolvedAt") else None,
        thread=tuple(_thread(record.get("thread"), created)),
        gave_way_to=str(record.get("gaveWayTo") or ""),
        record=record,
    )


def clarification_record(clarification: Clarification) -> dict[str, Any]:
    """Return the record of a clarification: what its ledger held, with what changed since."""
    before = (
        clarification_of(clarification.record, clarification.issue)
        if clarification.record
        else None
    )
    record = dict(clarification.record)
    for key, name in _FIELDS.items():
        value = getattr(clarification, name)
        is_said = value != "" or name != "gave_way_to"
        if (is_said and before is None) or (before is not None and getattr(before, name) != value):
            record[key] = format_time(value) if isinstance(value, datetime) else value
    known = len(before.thread) if before is not None else 0
    kept = record.get("thread")
    new = [_entry_record(entry) for entry in clarification.thread[known:]]
    record["thread"] = [*(kept if isinstance(kept, list) else ()), *new]
    return record


def _entry_record(entry: Entry) -> dict[str, Any]:
    return {
        "round": entry.round,
        "from": entry.by,
        "type": str(entry.type),
        "body": entry.body,
        "timestamp": format_time(entry.timestamp),
    }


def _thread(value: object, created: datetime) -> list[Entry]:
    """Return the entries that can be read; the others stay in the record."""
    listed = value if isinstance(value, list) else []
    return [
        Entry(
            round=_count(record.get("round"), 1),
            by=str(record.get("from") or ""),
            type=str(record.get("type") or ""),
            body=record["body"],
            timestamp=_time_or(record, "timestamp", created),
        )
        for record in listed[:MAX_ENTRIES]
        if isinstance(record, dict) and isinstance(record.get("body"), str)
    ]


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"its `{key}` is missing or not a string")
    return value


def _time(record: Mapping[str, Any], key: str) -> datetime:
    try:
        return parse_time(record[key])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"its `{key}` is missing or not a date") from None


def _time_or(record: Mapping[str, Any], key: str, default: datetime) -> datetime:
    try:
        return _time(record, key)
    except ValueError:
        return default


def _count(value: object, default: int) -> int:
    return value if is_integer(value) and 1 <= value < 1_000 else default
