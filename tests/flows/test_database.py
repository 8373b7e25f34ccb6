"""The app on a database that goes away and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from psycopg import OperationalError
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.tui.browse.results import ResultList
from memtui.tui.reports.charts import Chart
from store import open_memory
from store.backends.postgres.connections import Connections
from tests.flows.stage import NARROW, NOW, app_on, browse, press, settled
from tests.postgres import project_of
from tests.store.factories import observation

pytestmark = pytest.mark.usefixtures("still")
_AWAY = "does not answer"


class Line:
    """The way to the database, which can be cut and mended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_cut = False
        connect, is_alive = Connections.connect, "store.backends.postgres.connections._is_alive"

        def connecting(connections: Connections) -> object:
            if self.is_cut:
                raise OperationalError("connection failed: Connection refused")
            return connect(connections)

        monkeypatch.setattr(Connections, "connect", connecting)
        monkeypatch.setattr(is_alive, lambda connection: not self.is_cut)
        monkeypatch.setattr("store.backends.postgres.connections._REST", 0)


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(monkeypatch)


def said(pilot: Pilot[None], where: str) -> str:
    found = pilot.app.screen.query_one(where, Static)
    return str(found.content) if found.display else ""


async def test_reading_goes_on_while_the_database_is_away(
    postgres: str, line: Line, tmp_path: Path
) -> None:
    url = project_of(postgres)

    with (
        open_memory(url, cache=tmp_path / "cache", clock=lambda: NOW) as memory,
        open_memory(url, cache=tmp_path / "another", clock=lambda: NOW) as elsewhere,
    ):
        elsewhere.store([observation("The lock waits"), observation("The cache is cold")])
        app = app_on(tmp_path, opening=lambda path: memory)
        async with app.run_test(size=NARROW) as pilot:
            await settled(pilot)
            rows = browse(pilot).query_one(ResultList)
            line.is_cut = True
            await press(pilot, "ctrl+r")
            assert _AWAY in said(pilot, "#notice")
            # However long the URL is: why stands before it, and is drawn.
            assert "does&#160;not&#160;answer:&#160;Connection&#160;refused" in (
                pilot.app.export_screenshot()
            )
            await press(pilot, "slash", *"lock")
            assert [hit.entry.summary for hit in rows.rows] == ["The lock waits"]
            assert said(pilot, "#hint") == ""
            await press(pilot, "escape", "enter")
            assert "The&#160;lock&#160;waits" in pilot.app.export_screenshot()
            await press(pilot, "escape", "s")
            drawn = pilot.app.screen.query_one("#stats-memory", Chart).draw
            assert drawn is not None
            assert "2 in 1 issue" in drawn(60).plain
            await press(pilot, "escape")
            line.is_cut = False
            elsewhere.store([observation("Back again, the lock")])
            await press(pilot, "ctrl+r")
            assert said(pilot, "#notice") == ""
            assert len(rows.rows) == 2
