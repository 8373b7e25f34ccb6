"""What is kept in rows comes back byte for byte; other programs see and change the rows."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backends import open_backend
from store.backends.postgres.backend import PostgresBackend
from store.backends.postgres.records import Found, StoredRecords, records_of, write_issue
from store.backends.postgres.rows import plain, record_of, row_of
from store.backends.text_kinds import TextKind
from store.errors import NotFound
from store.model import Location
from store.records import RawRecord, new_record
from tests.postgres import project_of
from tests.store.factories import NOW, record

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
_NAMES = ["note", "b", "aa", "timestamp", "tags", "relevanceScore", "issueNumber", "pinned"]
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def _keep(backend: PostgresBackend, records: list[RawRecord]) -> None:
    with backend.changing(29) as held:
        held.parts[held.part_for_new(Location.ISSUE)].records[:] = records


def _texts(backend: PostgresBackend) -> list[bytes]:
    parts = backend.read(29).parts
    return [it.text for it in parts["issue"].records] if parts else []


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=4), _VALUES, max_size=4),
        min_size=1,
        max_size=20,
    )
)
def test_any_record_comes_back_as_it_was(
    backend: PostgresBackend, other: PostgresBackend, keys: list[dict[str, Any]]
) -> None:
    records = [new_record(record(str(number), **more)) for number, more in enumerate(keys)]
    _keep(backend, records)
    assert _texts(other) == [it.text for it in records]


def test_a_text_laid_out_by_hand_comes_back_as_it_was(
    backend: PostgresBackend, other: PostgresBackend
) -> None:
    texts = [b'{"id":"a","x":1e3,"x":2}', b"[1, 2]", b'"a word"', b"{}", b"null"]
    deep = b"[" * 900 + b"]" * 900
    _keep(backend, [RawRecord(it, json.loads(it)) for it in [*texts, deep]])
    assert _texts(other) == [*texts, deep]


def test_what_another_program_writes_is_a_change_and_is_read(
    backend: PostgresBackend, other: PostgresBackend, postgres: str
) -> None:
    odd = RawRecord(b'{"id": "odd", "content": "Then"}', {"id": "odd", "content": "Then"})
    _keep(backend, [odd])
    known = other.changes_since({}).stamps
    with psycopg.connect(postgres) as connection:
        connection.execute("update memtui.memories set content = 'Now' where memory_id = 'odd'")
        assert other.changes_since(known).issues == frozenset()
        connection.commit()
        assert other.changes_since(known).issues == {29}
        assert other.read(29).find(Location.ISSUE, "odd") == {"id": "odd", "content": "Now"}
        connection.execute("delete from memtui.memories where memory_id = 'odd'")
    assert other.read(29).parts == {}
    assert other.size() == 0


def test_places_last_however_often_one_goes_between(backend: PostgresBackend) -> None:
    for name in ("a", "b"):
        with backend.changing(29) as held:
            held.put(Location.ISSUE, record(name))
    for number in range(60):
        with backend.changing(29) as held:
            held.put(Location.ISSUE, record(f"x{number}"), 1)
    ids = [it.id for it in backend.read(29).observations()]
    assert ids == ["a", *(f"x{number}" for number in reversed(range(60))), "b"]


@pytest.mark.parametrize("follows", [False, True])
def test_a_server_that_follows_another_is_not_written(
    postgres: str, url: str, opened: Callable[[str], PostgresBackend], follows: bool
) -> None:
    """Its own word for that is put in the place of the server's."""
    schema = f"said_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"create schema {schema}")
        connection.execute(
            f"create function {schema}.pg_is_in_recovery() returns boolean "
            f"language sql as 'select {follows}'"
        )
    backend = opened(f"{url}&options=-csearch_path%3D{schema},pg_catalog")
    assert backend.is_writable() is not follows


LONG = timedelta(days=30)


def _left(backend: PostgresBackend) -> list[str]:
    return sorted(backend.texts.names(TextKind.RECALLS))


def test_a_project_sees_and_forgets_its_own_texts_alone(
    backend: PostgresBackend, postgres: str
) -> None:
    other = open_backend(project_of(postgres), lambda: NOW)
    for each in (backend, other):
        each.texts.keep(TextKind.RECALLS, "a", each.identity.encode())
    assert backend.texts.read(TextKind.RECALLS, "a") == backend.identity.encode()
    backend.texts.expire(TextKind.RECALLS, NOW, LONG, 0, "")
    assert _left(backend) == []
    with pytest.raises(NotFound):
        backend.texts.read(TextKind.RECALLS, "a")
    backend.texts.keep(TextKind.RECALLS, "a", b"")
    other.texts.remove(TextKind.RECALLS, "a")
    assert _left(backend) == ["a"]
    other.release()


# Records as rows: their columns, and which rows a change adds, changes, moves and removes.

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
