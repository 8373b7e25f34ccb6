"""The activity log as entries, and the recalls that it tells of, counted into records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from store.backends.issue_records import See
from store.backends.record_list import RecordList
from store.bounds import load_json
from store.errors import Unreadable
from store.raw_record import new_record

RECALLED = "recalled"

ReadLines = Callable[[int], tuple[list[bytes], int]]
"""Reads the lines of the log from a position on: `Backend.activity_lines`."""


@dataclass(frozen=True, slots=True)
class Recalls:
    """How often and when last the log says an observation was recalled."""

    count: int
    last: str


def read_activity(lines_from: ReadLines, start: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The entries from a position on, and the position to go on from; none of an unreadable log.

    Lines that are no JSON object are passed over.
    """
    try:
        lines, end = lines_from(start)
    except Unreadable:
        return [], 0
    return list(_entries(lines)), end


def _entries(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            entry = load_json(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


class RecallLog:
    """The recalls the log tells of, read on from where it was left. Not thread-safe by itself."""

    def __init__(self, lines_from: ReadLines) -> None:
        self._lines_from = lines_from
        self._offset = 0
        self._times: dict[str, list[str]] = {}

    def read_on(self) -> None:
        """Read what was appended since."""
        entries, offset = read_activity(self._lines_from, self._offset)
        if offset < self._offset:
            self._times.clear()
        self._offset = offset
        for identifier, times in recall_times(entries).items():
            self._times.setdefault(identifier, []).extend(times)

    def since(self, identifier: str, last_recalled: str) -> Recalls | None:
        """The recalls of an observation after the last one its record already counts."""
        times = [time for time in self._times.get(identifier, ()) if time > last_recalled]
        return Recalls(len(times), max(times)) if times else None

    def uncounted(self, record: object) -> Recalls | None:
        """The recalls that a record as it stands does not count yet."""
        if not self._times or not isinstance(record, dict):
            return None
        identifier, last = record.get("id"), record.get("lastRecalled")
        if not isinstance(identifier, str):
            return None
        return self.since(identifier, last if isinstance(last, str) else "")

    def noting(self, see: See, recalled: set[str]) -> See:
        """As `see`, which also notes the parts with records that don't count a recall yet."""

        def look(part: str, values: list[Any]) -> None:
            see(part, values)
            if self._times and any(map(self.uncounted, values)):
                recalled.add(part)

        return look

    def fold(self, part: RecordList) -> None:
        """Count the log's recalls into the records of a part that is written anyway."""
        for at, record in enumerate(part.records):
            if self.uncounted(record.value) is not None:
                counted = folded(record.exact(), self)
                if counted is not None:
                    part.records[at] = new_record(counted)

    def times(self) -> Mapping[str, list[str]]:
        """Every recall the log tells of, by id: ISO timestamps in UTC, as they were appended."""
        return self._times


def _ids(entry: Mapping[str, Any]) -> Iterable[str]:
    value = entry.get("observationIds")
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def recall_times(entries: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """When some entries of the log say that observations were recalled, by id."""
    times: dict[str, list[str]] = {}
    for entry in entries:
        if entry.get("type") == RECALLED:
            for identifier in _ids(entry):
                times.setdefault(identifier, []).append(str(entry.get("timestamp", "")))
    return times


def folded(record: dict[str, Any], log: RecallLog) -> dict[str, Any] | None:
    """The record with the log's recalls counted in; `None` where there is nothing to add."""
    recalls = log.uncounted(record)
    if recalls is None:
        return None
    count = record.get("recallCount")
    known = count if isinstance(count, int) and not isinstance(count, bool) else 0
    return {**record, "recallCount": known + recalls.count, "lastRecalled": recalls.last}
