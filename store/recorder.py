"""Recording what happened: one line in the activity log, and an event for whoever listens.

Recording never fails the work it records (SPEC-29 §9.5): what can't be written is told as a
problem, and memory goes on. Kinds of events are imported when something happens: a memory that is
only read starts without them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from store.backends.log_summary import RECALLED
from store.backends.protocol import Backend, TextKind
from store.errors import NotFound, StoreError, Unreadable
from store.event_bus import EventBus
from store.model import Observation
from store.records import format_time

if TYPE_CHECKING:
    from store.activity import ActivityEntry
    from store.capture.plan import CapturePlan
    from store.operations.apply import Applied
    from store.operations.batch import StoreReport
    from store.operations.plan import Plan

_DONE = {"undo": "undone", "redo": "redone", "archive": "archived", "restore": "restored"}
"""What an operation of a kind is called in the log; others by their kind."""
_IDS = 50
"""How many ids a line of the log names; the journal has them all."""
_LABELS = ("agent", "sessionId")
"""What of a line was named from outside, and may be anything."""
_SEARCHES = 1_000
"""How many searches are kept in mind."""


class Keeping(NamedTuple):
    """How long, and up to how many bytes, texts of injections and the activity log are kept."""

    texts_for: timedelta = timedelta(days=90)
    texts_bytes: int = 50_000_000
    log_for: timedelta = timedelta(days=365)
    log_bytes: int = 100_000_000


class Recorder:
    """Writes the activity log of one store and tells the events."""

    def __init__(
        self,
        backend: Backend,
        events: EventBus,
        clock: Callable[[], datetime],
        keeping: Keeping | None = None,
    ) -> None:
        self._backend = backend
        self._keeping = keeping or Keeping()
        self._events = events
        self._clock = clock
        self._searches: deque[tuple[datetime, float, str]] = deque(maxlen=_SEARCHES)

    def stored(
        self, observations: Sequence[Observation], started: datetime, operation: str = ""
    ) -> None:
        """Observations became durable by an operation; the work began at `started`."""
        from store.events import MemoryStored

        took = self._took(started)
        for (agent, issue), group in _by_agent_and_issue(observations).items():
            ids = tuple(item.id for item in group)
            tokens = sum(item.tokens for item in group)
            self._log(
                "stored",
                {
                    "agent": agent,
                    "issueNumber": issue,
                    "count": len(group),
                    "totalTokens": tokens,
                    "observationIds": list(ids),
                    "tookMs": took,
                    **({"operation": operation} if operation else {}),
                },
            )
            self._events.emit(
                MemoryStored(
                    agent=agent,
                    issue_number=issue,
                    count=len(group),
                    total_tokens=tokens,
                    observation_ids=ids,
                    timestamp=self._clock(),
                )
            )

    def captured(self, plan: CapturePlan, report: StoreReport, started: datetime) -> None:
        """A session was looked at, and left some observations; none is worth a line too."""
        ids = [item.id for item in report.stored]
        self._log(
            "captured",
            {
                "agent": plan.agent,
                "issueNumber": plan.issue,
                "sessionId": plan.session_id,
                "count": len(ids),
                "observationIds": ids[:_IDS],
                "skipped": len(plan.skipped),
                "seenAgain": len(plan.seen_again),
                **({"operation": report.operation_id} if report.operation_id else {}),
                "tookMs": self._took(started),
            },
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
        from store.events import MemoryRecalled

        name = ""
        try:
            name = self._keep(text)
        except StoreError as error:
            self.problem("recall-not-kept", error.message)
        self._log(
            RECALLED,
            {
                "agent": agent,
                "issueNumber": issue,
                "count": len(ids),
                "totalTokens": tokens,
                "observationIds": list(ids),
                "text": name,
                "tookMs": self._took(started),
                **details,
            },
        )
        self._events.emit(
            MemoryRecalled(
                agent=agent,
                issue_number=issue,
                count=len(ids),
                total_tokens=tokens,
                observation_ids=tuple(ids),
                timestamp=self._clock(),
            )
        )

    def searched(self, started: datetime, error: str = "") -> None:
        """A search was answered, or failed with an error.

        This is kept in mind only, for this run: looking writes no file.
        """
        self._searches.append((self._clock(), self._took(started), error))

    def searches(self) -> list[ActivityEntry]:
        """The last searches of this run, newest first."""
        from store.activity import FAILED, SEARCH, SEARCHED, ActivityEntry

        return [
            ActivityEntry(FAILED, at, problem=SEARCH, message=error, took=took)
            if error
            else ActivityEntry(SEARCHED, at, took=took)
            for at, took, error in reversed(self._searches)
        ]

    def taken_in(self, sessions: int) -> None:
        """Sessions were read, and their digests kept."""
        self._log("taken-in", {"count": sessions})

    def changed(self, kind: str, plan: Plan, applied: Applied) -> None:
        """An operation was carried out, or (kind `undo`) taken back."""
        from store.action import action_record
        from store.events import MemoryChanged

        ids = tuple(dict.fromkeys(change.id for change in plan.changes))
        self._log(
            _DONE.get(kind, kind),
            {
                "action": action_record(applied.action),
                "operation": applied.operation_id,
                "count": applied.changed,
                "observationIds": list(ids[:_IDS]),
            },
        )
        self._events.emit(
            MemoryChanged(
                kind=kind,
                operation_id=applied.operation_id,
                observation_ids=ids,
                timestamp=self._clock(),
            )
        )

    def failed(self, kind: str, message: str, session_id: str = "") -> None:
        """Something was to be done, for a session it may be, and could not; the log keeps it."""
        message = _clean(message)
        session = {"sessionId": session_id} if session_id else {}
        self._log("failed", {"kind": kind, "message": message, **session})
        self._tell(kind, message)

    def problem(self, kind: str, message: str = "", took: float | None = None) -> None:
        """Tell of a problem that memory went on from, and keep it in the log where that works.

        `message` is what the error said; `took` is in milliseconds.
        """
        from store.activity import WARNING

        message = _clean(message)
        line = {"type": WARNING, "timestamp": format_time(self._clock()), "kind": kind}
        said = {"message": message} if message else {}
        took = None if took is None else round(took, 1)  # once: what is told is what is logged
        lasted = {} if took is None else {"tookMs": took}
        with suppress(StoreError):
            self._append({**line, **said, **lasted})
        self._tell(kind, message, took)

    def _tell(self, kind: str, message: str, took: float | None = None) -> None:
        from store.events import MemoryProblem

        self._events.emit(
            MemoryProblem(kind=kind, message=message, timestamp=self._clock(), took=took)
        )

    def text_of(self, name: str) -> str:
        """The exact text of an injection, by the hash the log gives. Raises `NotFound`."""
        try:
            data = self._backend.kept(TextKind.RECALLS, name)
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
            self._backend.kept(TextKind.RECALLS, name)
        except (NotFound, Unreadable):
            self._backend.keep(TextKind.RECALLS, name, data, durable=False)
            keep = self._keeping
            self._backend.expire(
                TextKind.RECALLS, self._clock(), keep.texts_for, keep.texts_bytes, name
            )
        return name

    def _took(self, started: datetime) -> float:
        """Milliseconds since `started`."""
        return round((self._clock() - started) / timedelta(milliseconds=1), 1)

    def _log(self, kind: str, entry: Mapping[str, Any]) -> None:
        from store.redaction.labels import clean_label

        line = {"type": kind, "timestamp": format_time(self._clock()), **entry}
        line |= {key: clean_label(str(line[key])) for key in _LABELS if line.get(key)}
        try:
            self._append(line)
        except StoreError as error:
            self._tell("log-not-written", error.message)

    def _append(self, line: Mapping[str, Any]) -> None:
        """Append a line; where the log has grown, what has expired of it goes, and it says so."""
        if not self._backend.append_activity(line):
            return
        from store.activity import SHORTENED

        now, keep = self._clock(), self._keeping
        try:
            shortened = self._backend.settle_activity(now, keep.log_for, keep.log_bytes)
        except StoreError as error:
            self._tell("log-not-shortened", error.message)
            return
        if shortened is not None:
            said = {"type": SHORTENED, "timestamp": format_time(now), "count": shortened.entries}
            self._backend.append_activity(said)


def _clean(message: str) -> str:
    """A sentence about what went wrong, which may quote a path, without secrets."""
    from store.redaction.sanitizer import sanitize

    return sanitize(message).text


def _by_agent_and_issue(
    observations: Iterable[Observation],
) -> dict[tuple[str, int], list[Observation]]:
    groups: dict[tuple[str, int], list[Observation]] = {}
    for item in observations:
        groups.setdefault((item.agent, item.issue_number), []).append(item)
    return groups
