"""What happened to memory: an event for whoever listens, the activity log first of all.

A failure to record never fails the work that is recorded (SPEC-29 §9.5).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from typing import Any

from store import events
from store.action import Action, action_record
from store.activity.log import FAILED, SEARCH, SEARCHED, SHORTENED, WARNING, ActivityEntry
from store.backends.log_summary import RECALLED
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, StoreError, Unreadable
from store.events import (
    ClarificationEvent,
    EventBus,
    MemoryChanged,
    MemoryProblem,
    MemoryRecalled,
    MemoryStored,
    SessionCaptured,
    SessionsTakenIn,
)
from store.model import Observation
from store.records import format_time
from store.redaction.labels import clean_label
from store.redaction.sanitizer import cleaned_text

_SEARCHES = 1_000
"""How many searches are kept in mind."""


class Recorder:
    """Emits the events of one store, and keeps the texts of its injections for so long, and up to
    so many bytes.
    """

    def __init__(
        self,
        backend: Backend,
        bus: EventBus,
        clock: Callable[[], datetime],
        texts_for: timedelta,
        texts_bytes: int,
    ) -> None:
        self._backend = backend
        self._bus = bus
        self._clock = clock
        self._texts_for = texts_for
        self._texts_bytes = texts_bytes
        self._searches: deque[tuple[datetime, float, str]] = deque(maxlen=_SEARCHES)

    def stored(
        self, observations: Sequence[Observation], started: datetime, operation: str = ""
    ) -> None:
        """Observations became durable by an operation; the work began at `started`."""
        took = self.took(started)
        for (agent, issue), group in _by_agent_and_issue(observations).items():
            ids = tuple(item.id for item in group)
            tokens = sum(item.tokens for item in group)
            self._bus.emit(
                events.MemoryStored(
                    agent=agent,
                    issue_number=issue,
                    count=len(group),
                    total_tokens=tokens,
                    observation_ids=ids,
                    timestamp=self._clock(),
                    took=took,
                    operation_id=operation,
                )
            )

    def recalled(
        self,
        text: str,
        ids: Sequence[str],
        *,
        agent: str,
        issue: int,
        tokens: int,
        started: datetime,
        details: Mapping[str, Any],
    ) -> None:
        """A text was put in front of a session. It is kept once, by its hash."""
        name = ""
        try:
            name = self._keep(text) if text else ""
        except StoreError as error:
            self.problem("recall-not-kept", error.message)
        self._bus.emit(
            events.MemoryRecalled(
                agent=agent,
                issue_number=issue,
                count=len(ids),
                total_tokens=tokens,
                observation_ids=tuple(ids),
                timestamp=self._clock(),
                took=self.took(started),
                text=name,
                details=details,
            )
        )

    def searched(self, started: datetime, error: str = "") -> None:
        """A search was answered, or failed with an error.

        This is kept in mind only, for this run: looking writes no file.
        """
        self._searches.append((self._clock(), self.took(started), error))

    def searches(self) -> list[ActivityEntry]:
        """Return the last searches of this run, newest first."""
        return [
            ActivityEntry(FAILED, at, problem=SEARCH, message=error, took=took)
            if error
            else ActivityEntry(SEARCHED, at, took=took)
            for at, took, error in reversed(self._searches)
        ]

    def sessions_indexed(self, sessions: int) -> None:
        self._bus.emit(events.SessionsTakenIn(count=sessions, timestamp=self._clock()))

    def changed(
        self, kind: str, ids: tuple[str, ...], operation: str, action: Action, count: int
    ) -> None:
        """An operation was carried out on observations, or (kind `undo`) taken back."""
        self._bus.emit(
            events.MemoryChanged(
                kind=kind,
                operation_id=operation,
                observation_ids=ids,
                timestamp=self._clock(),
                action=action,
                count=count,
            )
        )

    def failed(self, kind: str, message: str, session_id: str = "") -> None:
        """Something was to be done, for a session it may be, and could not."""
        self._bus.emit(
            events.MemoryProblem(
                kind=kind,
                message=_clean(message),
                timestamp=self._clock(),
                is_failure=True,
                session_id=session_id,
            )
        )

    def problem(self, kind: str, message: str = "", took: float | None = None) -> None:
        """Report a problem that memory went on from.

        `message` is that of the error; `took` is in milliseconds.
        """
        self._bus.emit(
            events.MemoryProblem(
                kind=kind, message=_clean(message), timestamp=self._clock(), took=took
            )
        )

    def text_of(self, name: str) -> str:
        """Return the exact text of an injection, by the hash the log gives. Raises `NotFound`."""
        try:
            data = self._backend.texts.read(TextKind.RECALLS, name)
        except (NotFound, Unreadable) as error:
            raise NotFound(
                f"The injected text {name!r} has expired.",
                "Texts are kept for `recall_texts_days`.",
            ) from error
        return data.decode("utf-8", "surrogatepass")

    def _keep(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        name = blake2b(data, digest_size=10).hexdigest()
        try:
            self._backend.texts.read(TextKind.RECALLS, name)
        except (NotFound, Unreadable):
            self._backend.texts.keep(TextKind.RECALLS, name, data, durable=False)
            self._backend.texts.expire(
                TextKind.RECALLS, self._clock(), self._texts_for, self._texts_bytes, name
            )
        return name

    def took(self, started: datetime) -> float:
        return round((self._clock() - started) / timedelta(milliseconds=1), 1)


def _clean(message: str) -> str:
    """Return a sentence about what went wrong, which may quote a path, without secrets."""
    return cleaned_text(message)


def _by_agent_and_issue(
    observations: Iterable[Observation],
) -> dict[tuple[str, int], list[Observation]]:
    groups: dict[tuple[str, int], list[Observation]] = {}
    for item in observations:
        groups.setdefault((item.agent, item.issue_number), []).append(item)
    return groups


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
        """Append a line; where the log has grown, remove what has expired, and count that."""
        if not self._backend.log.append(line):
            return
        try:
            shortened = self._backend.log.settle(now, self._keep_for, self._keep_bytes)
        except StoreError as error:
            self._tell(_LONG, error.message, now)
            return
        if shortened:
            said = {"type": SHORTENED, "timestamp": format_time(now), "count": shortened}
            self._backend.log.append(said)

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
