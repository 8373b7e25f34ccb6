"""What happened to memory: an event for whoever listens, the activity log first of all.

A failure to record never fails the work that is recorded (SPEC-29 §9.5).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from store import events
from store.action import Action
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound, StoreError, Unreadable
from store.events import EventBus
from store.model import Observation
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
        self.searches: deque[tuple[datetime, float, str]] = deque(maxlen=_SEARCHES)
        """When each of the last searches was, its milliseconds and its error."""

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
        self.searches.append((self._clock(), self.took(started), error))

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
                message=cleaned_text(message),
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
                kind=kind, message=cleaned_text(message), timestamp=self._clock(), took=took
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


def _by_agent_and_issue(
    observations: Iterable[Observation],
) -> dict[tuple[str, int], list[Observation]]:
    groups: dict[tuple[str, int], list[Observation]] = {}
    for item in observations:
        groups.setdefault((item.agent, item.issue_number), []).append(item)
    return groups
