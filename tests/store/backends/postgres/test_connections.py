"""Connections that come back, and tables of other versions."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import open_memory
from store.backends import open_backend
from store.backends.postgres import connections as connections_module
from store.backends.postgres.address import address_of
from store.backends.postgres.connections import Connections
from store.backends.text_kinds import TextKind
from store.errors import Away, NoMemory, StoreError, WriteFailed
from tests.postgres import database, project_of

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")


class _Time:
    """The time of the module alone: other threads have their own."""

    def __init__(self, clock: list[float]) -> None:
        self._clock = clock

    def monotonic(self) -> float:
        return self._clock[0]

    def sleep(self, seconds: float) -> None:
        self._clock[0] += seconds


def test_a_database_that_is_away_is_not_asked_again_at_once_to_read(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(connections_module, "time", _Time(clock))
    connections = Connections(address_of(url))
    tried: list[float] = []

    def refused(**_: object) -> object:
        tried.append(clock[0])
        raise psycopg.OperationalError("connection failed: Connection refused")

    monkeypatch.setattr(connections, "connect", refused)
    for moment in (0.0, 0.5, 0.6):
        clock[0] = 100.0 + moment
        with pytest.raises(Away, match="Connection refused"), connections.reading():
            pass
    assert tried == [100.0]
    with pytest.raises(WriteFailed), connections.writing():
        pass
    assert len(tried) == 2, "who writes asks each time"
    clock[0] = 101.7
    with pytest.raises(Away), connections.reading():
        pass
    assert len(tried) == 3


def test_a_database_that_broke_off_is_asked_for_ten_seconds_whether_it_had_committed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    connections = Connections(address_of(url))
    monkeypatch.setattr(connections_module, "time", _Time(clock))

    def away() -> object:
        raise psycopg.OperationalError("connection failed: Connection refused")

    monkeypatch.setattr(connections, "connect", away)
    with pytest.raises(WriteFailed, match="It is not known whether the write was kept"):
        connections._is_kept(uuid.uuid4())
    assert 110 < clock[0] < 110.5


def test_a_connection_that_the_server_closed_is_not_lent_again(url: str, postgres: str) -> None:
    connections = Connections(address_of(url))
    with connections.reading() as first:
        pid = first.info.backend_pid
    with psycopg.connect(postgres, autocommit=True) as killer:
        killer.execute("select pg_terminate_backend(%s, 5000)", (pid,))
    with connections.reading() as second:
        assert second is not first
        assert second.execute("select 1").fetchone() == (1,)
    connections.close()


# Statements go out before earlier ones are answered, and no failure of one is lost.

_LOCK = "select pg_advisory_xact_lock(7, 7)"
_KEEP = (
    "insert into memtui.memories (project, issue, memory_id, location) values (%s, 1, %s, 'issue')"
)
_WRONG = "insert into memtui.memories (project, issue, location) values (%s, 1, 'nowhere')"


@pytest.fixture
def connections(url: str) -> Iterator[Connections]:
    connections = Connections(address_of(url))
    with connections.reading():
        pass
    yield connections
    connections.close()


def _kept(connections: Connections) -> list[str]:
    with connections.reading() as connection:
        ask = "select memory_id from memtui.memories where project = %s order by 1"
        return [name for (name,) in connection.execute(ask, (connections.project,))]


def test_a_statement_waits_for_no_answer_of_another(
    postgres: str, connections: Connections
) -> None:
    with psycopg.connect(postgres) as elsewhere:
        elsewhere.execute(_LOCK)
        with connections.writing() as connection:
            connection.execute(_LOCK)
            connection.execute(_KEEP, (connections.project, "a"))
            elsewhere.rollback()
    assert _kept(connections) == ["a"]


def test_what_fails_in_a_part_is_said_there_and_the_rest_stands(connections: Connections) -> None:
    with connections.writing() as whole:
        whole.execute(_KEEP, (connections.project, "a"))
        with pytest.raises(WriteFailed), connections.writing() as part:
            part.execute(_KEEP, (connections.project, "b"))
            part.execute(_WRONG, (connections.project,))
        with connections.writing() as part:
            part.execute(_KEEP, (connections.project, "c"))
            with pytest.raises(ZeroDivisionError), connections.writing() as inner:
                inner.execute(_KEEP, (connections.project, "d"))
                raise ZeroDivisionError
    assert _kept(connections) == ["a", "c"]


@pytest.mark.parametrize("is_answered", [True, False])
@pytest.mark.parametrize("durable", [True, False])
def test_a_failure_that_was_passed_over_ends_in_no_commit(
    connections: Connections, durable: bool, is_answered: bool
) -> None:
    """Of what was answered since, the server says nothing but that it rolled back."""
    with pytest.raises(StoreError), connections.writing(durable=durable) as connection:
        connection.execute(_KEEP, (connections.project, "a"))
        with pytest.raises(psycopg.Error):
            connection.execute("select 1/0").fetchone()
        if is_answered:
            with connection.pipeline():
                pass  # it ends with all answers
    assert _kept(connections) == []
    with connections.writing(durable=durable) as connection:
        connection.execute(_KEEP, (connections.project, "b"))
    assert _kept(connections) == ["b"]


# Tables of every version open: older ones are brought forward, newer ones are refused.


_OLDEST = Path(__file__).with_name("oldest.sql")
"""The tables as version 1 made them. Never to be changed: databases out there have them."""
_FILLED = """
    insert into memtui.versions (version) values (1);
    insert into memtui.projects (name) values ('heron');
    insert into memtui.memories (project, issue, memory_id, agent_id, memory_type, category,
            content, summary, tokens, "timestamp", keywords, metadata)
        values (1, 29, 'obs-1', 'engineer', 'semantic', 'decision', 'Chose per-issue files.',
            'Chose files', 12, '2026-03-01 10:00Z', '{store}', '{"extra": 1}');
    insert into memtui.memories (project, issue, location, memory_id, agent_id, category, content,
            summary, tokens, "timestamp", record)
        values (1, 29, 'archive', 'obs-2', 'engineer', 'decision', 'Older.', 'Older', 3,
            '2026-02-01 10:00Z', convert_to('{"id": "obs-2", "content": "Older."}', 'UTF8'));
    insert into memtui.texts values (1, 'recalls', 'abc', 'Told.', now(), 1);
    insert into memtui.logs (project, ends) values (1, 21);
    insert into memtui.activity (project, ends, entry) values (1, 21, '{"type": "refreshed"}');
