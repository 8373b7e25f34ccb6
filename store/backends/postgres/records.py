"""The records of issues in a database: read whole or in part, written where they changed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from store.backends.issue_records import ListedRecords, Lookup, RecordList
from store.backends.postgres.connections import Connection
from store.backends.postgres.rows import TYPES, plain, record_of, row_of
from store.records import RawRecord, compact_json, record_id

_AT_ONCE = 1_000
"""Rows that one statement writes."""
_COLUMNS = """select issue, location, place, number, memory_id, record,
    case when record is null then to_jsonb(memories)::text end from memtui.memories as memories"""
_READ = f"{_COLUMNS} where project = %s and issue = any(%s)"
_LOOK_UP = f"""{_COLUMNS} where number in (
    select number from memtui.memories where project = %(project)s and memory_id = any(
        array(select json_array_elements_text(%(ids)s::json)))
    union select number from json_array_elements_text(%(contents)s::json) as lookup, lateral (
        select number from memtui.memories
            where content = lookup and project = %(project)s and issue = %(issue)s offset 0
        ) as found
    union select number from memtui.memories
        where memory_id is null and project = %(project)s and issue = %(issue)s)"""
"""Also the few whose id no column holds, and ids of other issues. `offset` has each content
looked up by itself.
"""
_ENDS = """select greatest(least(ends, 1e15), -1e15) from memtui.issues
    where project = %s and issue = %s"""
"""Other programs may write a place that is no number; next to the greatest there is no room."""
_NAMES = ", ".join(f'"{name}"' for name in TYPES)
_GIVEN = ", ".join(f'"{name}" {kind}' for name, kind in TYPES.items())
_ADD = (
    f"insert into memtui.memories (project, issue, {_NAMES}) "
    f"select %s, %s, {_NAMES} from json_to_recordset(%s::json) as given({_GIVEN})"
)
_SET = ", ".join(f'"{name}" = given."{name}"' for name in TYPES)
_CHANGE = (
    f"update memtui.memories as held set {_SET} "
    f"from json_to_recordset(%s::json) as given(number bigint, {_GIVEN}) "
    "where held.number = given.number"
)
_MOVE = """
    update memtui.memories as held set place = given.place
    from json_to_recordset(%s::json) as given(number bigint, place double precision)
    where held.number = given.number and held.place <> given.place
"""


class Row(NamedTuple):
    number: int
    location: str
    place: float


class Found(NamedTuple):
    """A row as it was read; `columns` are its JSON where no text is kept of its record."""

    issue: int
    location: str
    place: float
    number: int
    id: str | None
    text: bytes | None
    columns: str | None


@dataclass(slots=True)
class StoredRecords(ListedRecords):
    """The records of an issue, with the rows that they were read from, by the records' `id()`.

    `ends` is the place of its last one, where only some were read, to be added to.
    """

    rows: dict[int, Row] = field(default_factory=dict)
    ends: float | None = None


def read_issues(connection: Connection, project: int, issues: Sequence[int]) -> list[StoredRecords]:
    found: dict[int, list[Found]] = {issue: [] for issue in issues}
    for values in connection.execute(_READ, (project, list(issues))):
        row = Found(*values)
        found[row.issue].append(row)
    return [records_of(issue, found.pop(issue)) for issue in issues]


def look_up(connection: Connection, project: int, issue: int, lookup: Lookup) -> StoredRecords:
    """Return the records of an issue that a lookup asks for, to be added to."""
    values = {
        "project": project,
        "issue": issue,
        "ids": compact_json(list(map(plain, lookup.ids))).decode(),
        "contents": compact_json(list(map(plain, lookup.contents))).decode(),
    }
    answer = connection.execute(_LOOK_UP, values)
    ends = connection.execute(_ENDS, (project, issue))
    found = [Found(*row) for row in answer]
    records = records_of(issue, [row for row in found if row.issue == issue])
    records.elsewhere = {row.id: row.issue for row in found if row.id and row.issue != issue}
    (records.ends,) = ends.fetchone() or (0.0,)
    return records


def records_of(issue: int, found: list[Found]) -> StoredRecords:
    """Return the records of an issue's rows, in the order of their places."""
    lists: defaultdict[str, list[RawRecord]] = defaultdict(list)
    rows: dict[int, Row] = {}
    for row in sorted(found, key=lambda row: (row.place, row.number)):
        record = record_of(row.text, row.columns)
        rows[id(record)] = Row(row.number, row.location, row.place)
        lists[row.location].append(record)
    parts = {name: RecordList(lists[name]).as_read() for name in sorted(lists, reverse=True)}
    return StoredRecords(issue, parts, rows=rows)


def write_issue(connection: Connection, project: int, records: StoredRecords) -> None:
    """Write what differs of an issue's records from what was read."""
    gone = _gone(records)
    added: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    moved: list[dict[str, Any]] = []
    for name, part in records.parts.items():
        if not part.is_changed:
            continue
        # A record with the id of one that is gone is that one, changed: it takes over its row.
        rows = [records.rows.get(id(record)) for record in part.records]
        taken = [
            before.pop(0) if row is None and (before := gone.get(record_id(record.value))) else row
            for record, row in zip(part.records, rows, strict=True)
        ]
        known = [
            row.place if row and row.location == name and math.isfinite(row.place) else None
            for row in taken
        ]
        places = _places(known, records.ends)
        for record, row, held, place in zip(part.records, rows, taken, places, strict=True):
            if row is not None:
                moved += [{"number": row.number, "place": place}] * (row.place != place)
                continue
            columns = {**row_of(record, records.issue), "location": name, "place": place}
            if held is None:
                added.append(columns)
            else:
                changed.append({"number": held.number, **columns})
    numbers = [row.number for left in gone.values() for row in left]
    if numbers:
        connection.execute("delete from memtui.memories where number = any(%s)", (numbers,))
    for rows_json in _in_batches(changed):
        connection.execute(_CHANGE, (rows_json,))
    for rows_json in _in_batches(moved):
        connection.execute(_MOVE, (rows_json,))
    for rows_json in _in_batches(added):
        connection.execute(_ADD, (project, records.issue, rows_json))


def _gone(records: StoredRecords) -> dict[str | None, list[Row]]:
    kept = {id(record) for part in records.parts.values() for record in part.records}
    gone: defaultdict[str | None, list[Row]] = defaultdict(list)
    for part in records.parts.values():
        for record in part.before if part.is_changed else ():
            if id(record) not in kept:
                gone[record_id(record.value)].append(records.rows[id(record)])
    return gone


def _places(places: Sequence[float | None], ends: float | None) -> list[float]:
    """Return a place for each record: those that have one keep it, the others go between them.

    After `ends`, where not all records are here. All get new ones where no room is left.
    """
    following: list[float | None] = [None]
    for place in reversed(places):
        following.append(following[-1] if place is None else place)
    filled: list[float] = []
    last = ends
    for place, after in zip(places, following[-2::-1], strict=True):
        if place is None:
            if ends is not None or after is None:
                place = (last or 0.0) + 1.0
            else:
                place = after - 1.0 if last is None else (last + after) / 2
        filled.append(place)
        last = place if ends is None else max(place, last or 0.0)
    if ends is None and any(left >= right for left, right in pairwise(filled)):
        return [float(place) for place in range(1, len(places) + 1)]
    return filled


def _in_batches(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for at in range(0, len(rows), _AT_ONCE):
        yield compact_json(rows[at : at + _AT_ONCE]).decode()
