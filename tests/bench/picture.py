"""Cost against size as an SVG: logarithmic axes, each way to do it a line with its name at its end.

The colours are of a middle lightness, so that the picture is legible on a light page and a dark
one; the background is the page's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tests.bench.measure import Medians
from tests.bench.measure_searching import BM25S, FTS5, OVERLAP, SEARCH
from tests.bench.measure_writing import BARE, SPEC29, SPEC29_CACHED, STORE

INK, GRID = "#6e7681", "#8b949e"
OURS, RED, ORANGE, VIOLET = "#1f6feb", "#d1242f", "#bc6c00", "#8957e5"

_WIDTH, _LEFT, _RIGHT = 860, 64, 290
_PLOT, _TITLE, _FOOT = 230, 44, 46
_LINE_HEIGHT = 17
_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """The medians of one series over the sizes, under a name of its own."""

    series: str
    label: str
    colour: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines with axes in common; the first is ours."""

    title: str
    lines: tuple[Line, ...]


PANELS = (
    Panel(
        "Storing a batch of 10",
        (
            Line(STORE, "memtui, durable", OURS, "stroke-width: 3"),
            Line(BARE, "a bare durable replace", INK, "stroke-dasharray: 2 4"),
            Line(SPEC29, "SPEC-29's store, not durable", RED),
            Line(
                SPEC29_CACHED, "the same, kept in memory, orjson", ORANGE, "stroke-dasharray: 7 4"
            ),
        ),
    ),
    Panel(
        "Searching: rank, 50 rows, counts by agent and category",
        (
            Line(SEARCH, "memtui", OURS, "stroke-width: 3"),
            Line(FTS5, "SQLite FTS5", RED),
            Line(BM25S, "bm25s", ORANGE, "stroke-dasharray: 7 4"),
            Line(OVERLAP, "SPEC-29's keyword overlap", VIOLET, "stroke-dasharray: 2 3"),
        ),
    ),
)


def picture(medians: Medians) -> str:
    """The panels below each other. Raises `ValueError` where nothing of one was measured twice."""
    height = len(PANELS) * (_TITLE + _PLOT + _FOOT)
    drawn = [
        f'<g transform="translate(0 {at * (_TITLE + _PLOT + _FOOT)})">\n'
        + "\n".join(_panel(panel, medians))
        + "\n</g>"
        for at, panel in enumerate(PANELS)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" role="img">',
            "<title>Cost against size, on logarithmic axes</title>",
            "<style>",
            f"text {{ font: 13px sans-serif; fill: {INK} }} .title {{ font-weight: bold }}",
            f".grid {{ stroke: {GRID}; stroke-opacity: 0.35 }}",
            ".line { fill: none; stroke-width: 2; stroke-linejoin: round }",
            ".end { text-anchor: end } .middle { text-anchor: middle }",
            "</style>",
            *drawn,
            "</svg>\n",
        ]
    )


def _panel(panel: Panel, medians: Medians) -> Iterator[str]:
    measured = {line: _measured(line, medians) for line in panel.lines}
    points = [point for line in measured.values() for point in line]
    sizes = sorted({size for size, _ in points})
    if len(sizes) < 2:
        raise ValueError(f"{panel.title}: a line needs two sizes.")
    lowest, highest = _decades(value for _, value in points)
    plot = _Plot((sizes[0], sizes[-1]), (lowest, highest))
    yield f'<text class="title" x="{_LEFT}" y="24">{escape(panel.title)}</text>'
    for exponent in range(round(math.log10(lowest)), round(math.log10(highest)) + 1):
        y = plot.y(10**exponent)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>'
        yield f'<text class="end" x="{_LEFT - 8}" y="{y + 4:.1f}">{_duration(exponent)}</text>'
    for size in sizes:
        x = plot.x(size)
        yield f'<path class="grid" d="M{x:.1f} {_TITLE}v{_PLOT}"/>'
        yield f'<text class="middle" x="{x:.1f}" y="{_TITLE + _PLOT + 20}">{size:,.0f}</text>'
    beside, below = _WIDTH - _RIGHT + 56, _TITLE + _PLOT + 20
    yield f'<text x="{beside}" y="{below}">observations</text>'
    for line, of_line in measured.items():
        yield from _drawn(line, [(plot.x(size), plot.y(value)) for size, value in of_line])
    ends = [(line, plot.y(of_line[-1][1])) for line, of_line in measured.items() if of_line]
    for line, y in _apart(ends):
        x = _WIDTH - _RIGHT + 14
        yield f'<text x="{x}" y="{y + 4:.1f}" style="fill: {line.colour}">{line.label}</text>'


@dataclass(frozen=True, slots=True)
class _Plot:
    """Where a size and a duration stand."""

    sizes: tuple[float, float]
    values: tuple[float, float]

    def x(self, size: float) -> float:
        """From the left, in pixels."""
        return _LEFT + _share(size, self.sizes) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        """From the top of the panel, in pixels."""
        return _TITLE + (1 - _share(value, self.values)) * _PLOT


def _share(value: float, between: tuple[float, float]) -> float:
    low, high = (math.log10(each) for each in between)
    return (math.log10(value) - low) / (high - low)


def _measured(line: Line, medians: Medians) -> list[_Point]:
    return sorted((size, value) for (name, size), value in medians.items() if name == line.series)


def _decades(values: Iterable[float]) -> tuple[float, float]:
    """The powers of ten around all values, in milliseconds."""
    logs = [math.log10(value) for value in values]
    low = math.floor(min(logs))
    return 10.0**low, 10.0 ** max(math.ceil(max(logs)), low + 1)


def _duration(exponent: int) -> str:
    """A power of ten milliseconds, in the unit one would say it in."""
    if exponent >= 3:
        return f"{10 ** (exponent - 3)} s"
    return f"{10**exponent} ms" if exponent >= 0 else f"{10 ** (exponent + 3)} µs"


def _drawn(line: Line, points: Sequence[_Point]) -> Iterator[str]:
    """The line, and a dot at each size that was measured."""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    if points:
        style = f"stroke: {line.colour}; {line.style}".rstrip("; ")
        yield f'<path class="line" style="{style}" d="M{path}"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" style="fill: {line.colour}"/>'


def _apart(ends: Sequence[tuple[Line, float]]) -> Iterator[tuple[Line, float]]:
    """The labels from above to below, moved down where they would overlap."""
    last = -math.inf
    for line, y in sorted(ends, key=lambda end: end[1]):
        last = max(y, last + _LINE_HEIGHT)
        yield line, last
