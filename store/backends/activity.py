"""The activity log as entries, and its recalls, counted into records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from store.backends.issue_records import RecordList
from store.backends.log_summary import (
    COUNTED,
    RECALLED,
    LogSummary,
    Recalls,
    entries_of,
    recalled_ids,
)
from store.backends.protocol import Log
from store.errors import StoreError, Unreadable
from store.model import Observation
from store.platform.json_fields import integer
from store.records import new_record, time_field, time_or_none

_FAR = 4_000_000
"""Bytes of the log beyond its summary from which it is brought up before it is asked."""
_NEAR = 8_000_000
"""Bytes of the log that are looked through for what was injected into a session: 10 ms."""


def read_activity(log: Log, start: int = 0) -> tuple[list[dict[str, Any]], int]:
    """Return the entries from a position on, and the position to go on from; none of an unreadable
    log.

    Lines that are no JSON object are passed over.
    """
    try:
        lines, end = log.lines(start)
    except Unreadable:
        return [], 0
    return list(entries_of(lines)), end


def session_entries(log: Log, session_id: str) -> list[dict[str, Any]]:
    """Return the entries that name a session, those that the summary covers as one; none of an
    unreadable log. However long the log is, only its last few megabytes are looked through.
    """
    earlier = session_entries(log.earlier, session_id) if log.earlier else []
    try:
        summary, end = log.summary(), log.stamp().end
        start = summary.until if summary.until <= end else 0
        lines, _ = log.lines(max(start, end - _NEAR))
    except Unreadable:
        return earlier
    name = json.dumps(session_id).encode("ascii")
    summarised = summary.session(session_id)
    found = entries_of(line for line in lines if name in line)
    return [*earlier, *([summarised] if summarised is not None else ()), *found]


def newest_lines(log: Log) -> Iterator[bytes]:
    """Yield the entries, newest first, those of the log before it last. Raises `Unreadable`."""
    yield from log.backwards()
    if log.earlier is not None:
        yield from log.earlier.backwards()


def recall_entries(log: Log, session_id: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the entries of recalls, newest first, of one session where it is named.

    None more where the log can't be read.
    """
    name = b'"%s"' % RECALLED.encode() if session_id is None else json.dumps(session_id).encode()
    try:
        for entry in entries_of(line for line in newest_lines(log) if name in line):
            its_own = session_id in (None, entry.get("sessionId"))
            if entry.get("type") == RECALLED and its_own:
                yield entry
    except Unreadable:
        return


class RecallLog:
    """The recalls of a log, read on from where it was left, and of the one before it.

    Not thread-safe by itself.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._earlier: RecallLog | None = None
        self._summary = LogSummary()
        self._times: dict[str, list[str]] = {}
        self.end = 0
        """The position that the log was read to."""

    def read_on(self, *, complete: bool = False) -> None:
        """Read what was appended since; where that is a lot, only if it is to be `complete`.

        Else nothing is known: what counts no recalls now counts them another time.
        """
        if self._log.earlier is not None:
            self._earlier = self._earlier or RecallLog(self._log.earlier)
            self._earlier.read_on(complete=complete)
        try:
            stamp, summary = self._log.stamp(), self._summary
            end = stamp.end
            if stamp.covered is None or stamp.covered != summary.until:
                summary = self._log.summary()
            if end < self.end:
                self._take(LogSummary())
            if summary.until > end or end - max(summary.until, self.end) > _FAR:
                if not complete:
                    self._take(LogSummary())
                    return
                summary = self._log.summary(complete=True)
            # Of a log that is gone the summary covers nothing, and still has what it held.
            if summary.until > self._summary.until or (summary.text and not self._summary.text):
                self._take(summary)
            if end == self.end:
                return
            lines, self.end = self._log.lines(self.end)
        except Unreadable:
            self._take(LogSummary())
            return
        for identifier, times in recall_times(entries_of(lines)).items():
            self._times.setdefault(identifier, []).extend(times)

    def _take(self, summary: LogSummary) -> None:
        self._times.clear()
        self._summary, self.end = summary, summary.until

    def since(self, identifier: str, last_recalled: str) -> Recalls | None:
        """Return the recalls of an observation after the last one its record already counts."""
        steps = [step for step in self._summary.recalls(identifier) if step.last > last_recalled]
        times = [time for time in self._times.get(identifier, ()) if time > last_recalled]
        earlier = self._earlier and self._earlier.since(identifier, last_recalled)
        steps += [earlier] if earlier else []
        number = sum(step.count for step in steps) + len(times)
        return Recalls(number, max(*(step.last for step in steps), *times, "")) if number else None

    def uncounted(self, record: object) -> Recalls | None:
        """Return the recalls that a record does not count yet."""
        if not isinstance(record, dict):
            return None
        identifier, last = record.get("id"), record.get("lastRecalled")
        # Asked of every record that is read: nearly all were not recalled of late.
        if not isinstance(identifier, str) or not self._may_have(identifier):
            return None
        return self.since(identifier, last if isinstance(last, str) else "")

    def _may_have(self, identifier: str) -> bool:
        if identifier in self._times or self._summary.text:
            return True
        return self._earlier is not None and self._earlier._may_have(identifier)

    def fold(self, parts: Iterable[RecordList]) -> dict[str, str]:
        """Count the log's recalls into the records of parts that are written anyway.

        The ids of those records, each with the time of the last recall that it counts now.
        """
        counts = {}
        for part in parts:
            for at in part.counted_places():
                record = part.records[at]
                if self.uncounted(record.value) is not None:
                    counted = folded(record.exact(), self)
                    if counted is not None:
                        part.records[at] = new_record(counted)
                        counts[str(counted["id"])] = str(counted["lastRecalled"])
        return counts


def note_counted(log: Log, counted: Mapping[str, str], now: str) -> None:
    """Note up to when records count their recalls, for the log's summary.

    Where that fails the records are kept, and count rightly as long as the log does.
    """
    if counted:
        with suppress(StoreError):
            log.append({"type": COUNTED, "timestamp": now, "counted": counted})


def recall_times(entries: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the times at which observations were recalled, by id, from entries of the log."""
    times: dict[str, list[str]] = {}
    for entry in entries:
        if entry.get("type") == RECALLED:
            for identifier, calls in recalled_ids(entry):
                times.setdefault(identifier, []).extend([str(entry.get("timestamp", ""))] * calls)
    return times


def folded(record: dict[str, Any], log: RecallLog) -> dict[str, Any] | None:
    """Return the record with the log's recalls counted in; `None` where there is nothing to add."""
    recalls = log.uncounted(record)
    if recalls is None:
        return None
    known = integer(record.get("recallCount"))
    return {**record, "recallCount": known + recalls.count, "lastRecalled": recalls.last}


def counted(observation: Observation, log: RecallLog) -> Observation:
    recalls = log.since(observation.id, time_field(observation.last_recalled) or "")
    if recalls is None:
        return observation
    return observation._replace(
        recall_count=observation.recall_count + recalls.count,
        last_recalled=time_or_none(recalls.last) or observation.last_recalled,
    )
