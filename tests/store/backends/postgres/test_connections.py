"""Connections are kept for the next question, and none outlives its memory."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from store.backends.postgres import connections as connections_module
from store.backends.postgres.address import address_of
from store.backends.postgres.connections import Connections
from store.errors import Away, StoreError, WriteFailed

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
