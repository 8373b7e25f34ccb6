"""Connections are kept for the next question, and none outlives its memory."""

from __future__ import annotations

import uuid

import pytest

from store.backends.postgres import connections as connections_module
from store.backends.postgres.address import address_of
from store.backends.postgres.connections import Connections
from store.errors import Away, WriteFailed

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
