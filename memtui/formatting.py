"""Numbers, ages and times for a screen, and text cut to a width in cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from string import Formatter
from typing import Any, Literal

from store.backends import Location, shown_location
from store.model import UNDATED
from store.platform.home import home_folder

_LONG_NAME = 40
"""Characters from which a path is shown without its middle."""
_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_WEEK = 7 * _DAY
_MONTH = 30 * _DAY
_YEAR = 365 * _DAY
_AGE_CELLS = 4
_UNDATED = "undated"
_BAR_CELLS = 36


def age(then: datetime, now: datetime) -> str:
    """Return an age in at most four cells: `now`, `5m`, `3h`, `2d`, `4mo`, `2y`.

    A date in the future gets a plus: `+2d`; what has no date has no age.
    """
    if then == UNDATED:
        return ""
    seconds = (now - then).total_seconds()
    if abs(seconds) < _MINUTE:
        return "now"
    if seconds > 0:
        return _span(seconds)
    ahead = f"+{_span(-seconds)}"
    if len(ahead) > _AGE_CELLS:
        return "+1y" if ahead.endswith("mo") else "+99y"
    return ahead


def since(then: datetime, now: datetime) -> str:
    """Return an age in a sentence: `just now`, `2d ago`, `in 2d`; empty for what has no date."""
    if then == UNDATED:
        return ""
    passed = age(then, now)
    if passed == "now":
        return "just now"
    return f"in {passed[1:]}" if passed.startswith("+") else f"{passed} ago"


def _span(seconds: float) -> str:
    for unit, limit, name in (
        (_MINUTE, _HOUR, "m"),
        (_HOUR, _DAY, "h"),
        (_DAY, 2 * _WEEK, "d"),
        (_WEEK, 2 * _MONTH, "w"),
        (_MONTH, _YEAR, "mo"),
    ):
        if seconds < limit:
            return f"{int(seconds // unit)}{name}"
    return f"{min(int(seconds // _YEAR), 999)}y"


def count(number: int) -> str:
    """Return a whole number with its thousands marked: `10,412`."""
    return f"{number:,}"


def short(number: int) -> str:
    """Return a large number in a few cells: `950`, `12.5k`, `1.9M`."""
    if number < 10_000:
        return count(number)
    if number < 999_500:
        return f"{number / 1_000:.0f}k" if number >= 100_000 else f"{number / 1_000:.1f}k"
    return f"{number / 1_000_000:.1f}M"


def size(number: int) -> str:
    """Return the bytes in a unit that reads well: `950 bytes`, `264 KB`."""
    if number < 1_000:
        return plural(number, "byte")
    for unit in ("KB", "MB"):
        number //= 1_000
        if number < 1_000:
            return f"{number} {unit}"
    return f"{number // 1_000:,} GB"


def percent(part: int, whole: int) -> str:
    """Return a percentage, rounded down: what is not full is never 100%.

    Of nothing, whatever there is fills it.
    """
    return f"{100 * part // whole if whole else 100 * bool(part)}%"


def progress_bar(done: int, total: int) -> str:
    """Return a bar of progress; without a total nothing is done."""
    cells = round(_BAR_CELLS * done / total) if total else 0
    return "━" * cells + "─" * (_BAR_CELLS - cells)


def plural(number: int, one: str, many: str = "") -> str:
    """`1 memory`, `2 memories`: a count with its noun."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


class _Sentences(Formatter):
    def format_field(self, value: Any, spec: str) -> str:  # noqa: ANN401 - whatever is formatted
        if "|" in spec and isinstance(value, int):
            return plural(value, *spec.split("|"))
        return str(super().format_field(value, spec))


def filled(sentence: str, values: Mapping[str, Any]) -> str:
    """Fill the names of a sentence, in which `{files:file|files}` is a number with its noun.

    Raises `KeyError`, `ValueError`.
    """
    return _Sentences().vformat(sentence, (), values)


def memories(number: int) -> str:
    """`1 memory`, `2 memories`."""
    return plural(number, "memory", "memories")


def lasted(began: datetime | None, ended: datetime | None) -> str:
    """Return a duration: `4m`, `2h`; empty where it is not known."""
    if began is None or ended is None:
        return ""
    minutes = (ended - began).total_seconds() / _MINUTE
    return f"{minutes / 60:.0f}h" if minutes >= 90 else f"{max(1, round(minutes))}m"


def moment(time: datetime, now: datetime) -> str:
    """Return a time as people read it, in the zone of `now`: `today 14:02`, `2026-02-27 10:00`, or
    `undated`.
    """
    if time == UNDATED:
        return _UNDATED
    there = _in_zone_of(time, now)
    return f"{'today' if there.date() == now.date() else f'{there:%Y-%m-%d}'} {there:%H:%M}"


def day(time: datetime, now: datetime) -> str:
    """Return a day as people read it, in the zone of `now`: `2026-02-27`, or `undated`."""
    return _UNDATED if time == UNDATED else f"{_in_zone_of(time, now):%Y-%m-%d}"


def dated(time: datetime, now: datetime) -> str:
    """Return a time and how long ago that was: `2026-02-27 10:00 (2d ago)`, or `undated`."""
    ago = since(time, now)
    return f"{moment(time, now)} ({ago})" if ago else moment(time, now)


def _in_zone_of(time: datetime, now: datetime) -> datetime:
    """Return a time in the zone of `now`; as it is where the calendar ends before that."""
    try:
        return time.astimezone(now.tzinfo)
    except OverflowError:
        return time


def fit(text: str, width: int, *, align: Literal["left", "right"] = "left") -> str:
    """`text` in exactly `width` cells: padded, or cut with an ellipsis."""
    # Only a table needs it: the commands that an agent waits for do without.
    from rich.cells import cell_len, set_cell_size

    if width <= 0:
        return ""
    missing = width - cell_len(text)
    if missing < 0:
        return set_cell_size(text, width - 1) + "…"
    return " " * missing + text if align == "right" else text + " " * missing


def aligned(
    rows: Sequence[Sequence[str]], *, right: Collection[int] = (), most: int | None = None
) -> list[tuple[str, ...]]:
    """Return the cells of a table, each column as wide as its widest cell, and at most `most`.

    The columns in `right` are aligned to the right.
    """
    from rich.cells import cell_len  # commands do without rich

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    if most is not None:
        widths = [min(wide, most) for wide in widths]
    return [
        tuple(
            fit(cell, wide, align="right" if at in right else "left")
            for at, (cell, wide) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def joined(text: str) -> str:
    """Return a text of several lines in one, as a box to type in takes it."""
    return " ".join(filter(None, map(str.strip, text.splitlines())))


def shown_path(path: Location) -> str:
    """Return a path in its shortest form: from the working directory, from home, or whole."""
    if not isinstance(path, Path):
        return shown_location(path)
    ways = [str(path)]
    if path.is_relative_to(Path.cwd()):
        ways.append(str(path.relative_to(Path.cwd())))
    home = home_folder()
    if path.is_relative_to(home):
        ways.append(f"~/{path.relative_to(home)}")
    return min(ways, key=len)


def short_name(name: str) -> str:
    """Return a path without its middle, where it is long."""
    parts = name.split("/")
    if len(name) <= _LONG_NAME or len(parts) < 6:
        return name
    return "/".join((*parts[:2], "…", *parts[-2:]))


def short_path(text: str) -> str:
    """Return a text with the home folder as `~`."""
    return text.replace(f"{home_folder()}/", "~/")
