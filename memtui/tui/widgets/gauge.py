"""The gauge: how far the limits of an injection are used, a segment for each level and category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import count, fit, percent, short
from memtui.tui.frame.theme import LEVEL_MARKS, color_of, mark_of
from memtui.tui.widgets.panes import Titled
from store.text.display import visible_line

PACKAGING = "packaging"
"""The part of headings and fences; the others are of categories."""
_BESIDE = 60
"""Cells from which a bar has room beside its figures."""


class Part(NamedTuple):
    """What memories of a category take of a limit; `level` is empty unless it has a mark."""

    category: str
    amount: int
    level: str = ""


class Level(NamedTuple):
    """The use of a limit in its `unit`, part by part; and `whose` limit it is.

    `binds`: of several limits it is the one that stops the text. `is_full`: memories are left out
    because of it.
    """

    parts: Sequence[Part]
    limit: int
    unit: str = "tokens"
    whose: str = "budget"
    binds: bool = False
    is_full: bool = False

    @property
    def used(self) -> int:
        return sum(part.amount for part in self.parts)

    @property
    def share(self) -> float:
        return self.used / self.limit if self.limit else float(bool(self.used))

    @property
    def style(self) -> str:
        return "$text-error" if self.share > 1 else "$text-warning" if self.is_full else ""


class Forecast(NamedTuple):
    """The text for a session, and how far it fills its limits.

    `included` is its content in words (`31 memories`, `4 messages`), `numbers` the count of each
    category. `client` is given it, on `branch`; `missing` names what is not set up for that.
    `counter` is the tokenizer.
    """

    levels: Sequence[Level]
    title: str = "Budget"
    included: tuple[str, ...] = ()
    numbers: Mapping[str, int] = {}
    left_out: int = 0
    client: str = ""
    branch: str = ""
    missing: str = ""
    counter: str = ""

    @property
    def fullest(self) -> Level:
        return max(self.levels, key=lambda level: level.share)

    @property
    def tokens(self) -> str:
        """The tokens, where the fullest limit is one of something else: `2,480 tokens`."""
        is_counted = self.fullest.unit == self.levels[0].unit
        return "" if is_counted else f"{count(self.levels[0].used)} {self.levels[0].unit}"

    @property
    def reader(self) -> str:
        """The client and its branch: `Claude Code on feature/42`."""
        return visible_line(" on ".join(filter(None, (self.client, self.branch))))


class Gauge(Titled, Widget):
    """A bar and figures for each limit, and a legend; where the pane is narrow, only the fullest
    limit, below it the tokens and its figures.
    """

    forecast: reactive[Forecast | None] = reactive(None, layout=True)

    def on_mount(self) -> None:
        self.set_title("Budget")

    def watch_forecast(self, forecast: Forecast | None) -> None:
        if forecast is not None:
            counter = f"tokens: {forecast.counter}" if forecast.counter else ""
            self.set_title(forecast.title, counter)

    def render(self) -> RenderResult:
        return self._drawn_for(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._drawn_for(width).plain.count("\n") + 1

    def _drawn_for(self, width: int) -> Content:
        if self.forecast is None:
            return Content("\n")
        lines = _wide(self.forecast, width) if width >= _BESIDE else _narrow(self.forecast, width)
        return Content("\n").join(lines)


def _wide(forecast: Forecast, width: int) -> Iterator[Content]:
    levels = forecast.levels
    used = max(len(count(level.used)) for level in levels)
    limit = max(len(count(level.limit)) for level in levels)
    unit = max(len(level.unit) for level in levels)
    whose = max(len(level.whose) for level in levels)
    for level in levels:
        figures = Content.assemble(
            (fit(count(level.used), used, align="right"), f"bold {level.style}".strip()),
            (
                f" of {fit(count(level.limit), limit, align='right')} {fit(level.unit, unit)}",
                "$dim",
            ),
            (fit(percent(level.used, level.limit), 6, align="right"), level.style or "$dim"),
            "  ",
            (fit(level.whose, whose), "$accent-text" if level.binds else "$dim"),
        )
        room = max(8, width - figures.cell_length - 2)
        yield Content.assemble(bar(level.parts, level.limit, room), "  ", figures)
    legend = _legend(forecast, width)
    if legend.plain:
        yield legend
    if of_levels := _of_levels(forecast):
        yield Content.styled(fit(of_levels, width), "$dim")


def _legend(forecast: Forecast, width: int) -> Content:
    tokens = Counter[str]()
    for part in forecast.levels[0].parts:
        tokens[part.category] += part.amount
    line = Content("")
    for name in sorted(tokens, key=lambda name: (name == PACKAGING, -tokens[name], name)):
        number = forecast.numbers.get(name, 0)
        longer = Content.assemble(
            line,
            "   " if line.plain else "",
            (f"{mark_of(name)} {visible_line(name)}", color_of(name)),
            f" {count(tokens[name])}",
            (f" in {number}" if number else "", "$dim"),
        )
        if longer.cell_length > width:
            break
        line = longer
    return line


def _of_levels(forecast: Forecast) -> str:
    """Return the tokens of each level that has a mark: `⌂ mine 120   ∴ team 310`."""
    tokens = Counter[str]()
    for part in forecast.levels[0].parts:
        tokens[part.level] += part.amount
    found = [(level, mark) for level, mark in LEVEL_MARKS.items() if tokens[level]]
    return "   ".join(f"{mark} {level} {count(tokens[level])}" for level, mark in found)


def _narrow(forecast: Forecast, width: int) -> Iterator[Content]:
    level = forecast.fullest
    share = percent(level.used, level.limit)
    past = share if level.share < 10 else f"{short(int(level.share))}×"
    figures = _short_figures(level, width - len(past) - 1)
    gap = max(1, width - figures.cell_length - len(past))
    yield bar(level.parts, level.limit, width)
    if forecast.tokens:
        yield Content.styled(fit(forecast.tokens, width), "bold")
    yield Content.assemble(figures, " " * gap, (past, level.style or "$dim"))
    for note in _notes(forecast, width):
        yield Content.styled(fit(note, width), "$dim")


def _short_figures(level: Level, room: int) -> Content:
    used, limit, unit = level.used, level.limit, _short_unit(level)
    for total, most in (
        (count(used), f" of {count(limit)} {unit}"),
        (short(used), f" of {short(limit)} {unit}"),
        (short(used), f" of {count(limit)}"),
        (short(used), f" of {short(limit)}"),
    ):
        if len(total) + len(most) <= room:
            break
    return Content.assemble((total, f"bold {level.style}".strip()), (most, "$dim"))


def _short_unit(level: Level) -> str:
    return level.unit.replace("character", "char")


def _notes(forecast: Forecast, width: int) -> list[str]:
    """Return what is in and left out, what is from sessions, who is given it, what is missing;
    a line each where that is needed.
    """
    first, *others = forecast.included or ("",)
    left_out = f"{count(forecast.left_out)} left out" if forecast.left_out else ""
    whole = ", ".join(filter(None, (first, *others, left_out)))
    memories = ", ".join(filter(None, (first, left_out)))
    if len(memories) > width:
        memories = f"{first.partition(' ')[0]} in, {left_out}"
    lines = [whole] if len(whole) <= width else [memories, ", ".join(others)]
    more = (_of_levels(forecast), forecast.reader, forecast.missing)
    return [line for line in (*lines, *more) if line]


def line_of(forecast: Forecast, width: int) -> Content:
    """Return a forecast in one line: `Next session of Claude Code on feature/42: 31 memories, 4,989
    of 5,000 tokens`.

    Where room is short whole parts go: first how many are left out, whose colour stays, then the
    branch, how hooks are added, and who is given it.
    """
    level = forecast.fullest
    amount = f"{count(level.used)} of {count(level.limit)} {_short_unit(level)}"
    tokens = [forecast.tokens] if forecast.tokens else []
    brief = ", ".join((*forecast.included, *tokens, amount))
    left_out = f"{count(forecast.left_out)} left out" if forecast.left_out else ""
    whole = ", ".join(filter(None, (*forecast.included, left_out, *tokens, amount)))
    missing = forecast.missing
    state = missing.partition(",")[0]
    reader, client = forecast.reader, visible_line(forecast.client) or forecast.title
    named = " of ".join(filter(None, (forecast.title, reader)))
    tries = [(who, what, missing) for what in (whole, brief) for who in (named, reader) if who]
    tries += [(who, brief, more) for who in (client, "") for more in (missing, state)]
    tries += [(client, amount, state), ("", amount, state), ("", amount, "")]
    for who, what, more in tries:
        lead, tail = f"{who}: " if who else "", f" · {more}" if more else ""
        if cell_len(lead + what + tail) <= width:
            return Content.assemble((lead, "bold"), (what, level.style), tail)
    return Content.styled(fit(amount, width), level.style)


def bar(parts: Sequence[Part], limit: int, width: int) -> Content:
    """Return a bar of `width` cells: a segment for each category, largest first, then the empty
    rest.

    Levels that have a mark follow in their order; the mark stands in the first cell of each.
    Past the limit the bar is all of it, and a thin mark shows where the limit lies.
    """
    total = sum(part.amount for part in parts)
    scale = max(total, limit, 1)
    marks = {
        level: mark
        for level, mark in LEVEL_MARKS.items()
        if any(level == part.level for part in parts)
    }
    order = ["", *marks]
    ordered = sorted(parts, key=lambda part: (order.index(part.level), -part.amount, part.category))
    segments: list[tuple[str, str]] = []
    drawn = summed = 0
    for part in ordered:
        summed += part.amount
        mark = marks.pop(part.level, "")
        end = max(round(width * summed / scale), drawn + len(mark))
        end = max(drawn, min(end, width - len(marks)))
        color = color_of(part.category)
        segments += [
            (mark[: end - drawn], f"{color} reverse"),
            ("█" * (end - drawn - len(mark)), color),
        ]
        drawn = end
    if total and not drawn:
        segments.append(("▏", color_of(ordered[0].category)))
        drawn = 1
    segments.append(("█" * (width - drawn), "$gauge-track"))
    filled = Content.assemble(*(segment for segment in segments if segment[0]))
    if total <= limit or width < 2:
        return filled
    at = min(width - 1, max(0, round(width * limit / scale)))
    return Content.assemble(filled[:at], ("▏", "$background on $text-error"), filled[at + 1 :])
