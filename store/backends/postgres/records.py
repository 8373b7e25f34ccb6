"""The records of issues in a database: read whole or in part, written where they changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from store.backends.issue_records import ListedRecords, Lookup
from store.backends.postgres.rows import COLUMNS, READ, TYPES, Row, plain, record_of, row_of
from store.backends.record_list import RecordList
from store.raw_record import RawRecord, compact_json
from store.records import record_id

if TYPE_CHECKING:
    from store.backends.postgres.transaction import Connection, Rows

_AT_ONCE = 1_000
"""Rows that one statement writes, and of a large issue are taken over together."""
_STEP = 1.0
_FARTHEST = 2.0**53
_ROWS = (
    f"select issue, location, place, number, {READ}, metadata::text, record from memtui.memories "
)
_READ = f"{_ROWS} where project = %s and issue = any(%s)"
_READ_IDS = f"{_ROWS} where project = %s and issue = %s and memory_id = any(%s)"
_READ_SOUGHT = f"""{_ROWS} where number in (
    select number from memtui.memories where project = %(project)s and memory_id = any(
        array(select json_array_elements_text(%(ids)s::json)))
    union select number from json_array_elements_text(%(contents)s::json) as lookup, lateral (
        select number from memtui.memories
            where content = lookup and project = %(project)s and issue = %(issue)s offset 0
        ) as found
    union select number from memtui.memories
        where memory_id is null and project = %(project)s and issue = %(issue)s)
union all select null, null, ends, {", ".join(["null"] * (1 + COLUMNS))}, null, null
    from memtui.issues where project = %(project)s and issue = %(issue)s"""
"""With the few whose id no column holds, and ids that stand in other issues; a row of no issue says
where this one ends. `offset` has each content looked up by itself. Lists come as JSON, which takes
the driver a tenth of the time.
"""
_PLACE, _ORDER, _ID = itemgetter(2), itemgetter(2, 3), itemgetter(4)
"""Of a row that was read: its place and its order in its location, and its memory's id."""
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


@dataclass(slots=True)
class StoredRecords(ListedRecords):
    """The records of an issue, with the rows that they were read from, by the records' `id()`.

    `ends` is the place of its last one, where only some were read, to be added to.
    """

    rows: dict[int, Row] = field(default_factory=dict)
    ends: float | None = None

    def order_of(self, record: RawRecord, at: int) -> int:
        """The record's place, where those before it were not read."""
        if self.only is None:
            return at
        return int(min(max(0.0, self.rows[id(record)].place), _FARTHEST))


def ask_for_issues(connection: Connection, project: int, issues: Sequence[int]) -> Rows:
    """Ask for the rows of some issues: in a transaction they come while other things are asked."""
    return connection.execute(_READ, (project, list(issues)), prepare=True)


def ask_for_ids(connection: Connection, project: int, issue: int, ids: Collection[str]) -> Rows:
    """Ask for the rows of an issue that have one of some ids."""
    return connection.execute(_READ_IDS, (project, issue, list(ids)), prepare=True)


def ask_for_lookup(
    connection: Connection, project: int, issue: int, lookup: Lookup
) -> StoredRecords:
    """The records of an issue that a lookup asks for, to be added to."""
    values = {
        "project": project,
        "issue": issue,
        "ids": compact_json(list(map(plain, lookup.ids))).decode(),
        "contents": compact_json(list(map(plain, lookup.contents))).decode(),
    }
    with connection.execute(_READ_SOUGHT, values, prepare=True) as rows:
        found = rows.fetchall()
    records = _records_of(issue, [row for row in found if row[0] == issue])
    records.elsewhere = {_ID(row): row[0] for row in found if row[0] not in (issue, None)}
    records.ends = next((_PLACE(row) for row in found if row[0] is None), 0.0)
    return records


def read_issues(rows: Rows, issues: Sequence[int]) -> list[StoredRecords]:
    """What the rows that were asked for hold, issue by issue in the order given.

    Sorted here: the server would sort the rows of a large issue on its disk.
    """
    found: dict[int, list[tuple[Any, ...]]] = {issue: [] for issue in issues}
    with rows:
        for row in rows.fetchall():
            found[row[0]].append(row)
    return [_records_of(issue, found.pop(issue)) for issue in issues]


