"""Records and the log as rows of tables, also where others wrote odd ones."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import open_memory
from store.backends import open_backend
from store.backends.postgres import log as module
from store.backends.postgres.backend import PostgresBackend
from store.backends.postgres.records import Found, StoredRecords, records_of, write_issue
from store.backends.text_kinds import TextKind
from store.doctor.findings import FindingKind
from store.errors import NotFound
from store.model import Location
from store.records import RawRecord, new_record
from tests.postgres import database, project_of
from tests.store.factories import NOW, observation, record

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


# Rows that another program wrote oddly: passed over and named, and no longer taken.


DEEP = "[" * 2_000 + "]" * 2_000
_CONSTRAINTS = {
    "memories": ("issue_is_count", "record_is_json", "metadata_is_object"),
    "issues": ("issue_is_count",),
}
_ODD = {
    "an issue below 0": ("-1", "null", "null"),
    "a record that is no JSON": ("29", "'{\"id\": '::bytea", "null"),
    "a deep record": ("29", f"'{DEEP}'::bytea", "null"),
    "deep metadata": ("29", "null", f"'{{\"a\": {DEEP}}}'::jsonb"),
}


def _insert(connection: Any, issue: str, record: str, metadata: str) -> None:  # noqa: ANN401
    connection.execute(
        "insert into memtui.memories (project, issue, memory_id, content, record, metadata) "
        f"select project, {issue}, 'odd', 'Odd.', {record}, {metadata} from memtui.projects"
    )


@pytest.fixture
def own(postgres: str) -> Iterator[str]:
    """A database of its own: its tables are changed."""
    with database(postgres) as made:
        yield made


def test_odd_rows_fail_nothing(own: str, tmp_path: Path) -> None:
    with open_memory(own, cache=tmp_path / "cache") as memory:
        memory.store([observation("Chose files", id="obs-1")])
        with psycopg.connect(own, autocommit=True) as connection:
            for table, names in _CONSTRAINTS.items():
                for name in names:
                    connection.execute(f"alter table memtui.{table} drop constraint {name}")
            for odd in _ODD.values():
                _insert(connection, *odd)
        memory.index.refresh()
        assert [it.content for it in memory.by_issue(29)] == ["Chose files"]
        assert memory.search("files").total == 1
        memory.apply(memory.plan.edit("obs-1", {"pinned": True}))
        memory.store([observation("And a second", id="obs-2")])
        found = [it.kind for it in memory.doctor.examine().findings if it.is_problem]
        assert FindingKind.INVALID in found


@pytest.mark.parametrize("place", ["NaN"])
def test_a_place_that_is_no_number_stops_no_writer(own: str, tmp_path: Path, place: str) -> None:
    with open_memory(own, cache=tmp_path / "cache") as memory:
        memory.store([observation("Chose files", id="obs-1")])
        with psycopg.connect(own, autocommit=True) as connection:
            connection.execute("update memtui.memories set place = %s", (place,))
            connection.execute("update memtui.issues set ends = %s", (place,))
        memory.store([observation("And a second", id="obs-2")])
        memory.apply(memory.plan.edit("obs-1", {"content": "Chose JSON files"}))
        assert {it.content for it in memory.by_issue(29)} == {"Chose JSON files", "And a second"}


def test_what_no_reader_takes_is_not_written(own: str, tmp_path: Path) -> None:
    with open_memory(own, cache=tmp_path / "cache") as memory:
        memory.store([observation("Chose files", id="obs-1")])
    with psycopg.connect(own, autocommit=True) as connection:
        for odd in ("an issue below 0", "a record that is no JSON"):
            with pytest.raises(psycopg.errors.CheckViolation):
                _insert(connection, *_ODD[odd])


# The log of a database: its summary is asked for whenever it has grown by a part.


LONG, MUCH = timedelta(days=30), 10**9
Log = Callable[..., None]


@pytest.fixture
def add(url: str) -> Log:
    """Adds entries to the log, as they would have been some days ago."""

    def add(*names: str, days: float = 0, **more: object) -> None:
        backend = open_backend(url, lambda: NOW - timedelta(days=days))
        for name in names:
            backend.log.append({"type": name, **more})
        backend.release()

    return add


def _types(backend: PostgresBackend) -> list[str]:
    return [json.loads(line)["type"] for line in backend.log.lines()[0]]


def _recall(*ids: str) -> dict[str, object]:
    return {
        "timestamp": "2026-03-01T00:00:00.000Z",
        "sessionId": "s",
        "observationIds": [*ids],
        "about": [*ids],
    }


def test_what_is_old_goes_and_where_the_log_begins_is_kept(
    backend: PostgresBackend, other: PostgresBackend, add: Log
) -> None:
    add("oldest", "old", days=40)
    begins = backend.log.stamp().end
    add("yesterday", days=2)
    add("today")
    assert other.log.stamp().begin == 0
    assert backend.log.settle(NOW, LONG, MUCH) == 2
    assert _types(other) == ["yesterday", "today"]
    assert other.log.stamp().begin == begins
    assert backend.log.settle(NOW, LONG, MUCH) == 0


def test_what_goes_stands_in_the_summary_which_all_read(
    backend: PostgresBackend, other: PostgresBackend, add: Log
) -> None:
    add("recalled", days=40, **_recall("one"))
    add("recalled", days=2, **_recall("one", "two"))
    assert other.log.summary().until == 0
    backend.log.settle(NOW, LONG, MUCH)
    assert len(_types(other)) == 1
    summary = other.log.summary()
    assert summary.until == backend.log.stamp().end
    assert [it.count for it in summary.recalls("one")] in ([2], [1, 1])
    assert [it.count for it in summary.recalls("two")] == [1]


def test_nothing_goes_that_the_summary_has_not(
    backend: PostgresBackend, add: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 1)
    add("recalled", days=40, **_recall("one"))
    add("recalled", days=40, **_recall("two"))
    add("today", days=2)
    assert backend.log.settle(NOW, LONG, MUCH) == 1
    assert _types(backend) == ["recalled", "today"]
