"""Pictures of the app, compared with those that were looked at and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.flows.stage import settled


def named(size: tuple[int, int]) -> str:
    """A size as names of pictures say it: `80x24`."""
    return "{}x{}".format(*size)


async def drawn(pilot: Pilot[None], sizes: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """What an app shows, as SVG, in each of these sizes; then it has its own again."""
    app, own = pilot.app, pilot.app.size
    await pilot.pause(0)  # not settled: some flows end amid work
    for box in (*app.screen.query(Input), *app.screen.query(TextArea)):
        box.cursor_blink = False
    pictures = {}
    for size in sizes or (own,):
        await resized(pilot, size)
        pictures[size] = app.export_screenshot(title=app.title, simplify=True)
    await resized(pilot, own)
    return pictures


async def resized(pilot: Pilot[None], size: tuple[int, int]) -> None:
    """Give an app another size."""
    if size != pilot.app.size:
        await pilot.resize_terminal(*size)
        while pilot.app.screen.outer_size != size:  # a timer passes it on
            await pilot.pause(0.001)
        await settled(pilot)
        for screen in pilot.app.screen_stack:  # scroll bars take the room that others left
            screen.refresh(layout=True)
        await settled(pilot)


def same_as(
    kept: SnapshotAssertion, name: str, pictures: Mapping[tuple[int, int], str], now: Path
) -> bool:
    """Whether pictures are as they were kept; what looks otherwise is drawn into `now`."""
    same = True
    for size, svg in pictures.items():
        shown = f"{name}[{named(size)}]" if len(pictures) > 1 else name
        if kept(name=shown) != svg:
            picture = now / f"{shown}.svg"
            picture.write_text(svg)
            print(f"{picture} shows how it looks now.")
            same = False
    return same