def read_alone(connection: Connection, project: int, issue: int) -> StoredRecords:
    """The records of an issue that may be large.

    Its rows are taken over some at a time where no transaction leaves answers for later: the driver
    would hold all of them as they came, beside what is made of them.
    """
    from psycopg import capabilities

    if connection.pgconn.pipeline_status or not capabilities.has_stream_chunked():
        return read_issues(ask_for_issues(connection, project, [issue]), [issue])[0]
    with connection.cursor() as rows:
        found = list(rows.stream(_READ, (project, [issue]), size=_AT_ONCE))
    return _records_of(issue, found)


def _records_of(issue: int, found: list[tuple[Any, ...]]) -> StoredRecords:
    found.sort(key=_ORDER, reverse=True)
    lists: defaultdict[str, list[RawRecord]] = defaultdict(list)
    rows: dict[int, Row] = {}
    while found:
        row = found.pop()  # let go of one by one, as a record takes its place
        record = record_of(row[4:-2], row[-2], row[-1])
        rows[id(record)] = Row(row[3], row[2])
        lists[row[1]].append(record)
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
        for record, place in _placed(records, part.records, gone):
            row = records.rows.get(id(record))
            if row is not None:
                moved += [{"number": row.number, "place": place}] * (row.place != place)
                continue
            columns = {**row_of(record, records.issue), "location": name, "place": place}
            before = gone.get(record_id(record.value))
            if before:
                changed.append({"number": before.pop(0).number, **columns})
            else:
                added.append(columns)
    numbers = [row.number for left in gone.values() for row in left]
    if numbers:
        connection.execute("delete from memtui.memories where number = any(%s)", (numbers,))
    for some in _some(changed):
        connection.execute(_CHANGE, (compact_json(some).decode(),))
    for some in _some(moved):
        connection.execute(_MOVE, (compact_json(some).decode(),))
    for some in _some(added):
        connection.execute(_ADD, (project, records.issue, compact_json(some).decode()))


def _gone(records: StoredRecords) -> dict[str | None, list[Row]]:
    """The rows whose records stand no more as they were read, by their ids."""
    kept = {id(record) for part in records.parts.values() for record in part.records}
    gone: defaultdict[str | None, list[Row]] = defaultdict(list)
    for part in records.parts.values():
        for record in part.before if part.is_changed else ():
            if id(record) not in kept:
                gone[record_id(record.value)].append(records.rows[id(record)])
    return gone


def _placed(
    issue: StoredRecords, records: Sequence[RawRecord], gone: Mapping[str | None, Sequence[Row]]
) -> Iterator[tuple[RawRecord, float]]:
    """Each record of a list with its place."""
    if issue.ends is None:
        yield from _placed_anew(records, issue.rows)
        return
    for record in records:
        row = issue.rows.get(id(record)) or next(iter(gone.get(record_id(record.value), ())), None)
        if row is None:
            issue.ends += _STEP
        yield record, issue.ends if row is None else row.place


def _placed_anew(
    records: Sequence[RawRecord], rows: Mapping[int, Row]
) -> Iterator[tuple[RawRecord, float]]:
    """Each record with its place: what stood keeps its own, as long as there is room between."""
    places = [rows[id(record)].place if id(record) in rows else None for record in records]
    known = [place for place in places if place is not None]
    if known != sorted(set(known)):
        places = [None] * len(records)
    filled = _filled(places)
    if any(left >= right for left, right in pairwise(filled)):
        filled = _filled([None] * len(records))
    return zip(records, filled, strict=True)


def _filled(places: Sequence[float | None]) -> list[float]:
    """Places with those that are missing put between their neighbours, or after the last."""
    filled: list[float] = []
    at = 0
    while at < len(places):
        place = places[at]
        if place is not None:
            filled.append(place)
            at += 1
            continue
        end = next((it for it in range(at, len(places)) if places[it] is not None), len(places))
        following = places[end] if end < len(places) else None
        missing = end - at
        if following is None:
            begin, step = (filled[-1] if filled else 0.0), _STEP
        else:
            begin = filled[-1] if filled else following - _STEP * (missing + 1)
            step = (following - begin) / (missing + 1)
        filled += [begin + step * (number + 1) for number in range(missing)]
        at = end
    return filled


def _some(rows: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    for at in range(0, len(rows), _AT_ONCE):
        yield rows[at : at + _AT_ONCE]
