"""What another process writes is told by the database; who is told nothing does not ask it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memtui.tui.app import MemtuiApp
from store import open_memory
from store.backends.postgres import connections
from store.backends.postgres.backend import PostgresBackend
from store.backends.protocol import Stamps
from store.model import Location
from tests.flows.stage import browse, settled
from tests.postgres import skip_unless_ours
from tests.store.factories import record

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
_LONG = 60
"""Looks, a tenth of a second apart, after which what was written counts as never told."""


def _write(backend: PostgresBackend, name: str, issue: int = 29) -> None:
    with backend.changing(issue) as held:
        held.put(Location.ISSUE, record(name))


def _add_elsewhere(url: str, content: str) -> None:
    """What a process of its own writes, with a home of its own."""
    command = [sys.executable, "-m", "memtui", "--dir", url, "add", content]
    subprocess.run(command, check=True, capture_output=True, env=os.environ.copy())


def _followed(backend: PostgresBackend) -> Stamps:
    """What a memory is like that was asked until it listens."""
    known = backend.changes_since({}).stamps
    for _ in range(3):
        assert not backend.changes_since(known).issues
    return known


def _told(backend: PostgresBackend, known: Stamps) -> frozenset[int]:
    for _ in range(_LONG):
        if found := backend.changes_since(known).issues:
            return found
        time.sleep(0.1)  # what was committed is on its way
    return frozenset()


def test_who_follows_a_memory_asks_only_once_told(
    backend: PostgresBackend, other: PostgresBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(backend, "a")
    known = _followed(other)
    asked = []
    reading = connections.Connections.reading

    def counted(self: connections.Connections) -> object:
        asked.append(self)
        return reading(self)

    monkeypatch.setattr(connections.Connections, "reading", counted)
    for _ in range(20):
        assert not other.changes_since(known).issues
    assert asked == []
    _write(backend, "b")
    asked.clear()
    assert _told(other, known) == {29}
    assert len(asked) == 1


def test_what_took_longer_than_an_hour_is_seen_when_all_is_asked_for(
    backend: PostgresBackend, other: PostgresBackend
) -> None:
    _write(backend, "a")
    _write(backend, "b", 30)
    known = _followed(other)
    with backend._connections.reading() as connection:
        connection.execute(
            "update memtui.issues set change = 0, changed_at = now() - interval '61 minutes' "
            "where issue = 30 and project = %s",
            (backend._connections.project,),
        )
    _write(backend, "c")
    found = other.changes_since(known)
    assert found.issues == {29}
    assert found.stamps == {**known, 29: found.stamps[29]}
    other._listener._asked_at = -60
    assert other.changes_since(found.stamps).issues == {30}


def test_what_was_committed_is_seen_though_its_word_is_late(
    backend: PostgresBackend, other: PostgresBackend, postgres: str
) -> None:
    skip_unless_ours(postgres)
    _write(backend, "a")
    known = _followed(other)
    line = other._listener._line
    assert line is not None
    listening = line.info.backend_pid
    os.kill(listening, signal.SIGSTOP)  # its server process is slow to pass the word on
    try:
        _write(backend, "b")
        goes_on = threading.Timer(0.2, os.kill, (listening, signal.SIGCONT))
        goes_on.start()
        assert other.changes_since(known).issues == {29}
    finally:
        goes_on.join()


def test_in_a_transaction_what_it_wrote_is_seen_and_after_it_what_stands(
    backend: PostgresBackend,
) -> None:
    _write(backend, "a")
    known = _followed(backend)
    _write(backend, "b")
    found = backend.changes_since(known)
    assert found.issues == {29}
    with pytest.raises(ZeroDivisionError), backend.together():
        _write(backend, "c")
        within = backend.changes_since(found.stamps)
        assert within.issues == {29}
        raise ZeroDivisionError
    assert backend.changes_since(within.stamps).issues == {29}
    assert not backend.changes_since(found.stamps).issues


def test_what_another_process_adds_is_told(url: str, backend: PostgresBackend) -> None:
    _write(backend, "a")
    known = _followed(backend)
    _add_elsewhere(url, "From elsewhere")
    found = _told(backend, known)
    assert found
    assert "From elsewhere" in [
        it.content for issue in found for it in backend.read(issue).observations()
    ]


def test_a_line_that_breaks_is_no_quiet_one(
    backend: PostgresBackend, other: PostgresBackend, postgres: str
) -> None:
    _write(backend, "a")
    known = _followed(other)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select'"
        )
    _write(backend, "b")
    assert _told(other, known) == {29}
    known = _followed(other)
    _write(backend, "c")
    assert _told(other, known) == {29}


@pytest.mark.usefixtures("still")
async def test_the_app_shows_what_another_process_adds(url: str, tmp_path: Path) -> None:
    with open_memory(url, cache=tmp_path / "other") as memory:
        memory.index.refresh()
    followed = open_memory(url, cache=tmp_path / "cache")
    app = MemtuiApp(url, open_memory=lambda _: followed, refresh_every=0.1)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        _add_elsewhere(url, "From elsewhere")
        for _ in range(_LONG):
            await pilot.pause(0.1)
            if hits := browse(pilot).query_one("#results").hits:  # type: ignore[attr-defined]
                break
        assert [hit.entry.summary for hit in hits] == ["From elsewhere"]
    # A question that is still under way would connect again once memory is closed.
    await asyncio.get_running_loop().shutdown_default_executor()
    followed.close()
