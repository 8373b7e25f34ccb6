"""Records as rows: their columns, and which rows a change adds, changes, moves and removes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from store.backends.postgres.records import Found, StoredRecords, records_of, write_issue
from store.backends.postgres.rows import plain, record_of, row_of
from store.model import Location
from store.records import RawRecord, new_record
from tests.store.factories import record

ISSUE, ARCHIVE = Location.ISSUE, Location.ARCHIVE
Change = Callable[[StoredRecords], object]


class _Connection:
    """Takes statements, and keeps what they would do: rows by what becomes of them."""

    def __init__(self) -> None:
        self.done: dict[str, list[Any]] = {}

    def execute(self, statement: str, values: tuple[Any, ...]) -> None:
        how = "removed" if statement.startswith("delete") else None
        if how is None:
            how = "added" if "insert" in statement else "changed" if "content" in statement else ""
        *_, last = values
        rows = last if how == "removed" else json.loads(last)
        self.done.setdefault(how or "moved", []).extend(map(_short, rows))


def _short(row: Any) -> Any:  # noqa: ANN401
    if isinstance(row, int):
        return row
    told = (row.get(name) for name in ("number", "memory_id", "location", "place"))
    return tuple(it for it in told if it is not None)


def _read(*, ends: float | None = None) -> StoredRecords:
    """An issue as its rows were read: four, two of them of one id, and one in the archive."""
    held = (
        (10, "issue", 1.0, "a"), (11, "issue", 2.0, "same"), (12, "issue", 3.0, "same"),
        (13, "issue", 4.0, "d"), (14, "archive", 1.0, "z"))  # fmt: skip
    rows: list[Found] = []
    for number, location, place, name in held:
        text = new_record(record(name, content=f"Of {number}")).text
        rows.append(Found(29, location, place, number, name, text, None))
    records = records_of(29, rows[::-1])
    records.ends = ends
    return records


def _written(change: Change, *, ends: float | None = None) -> dict[str, list[Any]]:
    connection, records = _Connection(), _read(ends=ends)
    change(records)
    records.finish()
    write_issue(connection, 1, records)  # type: ignore[arg-type]
    return connection.done


def _set(records: StoredRecords, *ats: int, **keys: object) -> None:
    part = records.parts[ISSUE]
    for at in ats:
        part.records[at] = new_record({**part.records[at].value, **keys})


def _add(records: StoredRecords, names: str) -> None:
    for name in names:
        records.append(ISSUE, record(name))


def _exchange(records: StoredRecords) -> None:
    records.drop(ISSUE, "d")
    records.put(ISSUE, record("e"))


def _turn(records: StoredRecords) -> None:
    records.parts[ISSUE].records.reverse()


def _archive(records: StoredRecords) -> None:
    value = records.find(ISSUE, "a")
    assert value is not None
    records.drop(ISSUE, "a")
    records.put(ARCHIVE, value)


CHANGES: dict[str, tuple[Change, dict[str, list[Any]]]] = {
    "nothing": (lambda it: None, {}),
    "one": (lambda it: _set(it, 0, pinned=True), {"changed": [(10, "a", "issue", 1.0)]}),
    "both of one id": (
        lambda it: _set(it, 1, 2, pinned=True),
        {"changed": [(11, "same", "issue", 2.0), (12, "same", "issue", 3.0)]},
    ),
    "the second of one id": (
        lambda it: _set(it, 2, pinned=True),
        {"changed": [(12, "same", "issue", 3.0)]},
    ),
    "its id": (lambda it: _set(it, 3, id="e"), {"removed": [13], "added": [("e", "issue", 4.0)]}),
    "one less": (lambda it: it.drop(ISSUE, "d"), {"removed": [13]}),
    "one more": (lambda it: it.put(ISSUE, record("e")), {"added": [("e", "issue", 5.0)]}),
    "two more": (lambda it: _add(it, "ef"), {"added": [("e", "issue", 5.0), ("f", "issue", 6.0)]}),
    "one before all": (lambda it: it.put(ISSUE, record("e"), 0), {"added": [("e", "issue", 0.0)]}),
    "one between": (lambda it: it.put(ISSUE, record("e"), 1), {"added": [("e", "issue", 1.5)]}),
    "one archived": (_archive, {"changed": [(10, "a", "archive", 2.0)]}),
    "one less and one more": (_exchange, {"removed": [13], "added": [("e", "issue", 4.0)]}),
    "all turned": (_turn, {"moved": [(13, 1.0), (12, 2.0), (11, 3.0), (10, 4.0)]}),
    "in the archive alone": (
        lambda it: it.put(ARCHIVE, record("z", pinned=True)),
        {"changed": [(14, "z", "archive", 1.0)]},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_change_writes(name: str) -> None:
    change, done = CHANGES[name]
    assert _written(change) == done


TIME = "2026-02-27T10:00:00.000Z"


def _row(value: dict[str, Any], issue: int = 29) -> dict[str, Any]:
    return row_of(new_record(value), issue)


def test_a_plain_record_is_its_text_and_its_columns() -> None:
    value = new_record(record())
    row = _row(record())
    assert bytes.fromhex(row.pop("record")[2:]) == value.text
    assert row == {
        "memory_id": "keep-1",
        "agent_id": "engineer",
        "category": "decision",
        "content": "Chose plain files for the record",
        "summary": "Chose plain files for the record",
        "tokens": 8,
        "timestamp": TIME,
        "session_id": "s1",
        "memory_type": "semantic",
    }


@pytest.mark.parametrize("text", [b"7", b'{"id":"a"}', b'{"id": "a", "id": "b"}', b"[1]"])
def test_the_text_of_a_record_is_kept(text: bytes) -> None:
    held = RawRecord(text, json.loads(text))
    row = row_of(held, 29)
    assert row["record"] == "\\x" + text.hex()
    assert record_of(text, None) == held


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("a\0\ud800ü", "a\ufffd?ü"),
        ({"a\0": ["b\0", {"c": float("inf")}]}, {"a\ufffd": ["b\ufffd", {"c": None}]}),
        (float("nan"), None),
        (0.5, 0.5),
        (None, None),
        (True, True),
    ],
)
def test_what_a_database_cannot_hold_is_replaced_wherever_it_stands(
    value: object, kept: object
) -> None:
    assert plain(value) == kept
