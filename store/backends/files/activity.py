"""The activity log: one JSON line for each thing that happened, and what it says of recalls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.backends.files.layout import ACTIVITY
from store.bounds import load_json
from store.disk import append_line, read_bytes
from store.errors import Unreadable

RECALLED = "recalled"


@dataclass(frozen=True, slots=True)
class Recalls:
    """How often and when last the log says an observation was recalled."""

    count: int
    last: str


def append_activity(folder: Path, entry: Mapping[str, Any]) -> None:
    """Append one entry (`type` and `timestamp` first). Raises `ReadOnly`, `WriteFailed`."""
    line = json.dumps(dict(entry), ensure_ascii=True, separators=(",", ":"))
    append_line(folder / ACTIVITY, line.encode("ascii"), folder)


def read_activity(folder: Path, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The entries from a byte offset on, and the offset to go on from.

    Lines that are no JSON object are passed over; a last line without its end is left for later.
    An offset past the end (the log was replaced) starts again from the beginning.
    """
    path = folder / ACTIVITY
    try:
        if path.stat().st_size < offset:
            offset = 0
        data = read_bytes(path, folder, offset)
    except (OSError, Unreadable):
        return [], 0
    end = data.rfind(b"\n") + 1
    return list(_entries(data[:end])), offset + end


def _entries(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.splitlines():
        try:
            entry = load_json(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


class RecallLog:
    """The recalls the log tells of, read on from where it was left. Not thread-safe by itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offset = 0
        self._times: dict[str, list[str]] = {}

    def read_on(self) -> None:
        """Read what was appended since."""
        entries, offset = read_activity(self._folder, self._offset)
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
        """The recalls that a record as it stands in a file does not count yet."""
        if not self._times or not isinstance(record, dict):
            return None
        identifier, last = record.get("id"), record.get("lastRecalled")
        if not isinstance(identifier, str):
            return None
        return self.since(identifier, last if isinstance(last, str) else "")

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
