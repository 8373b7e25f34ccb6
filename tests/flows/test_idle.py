"""What is written to the terminal: nothing while nothing changes, and little for a key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console
from textual._compositor import Compositor
from textual.app import App
from textual.pilot import Pilot

from memtui.tui.widgets.row_list import RowList
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
        for keys in ("home", "S", "i", "question_mark slash u"):
            await press(pilot, *keys.split())
            for number in (5, 5):  # what was asked for last is drawn by then
                drawn.clear()
                looks.clear()
                while len(looks) < number:
                    await pilot.pause(0.01)
            assert drawn == [], keys
            await go_home(pilot)


TERMINAL = Console(color_system="truecolor", force_terminal=True)
PIECE = re.compile(r"\x1b\[(\d+);\d+H\x1b\[[\d;]+m")
"""Where something is written: at a line of the terminal, counted from 1."""


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that would reach the terminal, one a frame."""
    frames: list[str] = []

    def record(compositor: Compositor, *_: object, **__: object) -> None:
        if (update := compositor.render_partial_update()) is not None:
            frames.append(update.render_segments(TERMINAL))

    monkeypatch.setattr(Compositor, "render_update", record)
    return frames


@pytest.mark.parametrize(
    ("keys", "most"),
    [
        ("home", 2_500),
        ("1", 1_000),
        ("2", 1_000),
        ("comma", 3_000),  # twelve lines say what the setting is
        ("A", 3_600),  # up to thirteen lines, most of two colours
        ("W", 3_000),
        ("i", 2_500),  # but each page of the text beside them, that scrolls to the memory
    ],
)
async def test_key_writes_two_rows_and_preview(
    pilot: Pilot[None], written: list[str], keys: str, most: int
) -> None:
    await press(pilot, keys, "g", "j")
    sizes: list[int] = []
    rows = pilot.app.focused
    assert isinstance(rows, RowList)
    for _ in range(3):
        written.clear()
        before = rows.content_region.y + rows.cursor_line
        await press(pilot, "j")
        text = "".join(written)
        lines = {int(line) - 1 for line in PIECE.findall(text)}
        at = rows.content_region.y + rows.cursor_line
        if keys != "i":  # whose text is at the height of the list
            drawn = lines.intersection(range(rows.region.y, rows.region.bottom))
            # The row that the key before left may be drawn as late as now.
            assert {before, at} <= drawn
            assert len(drawn) <= 3
        sizes.append(len(text.encode()))
    assert sorted(sizes)[1] <= most
    assert max(sizes) <= max(most, 7_500)


async def test_key_in_the_palette_writes_two_rows(pilot: Pilot[None], written: list[str]) -> None:
    await press(pilot, "ctrl+p", "down")
    written.clear()
    await press(pilot, "down")
    assert len("".join(written).encode()) <= 1_500
