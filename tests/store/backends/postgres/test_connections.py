"""Connections are kept for the next question, and none outlives its memory."""

from __future__ import annotations

from store.backends.postgres.address import address_of
from store.backends.postgres.connections import Connections


def test_who_asks_while_memory_is_closed_leaves_no_connection(url: str) -> None:
    connections = Connections(address_of(url))
    with connections.reading() as asked:
        connections.close()
    assert asked.closed
    with connections.reading() as again:
        assert again is not asked
    with connections.reading() as idle:
        assert idle is again
    connections.close()
    assert again.closed
