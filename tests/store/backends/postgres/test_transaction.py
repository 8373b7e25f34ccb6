"""Statements go out before earlier ones are answered, and no failure of one is lost."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from store.backends.postgres.address import address_of
from store.backends.postgres.connections import Connections
from store.errors import StoreError, WriteFailed

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
