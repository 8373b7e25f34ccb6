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


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
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
