"""The activity log as a listener: one line for each event, and what has expired of it removed.

Writing never fails the work that it records (SPEC-29 §9.5): what can't be written is told as a
problem, and memory goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from store.action import action_record
from store.activity.log import SHORTENED, WARNING
from store.backends.log_summary import RECALLED
from store.backends.protocol import Backend
from store.errors import StoreError
from store.events import (
    ClarificationEvent,
    MemoryChanged,
    MemoryProblem,
    MemoryRecalled,
    MemoryStored,
    SessionCaptured,
    SessionsTakenIn,
)
from store.events.bus import EventBus
from store.records import format_time
from store.redaction.labels import clean_label

_DONE = {"undo": "undone", "redo": "redone", "archive": "archived", "restore": "restored"}
"""What an operation of a kind is called in the log; others by their kind."""
_CLARIFICATIONS = {
    "clarification-requested": "asked",
    "clarification-answered": "answered",
    "clarification-stale": "asked-again",
    "clarification-resolved": "resolved",
    "clarification-escalated": "escalated",
}
"""What the events of clarifications are called in the log."""
_IDS = 50
"""How many ids a line of the log names; the journal has them all."""
_LABELS = ("agent", "sessionId")
"""What of a line was named from outside, and may be anything."""
_UNWRITTEN, _LONG = "log-not-written", "log-not-shortened"
"""The kinds of problems that are the log's own, and can't stand in it."""


class ActivityWriter:
    """Writes the activity log of one store, kept so long, and up to so many bytes."""

    def __init__(
        self, backend: Backend, events: EventBus, keep_for: timedelta, keep_bytes: int
    ) -> None:
        self._backend = backend
        self._events = events
        self._keep_for = keep_for
        self._keep_bytes = keep_bytes
        # By their names: a memory that is only read starts without the kinds of events.
        events.subscribe("memory-stored", self._stored)
        events.subscribe("memory-recalled", self._recalled)
        events.subscribe("memory-changed", self._changed)
        events.subscribe("memory-problem", self._problem)
        events.subscribe("session-captured", self._captured)
        events.subscribe("sessions-taken-in", self._taken_in)
        for name, kind in _CLARIFICATIONS.items():
            events.subscribe(name, partial(self._clarification, kind))

    def _stored(self, event: MemoryStored) -> None:
        line = {
            **_counted(event),
            "tookMs": event.took,
            **({"operation": event.operation_id} if event.operation_id else {}),
        }
        self._write("stored", event.timestamp, line)

    def _recalled(self, event: MemoryRecalled) -> None:
        line = {
            **_counted(event),
            "text": event.text,
            "tookMs": event.took,
            **event.details,
        }
        self._write(RECALLED, event.timestamp, line)

    def _captured(self, event: SessionCaptured) -> None:
        line = {
            "agent": event.agent,
            "issueNumber": event.issue_number,
            "sessionId": event.session_id,
            "count": len(event.observation_ids),
            "observationIds": list(event.observation_ids[:_IDS]),
            "skipped": event.skipped,
            "seenAgain": event.seen_again,
            **({"operation": event.operation_id} if event.operation_id else {}),
            "tookMs": event.took,
        }
        self._write("captured", event.timestamp, line)

    def _taken_in(self, event: SessionsTakenIn) -> None:
        self._write("taken-in", event.timestamp, {"count": event.count})

    def _clarification(self, kind: str, event: ClarificationEvent) -> None:
        line = {
            "agent": event.asked if kind == "answered" else event.asker,
            "issueNumber": event.issue_number,
            "clarification": event.id,
            "message": event.topic,
            "operation": event.operation_id,
        }
        self._write(kind, event.timestamp, line)

    def _changed(self, event: MemoryChanged) -> None:
        line = {
            "action": action_record(event.action) if event.action else {},
            "operation": event.operation_id,
            "count": event.count,
            "observationIds": list(event.observation_ids[:_IDS]),
        }
        self._write(_DONE.get(event.kind, event.kind), event.timestamp, line)

    def _problem(self, event: MemoryProblem) -> None:
        if event.kind in (_UNWRITTEN, _LONG):
            return
        line: dict[str, Any] = {"kind": event.kind}
        line |= {"message": event.message} if event.message else {}
        line |= {"tookMs": round(event.took, 1)} if event.took is not None else {}
        if event.is_failure:
            line |= {"sessionId": event.session_id} if event.session_id else {}
            self._write("failed", event.timestamp, line)
            return
        with suppress(StoreError):
            self._append(
                {"type": WARNING, "timestamp": format_time(event.timestamp), **line},
                event.timestamp,
            )

    def _write(self, kind: str, now: datetime, entry: Mapping[str, Any]) -> None:
        line = {"type": kind, "timestamp": format_time(now), **entry}
        line |= {key: clean_label(str(line[key])) for key in _LABELS if line.get(key)}
        try:
            self._append(line, now)
        except StoreError as error:
            self._tell(_UNWRITTEN, error.message, now)

    def _append(self, line: Mapping[str, Any], now: datetime) -> None:
        """Append a line; where the log has grown, what has expired of it goes, and it says so."""
        if not self._backend.append_activity(line):
            return
        try:
            shortened = self._backend.settle_activity(now, self._keep_for, self._keep_bytes)
        except StoreError as error:
            self._tell(_LONG, error.message, now)
            return
        if shortened is not None:
            said = {"type": SHORTENED, "timestamp": format_time(now), "count": shortened.entries}
            self._backend.append_activity(said)

    def _tell(self, kind: str, message: str, now: datetime) -> None:
        self._events.emit(MemoryProblem(kind=kind, message=message, timestamp=now))


def _counted(event: MemoryStored | MemoryRecalled) -> dict[str, Any]:
    return {
        "agent": event.agent,
        "issueNumber": event.issue_number,
        "count": event.count,
        "totalTokens": event.total_tokens,
        "observationIds": list(event.observation_ids),
    }
