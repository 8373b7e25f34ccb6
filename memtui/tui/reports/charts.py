"""Figures as lines of text: bars to compare by, and a sparkline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import count, fit
from memtui.tui.widgets.panes import Titled

_LEVELS = " ▁▂▃▄▅▆▇█"
Draw = Callable[[int], Content]
"""Draws something for so many cells of width."""
_ROWS = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of a bar chart. `lead` goes before the name, and both have the bar's colour."""

    name: str
    number: int
    color: str = ""
    lead: str = ""


class Chart(Titled, Widget):
    ALLOW_SELECT = False
    draw: reactive[Draw | None] = reactive(None, layout=True)

    def __init__(self, title: str, *, id: str) -> None:
        super().__init__(id=id)
        self._title = title

    def on_mount(self) -> None:
        self.set_title(self._title)

    def show(self, draw: Draw, total: str = "") -> None:
        """Show this; `total` goes to the right end of the border."""
        self.set_title(self._title, total)
        self.draw = draw

    def render(self) -> RenderResult:
        return "" if self.draw is None else self.draw(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1 if self.draw is None else self.draw(width).plain.count("\n") + 1


def bars(rows: Sequence[Bar], width: int) -> Content:
    """Return a bar and a count for each row; the longest bar is of the largest count.

    Rows beyond the tenth are only counted.
    """
    shown, rest = (rows, ()) if len(rows) <= _ROWS else (rows[: _ROWS - 1], rows[_ROWS - 1 :])
    largest = max((row.number for row in shown), default=1) or 1
    numbers = max((len(count(row.number)) for row in shown), default=1)
    longest = max((cell_len(row.lead + row.name) for row in shown), default=0)
    names = min(longest, max(8, min(width // 2, width - numbers - 2)))
    room = max(0, width - names - numbers - 2)
    lines = [_bar(row, names, room, numbers, largest) for row in shown]
    if rest:
        lines.append(Content.styled(f"and {count(len(rest))} more", "$dim"))
    return Content("\n").join(lines)


def _bar(row: Bar, names: int, room: int, numbers: int, largest: int) -> Content:
    cells = min(room, max(1, round(room * row.number / largest))) if row.number else 0
    return Content.assemble(
        (fit(row.lead + row.name, names), row.color),
        " ",
        ("━" * cells, row.color or "$dim"),
        " " * (room - cells),
        (f" {fit(count(row.number), numbers, align='right')}", ""),
    )


def sparkline(counts: Sequence[int], width: int, height: int) -> Content:
    """Counts as columns in eighths of a cell, `height` cells high, as wide as there is room.

    Where there are more counts than cells, the newest are drawn.
    """
    counts = list(counts)[-width:] if width > 0 else []
    wide = max(1, width // len(counts)) if counts else 1
    most = max(counts, default=0) or 1
    levels = [max(1, round(8 * height * number / most)) if number else 0 for number in counts]
    lines = []
    for line in reversed(range(height)):
        drawn = (_LEVELS[min(8, max(0, level - 8 * line))] for level in levels)
        line_of = "".join(mark * max(1, wide - 1) + " " * (wide > 1) for mark in drawn)
        lines.append(Content.styled(line_of, "$accent-text"))
    return Content("\n").join(lines)
