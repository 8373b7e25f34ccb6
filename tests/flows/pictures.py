"""Pictures of the app, compared with those that were looked at and kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion
from syrupy.location import PyTestLocation
from syrupy.types import SerializableData
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.conftest import SNAPSHOTS
from tests.flows.stage import frame, settled

_BACKGROUND = re.compile(r'<rect fill="([^"]+)" x="([^"]+)" y="([^"]+)" width="([^"]+)"[^>]*/>')


class Pictures(SVGImageExtension):  # type: ignore[misc]
    """Keeps the pictures of a test module in `snapshots/<test module>/`, by their own names; two
    are the same where each cell looks the same.
    """

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: int | str = 0) -> str:
        return str(index)

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS / Path(test_location.filepath).stem)

    def matches(
        self, *, serialized_data: SerializableData, snapshot_data: SerializableData
    ) -> bool:
        return _painted(str(serialized_data)) == _painted(str(snapshot_data))


def _painted(svg: str) -> tuple[str, list[list[str | float]]]:
    """Return a picture without its backgrounds, and those: colour, line, start and end of each.

    Those side by side are joined: of which pieces Textual paints a blank line depends on what was
    drawn there in the frames before.
    """
    joined: list[list[str | float]] = []
    for colour, x, y, width in _BACKGROUND.findall(svg):
        start, end = round(float(x), 1), round(float(x) + float(width), 1)
        if joined and joined[-1][:2] == [colour, y] and joined[-1][3] == start:
            joined[-1][3] = end
        elif start != end:
            joined.append([colour, y, start, end])
    return _BACKGROUND.sub("", svg), joined


def named(size: tuple[int, int]) -> str:
    """A size as names of pictures say it: `80x24`."""
    return "{}x{}".format(*size)


async def drawn(pilot: Pilot[None], sizes: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """What an app shows, as SVG, in each of these sizes; then it has its own again."""
    app, own = pilot.app, pilot.app.size
    for _ in range(2):  # not settled, since some flows end amid work; a frame may lay out another
        await frame(app)
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
