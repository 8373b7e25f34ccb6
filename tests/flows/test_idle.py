"""A screen on which nothing changes writes nothing, however often the files are looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App

from store.search.seen import Progress
from tests.flows.stage import Opening, go_home, press, running

pytestmark = pytest.mark.usefixtures("still")


async def test_idle_draws_nothing(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opening = Opening()
    async with running(sample, opening=opening, refresh_every=0.01) as pilot:
        looks: list[None] = []
        drawn: list[object] = []
        refresh = opening.memory.index.refresh

        def looking(progress: Progress | None = None) -> bool:
            looks.append(None)
            return refresh(progress)

        monkeypatch.setattr(opening.memory.index, "refresh", looking)
        monkeypatch.setattr(App, "_display", lambda app, screen, drawing: drawn.append(screen))
        for key in ("home", "S", "i", "exclamation_mark"):
            await press(pilot, key)
            for number in (5, 10):  # what was asked for last is drawn by then
                drawn.clear()
                looks.clear()
                while len(looks) < number:
                    await pilot.pause(0.01)
            assert drawn == [], key
            await go_home(pilot)
