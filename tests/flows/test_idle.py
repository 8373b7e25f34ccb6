"""A screen on which nothing changes writes nothing, however often the files are looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App

from store.search.changes import Progress
from tests.flows.stage import NORMAL, Opening, app_on, press, settled

pytestmark = pytest.mark.usefixtures("still")


@pytest.mark.parametrize("key", "home S i exclamation_mark".split())
async def test_idle_draws_nothing(sample: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    opening = Opening()
    async with app_on(sample, opening=opening, refresh_every=0.01).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, key)
        looks: list[None] = []
        drawn: list[object] = []
        refresh = opening.memory.index.refresh

        def looking(progress: Progress | None = None) -> bool:
            looks.append(None)
            return refresh(progress)

        monkeypatch.setattr(opening.memory.index, "refresh", looking)
        monkeypatch.setattr(App, "_display", lambda app, screen, drawing: drawn.append(screen))
        for number in (5, 15):  # what was asked for last is drawn by then
            drawn.clear()
            while len(looks) < number:
                await pilot.pause(0.01)
        assert drawn == []
