"""The activity log as it is written: each event a line, and the log kept within its limits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from store.action import action_record
from store.activity.kinds import CAPTURED, FAILED, SHORTENED, STORED, WARNING
from store.backends.log_summary import RECALLED
from store.backends.protocol import Backend
from store.errors import StoreError
from store.events import (
    ClarificationEvent,
    ContextCompacted,
    Event,
    EventBus,
    MemoryChanged,
    MemoryProblem,
    MemoryRecalled,
    MemoryStored,
    SessionCaptured,
    SessionsTakenIn,
)
from store.records import format_time
from store.redaction.labels import clean_label

_CLARIFICATIONS = {
    "clarification-requested": "asked",
    "clarification-answered": "answered",
    "clarification-stale": "asked-again",
    "clarification-resolved": "resolved",
    "clarification-escalated": "escalated",
}
"""The events of clarifications, by the kinds of their lines."""
_WRITTEN = (
    *("memory-stored", "memory-recalled", "memory-changed", "memory-problem"),
    *("session-captured", "sessions-taken-in", *_CLARIFICATIONS),
)
"""The events that have a line."""
_DONE = {"undo": "undone", "redo": "redone", "archive": "archived", "restore": "restored"}
"""The kinds of operations' lines where they are not those of the operations."""
_IDS = 50
"""How many ids a line of the log names; the journal has them all."""
_LABELS = ("agent", "sessionId")
"""Fields that were named from outside, and may be anything."""
_UNWRITTEN, _LONG = "log-not-written", "log-not-shortened"
"""The kinds of problems that are the log's own, and can't be written to it."""


class ActivityWriter:
    """Writes the activity log of one store, kept so long, and up to so many bytes."""

    def __init__(
        self, backend: Backend, events: EventBus, keep_for: timedelta, keep_bytes: int
    ) -> None:
        self._backend = backend
        self._events = events
        self._keep_for = keep_for
        self._keep_bytes = keep_bytes
        for name in _WRITTEN:
            events.subscribe(name, self._write)

    def _write(self, event: Event) -> None:
        now = event.timestamp
        if isinstance(event, MemoryProblem):
            if event.kind in (_UNWRITTEN, _LONG):
                return
            if not event.is_failure:
                with suppress(StoreError):  # one problem is reported, not two
                    self._append(line_of(event), now)
                return
        try:
            self._append(line_of(event), now)
        except StoreError as error:
            self._report(_UNWRITTEN, error.message, now)

    def _append(self, line: Mapping[str, Any], now: datetime) -> None:
        """Append a line; where the log has grown, remove what has expired, and count that."""
        if not self._backend.log.append(line):
            return
        try:
            shortened = self._backend.log.settle(now, self._keep_for, self._keep_bytes)
        except StoreError as error:
            self._report(_LONG, error.message, now)
            return
        if shortened:
            entry = {"type": SHORTENED, "timestamp": format_time(now), "count": shortened}
            self._backend.log.append(entry)

    def _report(self, kind: str, message: str, now: datetime) -> None:
        self._events.emit(MemoryProblem(kind=kind, message=message, timestamp=now))


def line_of(event: Event) -> dict[str, Any]:
    """Return the line of an event: its kind, its time, and what the log keeps of it."""
    kind, fields = _fields(event)
    line = {"type": kind, "timestamp": format_time(event.timestamp), **fields}
    return line | {key: clean_label(str(line[key])) for key in _LABELS if line.get(key)}


def _fields(event: Event) -> tuple[str, dict[str, Any]]:
    match event:
        case MemoryStored():
            return STORED, {**_counted(event), **_given(operation=event.operation_id)}
        case MemoryRecalled():
            return RECALLED, {**_counted(event), "text": event.text, **event.details}
        case SessionCaptured():
            return CAPTURED, {
                "agent": event.agent,
                "issueNumber": event.issue_number,
                "sessionId": event.session_id,
                "count": len(event.observation_ids),
                "observationIds": list(event.observation_ids[:_IDS]),
                "skipped": event.skipped,
                "seenAgain": event.seen_again,
                **_given(keptBack=event.kept_back or ""),
                "tookMs": event.took,
                **_given(operation=event.operation_id, waiting=event.waiting or None),
            }
        case SessionsTakenIn():
            return "taken-in", {"count": event.count}
        case MemoryChanged():
            return _DONE.get(event.kind, event.kind), {
                "action": action_record(event.action) if event.action else {},
                "operation": event.operation_id,
                "count": event.count,
                "observationIds": list(event.observation_ids[:_IDS]),
            }
        case MemoryProblem():
            took = None if event.took is None else round(event.took, 1)
            fields = {"kind": event.kind, **_given(message=event.message, tookMs=took)}
            if event.is_failure:
                return FAILED, {**fields, **_given(sessionId=event.session_id)}
            return WARNING, fields
        case ClarificationEvent():
            kind = _CLARIFICATIONS[event.name]
            return kind, {
                "agent": event.asked if kind == "answered" else event.asker,
                "issueNumber": event.issue_number,
                "clarification": event.id,
                "message": event.topic,
                "operation": event.operation_id,
            }
        case ContextCompacted():
            raise AssertionError("what comes of it is captured, and that has a line")


def _counted(event: MemoryStored | MemoryRecalled) -> dict[str, Any]:
    return {
        "agent": event.agent,
        "issueNumber": event.issue_number,
        "count": event.count,
        "totalTokens": event.total_tokens,
        "observationIds": list(event.observation_ids),
        "tookMs": event.took,
    }


def _given(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value not in ("", None)}
