"""Pictures of the app, compared with those that were looked at and kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from syrupy.assertion import SnapshotAssertion
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.flows.stage import Run, settled


def named(size: tuple[int, int]) -> str:
    """A size as names of pictures say it: `80x24`."""
    return "{}x{}".format(*size)


async def drawn(pilot: Pilot[None], sizes: Sequence[tuple[int, int]]) -> list[str]:
    """What an app shows, as SVG, in each of these sizes."""
    app = pilot.app
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


async def drawn_after(flow: Run, app: App[Any], sizes: Sequence[tuple[int, int]]) -> list[str]:
    """What an app that is started in the first of these sizes shows after a flow."""
    async with app.run_test(size=sizes[0], tooltips=True, notifications=True) as pilot:
        await flow(pilot)
        return await drawn(pilot, sizes)


def same_as(
    kept: SnapshotAssertion, pictures: Sequence[str], sizes: Sequence[tuple[int, int]], now: Path
) -> bool:
    """Whether pictures are as they were kept; what looks otherwise is drawn into `now`."""
    several = len(sizes) > 1
    same = True
    for size, svg in zip(sizes, pictures, strict=True):
        if (kept(name=named(size)) if several else kept) != svg:
            picture = now / f"{named(size)}.svg"
            picture.write_text(svg)
            print(f"{picture} shows how it looks now.")
            same = False
    return same
