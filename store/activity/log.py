"""The activity log as values: what happened to memory, newest first, and how capture is doing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from store.action import Action, action_of
from store.activity.kinds import CAPTURED, FAILED
from store.backends.activity import newest_lines
from store.backends.log_summary import SILENT, entries_of
from store.backends.protocol import Backend, LogStamp
from store.model import NONE_INJECTED, InjectedCounts
from store.platform.json_fields import integer, is_integer, is_number, string, strings
from store.records import time_or_none

CAPTURE_FAILURES = frozenset(
    {
        "capture-failed",
        "hook pre-compact",
        "hook post-compact",
        "hook stop",
        "hook subagent-stop",
        "hook session-end",
    }
)
"""The kinds of failures in which capture is what failed."""
_LONG = 1e12
"""More milliseconds than anything takes."""
_NO_LOG = LogStamp()
_KNOWN = frozenset(
    {
        "type",
        "timestamp",
        "agent",
        "issueNumber",
        "sessionId",
        "count",
        "totalTokens",
        "observationIds",
        "title",
        "action",
        "operation",
        "text",
        "kind",
        "message",
        "tookMs",
        "messages",
        "sessions",
    }
)


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """One line of the activity log; what it lacks is empty, 0 or None.

    `count` is of observations, `tokens` their sum or that of an injected text, `ids` those of the
    observations (not all, where there are many), `operation` the id of an operation that can be
    taken back, `text` the name of an injected text, `problem` the kind of a failure, `took` in
    milliseconds, `injected` what an injected text holds. `more` has the line's other fields.
    """

    kind: str
    time: datetime | None
    agent: str = ""
    issue: int | None = None
    session: str = ""
    count: int = 0
    tokens: int = 0
    ids: tuple[str, ...] = ()
    action: Action | None = None
    operation: str = ""
    text: str = ""
    problem: str = ""
    message: str = ""
    took: float | None = None
    injected: InjectedCounts = NONE_INJECTED
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaptureHealth:
    """When capture last worked, since when it fails if it does, and with what newest error."""

    last: datetime | None = None
    failing_since: datetime | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class ActivityLog:
    """The newest entries, newest first, out of `total`, and how capture is doing.

    `stamp` is that of the log it was read from.
    """

    entries: tuple[ActivityEntry, ...] = ()
    total: int = 0
    capture: CaptureHealth = CaptureHealth()
    stamp: LogStamp = _NO_LOG


def read_log(backend: Backend, limit: int, known: ActivityLog | None = None) -> ActivityLog:
    """Return the newest `limit` entries of a memory. No log is an empty one; raises `Unreadable`.

    Where the log is still the one that `known` was read from, that is the answer. A line that is
    no JSON object is passed over.
    """
    stamp = backend.log.stamp()
    if known is not None and known.stamp == stamp:
        return known
    newest = (line for line in newest_lines(backend.log) if not line.startswith(SILENT))
    entries = tuple(map(activity_entry, islice(entries_of(newest), limit)))
    lines = newest_lines(backend.log)
    telling = (line for line in lines if b'"captured"' in line or b'"failed"' in line)
    health = capture_health(map(activity_entry, entries_of(telling)))
    total = sum(log.count() for log in (backend.log, backend.log.earlier) if log is not None)
    return ActivityLog(entries, total, health, stamp)


def injected_counts(entry: Mapping[str, Any]) -> InjectedCounts:
    """Count memories, messages and sessions of an injected text by its line in the log."""
    total, messages, sessions = (
        integer(entry.get(key)) for key in ("count", "messages", "sessions")
    )
    return InjectedCounts(max(0, total - messages - sessions), messages, sessions)


def activity_entry(entry: Mapping[str, Any]) -> ActivityEntry:
    """Return a line of the log as a value; a field of another type than ours counts as missing."""

    def text(key: str) -> str:
        return string(entry.get(key))

    def number(key: str) -> int | None:
        value = entry.get(key)
        return value if is_integer(value) else None

    took = entry.get("tookMs")
    return ActivityEntry(
        kind=text("type"),
        time=time_or_none(entry.get("timestamp")),
        agent=text("agent"),
        issue=number("issueNumber"),
        session=text("sessionId"),
        count=number("count") or 0,
        tokens=number("totalTokens") or 0,
        ids=strings(entry.get("observationIds")),
        action=_action(entry),
        operation=text("operation"),
        text=text("text"),
        problem=text("kind"),
        message=text("message"),
        took=float(took) if is_number(took) and 0 <= took < _LONG else None,
        injected=injected_counts(entry) if text("text") else NONE_INJECTED,
        more={key: value for key, value in entry.items() if key not in _KNOWN},
    )


def _action(entry: Mapping[str, Any]) -> Action | None:
    """Read an operation's action; a line of an earlier version has a sentence instead."""
    action, title = entry.get("action"), entry.get("title")
    if isinstance(action, dict):
        return action_of(action)
    return Action("", title=title) if isinstance(title, str) and title else None


def capture_health(newest_first: Iterable[ActivityEntry]) -> CaptureHealth:
    """Count the failures of capture since it last worked."""
    since, message = None, ""
    for item in newest_first:
        if item.kind == CAPTURED:
            return CaptureHealth(item.time, since, message)
        if item.kind == FAILED and item.problem in CAPTURE_FAILURES:
            since = item.time
            message = message or item.message
    return CaptureHealth(None, since, message)
