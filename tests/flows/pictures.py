"""Pictures of the app, compared with those that were looked at and kept."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from syrupy.assertion import SnapshotAssertion
from textual.app import App
from textual.widgets import Input, TextArea

from tests.flows.stage import Run, settled


def named(size: tuple[int, int]) -> str:
    """A size as names of pictures say it: `80x24`."""
    return "{}x{}".format(*size)


async def drawn(app: App[Any], sizes: tuple[tuple[int, int], ...], flow: Run) -> list[str]:
    """What the app shows after a flow, as SVG: in the first size, then resized to each other."""
    async with app.run_test(size=sizes[0], tooltips=True, notifications=True) as pilot:
        await flow(pilot)
        await pilot.pause(0)  # not settled: some flows end amid work
        for box in (*app.screen.query(Input), *app.screen.query(TextArea)):
            box.cursor_blink = False
        pictures = []
        for size in sizes:
            if size != app.size:
                await pilot.resize_terminal(*size)
                await settled(pilot)
                for screen in app.screen_stack:  # scroll bars take the room that others left
                    screen.refresh(layout=True)
                await settled(pilot)
            pictures.append(app.export_screenshot(title=app.title, simplify=True))
        return pictures


def compare(
    app: App[Any], flow: Run, sizes: tuple[tuple[int, int], ...], kept: SnapshotAssertion, now: Path
) -> bool:
    """Whether the app looks as in its pictures; what looks otherwise is drawn into `now`."""
    several = len(sizes) > 1
    same = True
    for size, svg in zip(sizes, asyncio.run(drawn(app, sizes, flow)), strict=True):
        if (kept(name=named(size)) if several else kept) != svg:
            picture = now / f"{named(size)}.svg"
            picture.write_text(svg)
            print(f"{picture} shows how it looks now.")
            same = False
    return same
