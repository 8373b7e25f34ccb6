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
from tests.flows.stage import browse, settled

_LONG = 60
"""Looks, a tenth of a second apart, after which what was written counts as never told."""


def _add_elsewhere(url: str, content: str) -> None:
    """What a process of its own writes, with a home of its own."""
    command = [sys.executable, "-m", "memtui", "--dir", url, "add", content]
    subprocess.run(command, check=True, capture_output=True, env=os.environ.copy())


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
