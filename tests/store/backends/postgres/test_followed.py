"""What another process writes is told by the database; who is told nothing does not ask it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.tui.app import MemtuiApp
from store import open_memory
from store.backends.postgres.backend import PostgresBackend
from store.model import Location
from tests.flows.stage import browse, settled
from tests.store.factories import record

_LONG = 60
"""Looks, a tenth of a second apart, after which what was written counts as never told."""


def _write(backend: PostgresBackend, name: str, issue: int = 29) -> None:
    with backend.changing(issue) as held:
        held.put(Location.ISSUE, record(name))


def _add_elsewhere(url: str, content: str) -> None:
    """What a process of its own writes, with a home of its own."""
    command = [sys.executable, "-m", "memtui", "--dir", url, "add", content]
    subprocess.run(command, check=True, capture_output=True, env=os.environ.copy())


def test_in_a_transaction_what_it_wrote_is_seen_and_after_it_what_stands(
    backend: PostgresBackend,
) -> None:
    _write(backend, "a")
    known = backend.changes_since({}).stamps
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
            if hits := browse(pilot).query_one("#results").rows:  # type: ignore[attr-defined]
                break
        assert [hit.entry.summary for hit in hits] == ["From elsewhere"]
    # A question that is still under way would connect again once memory is closed.
    await asyncio.get_running_loop().shutdown_default_executor()
    followed.close()