"""


@pytest.fixture
def empty(postgres: str) -> Iterator[str]:
    """A database without tables of ours."""
    with database(postgres) as url:
        yield url


@pytest.fixture
def oldest(empty: str) -> str:
    """A database that version 1 made and filled."""
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("create schema memtui")
        connection.execute(_OLDEST.read_text("utf-8"))
        connection.execute(_FILLED)
    return empty


def _version(url: str) -> int:
    with psycopg.connect(url) as connection:
        return connections_module.version_of(connection)


def test_a_memory_of_the_oldest_version_is_all_there(oldest: str, tmp_path: Path) -> None:
    with open_memory(project_of(oldest, "heron"), cache=tmp_path) as memory:
        (found,) = memory.by_issue(29)
        assert (found.id, found.content, found.tags) == (
            "obs-1",
            "Chose per-issue files.",
            ("store",),
        )
        assert [hit.entry.id for hit in memory.search("files").hits] == ["obs-1"]
        memory.apply(memory.plan.archive(["obs-1"]))
        memory.undo()
        assert [it.id for it in memory.by_issue(29)] == ["obs-1"]
    backend = open_backend(project_of(oldest, "heron"))
    kept = {it.value["id"]: it.text for it in backend.read(29).parts["archive"].records}
    assert kept == {"obs-2": b'{"id": "obs-2", "content": "Older."}'}
    assert backend.texts.read(TextKind.RECALLS, "abc") == b"Told."
    assert b'{"type": "refreshed"}' in backend.log.lines()[0]
    backend.release()
    assert _version(oldest) == max(connections_module.versions())


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Scripts of versions to come, beside the first."""
    (tmp_path / "001-tables.sql").write_text(_OLDEST.read_text("utf-8"))
    monkeypatch.setattr(connections_module, "_VERSIONS", tmp_path)
    connections_module.versions.cache_clear()
    yield tmp_path
    connections_module.versions.cache_clear()


def test_a_script_that_fails_leaves_all_as_it_was(oldest: str, scripts: Path) -> None:
    (scripts / "002-more.sql").write_text("alter table memtui.memories add more text;")
    (scripts / "003-broken.sql").write_text("update memtui.nothing set more = 1;")
    with pytest.raises(StoreError, match="nothing"):
        open_backend(project_of(oldest, "heron")).read(29)
    assert _version(oldest) == 1
    with psycopg.connect(oldest) as connection:
        columns = connection.execute(
            "select column_name from information_schema.columns where table_name = 'memories'"
        ).fetchall()
    assert ("more",) not in columns


def test_tables_of_a_newer_version_are_refused(empty: str) -> None:
    newest = max(connections_module.versions())
    first = open_backend(empty)
    assert first.read(29).parts == {}
    first.release()
    with psycopg.connect(empty) as connection:
        connection.execute("insert into memtui.versions (version) values (%s)", (newest + 1,))
    backend = open_backend(empty)
    for ask in (lambda: backend.read(29), lambda: backend.texts.remove(TextKind.RECALLS, "abc")):
        with pytest.raises(NoMemory, match=f"tables are version {newest + 1}, this one") as raised:
            ask()
        assert raised.value.hint == "Upgrade memtui."
    backend.release()
