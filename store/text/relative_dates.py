"""Relative dates made absolute: "yesterday" means nothing to who reads it a month later."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"a": 1, "an": 1, "few": 3, "couple": 2}
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_COUNT = r"(?P<count>\d{1,3}|a couple of|a few|an?|" + "|".join(
    word for word in _NUMBERS if len(word) > 2
) + r")"  # fmt: skip
_HINTS = ("day", "week", "month", "year", "night", "morrow", "morning", "afternoon", "evening")
_STARTS = ("last ", "past ", "next ", "this ")
_BEFORE = ("to", "yester", *_STARTS, *(f"{start}{day[:-3]}" for start in _STARTS for day in _DAYS))
_AFTER = tuple(f"{plural}{end}" for plural in ("", "s") for end in (" ago", " time", " from now"))
"""What each relative date has of, and what stands right before that or right after it: most texts
have none, and the pattern takes a hundred times longer to say so.
"""
_ISO = re.compile(r"(?<![\w-])(?:19|20)\d\d-[01]\d-[0-3]\d(?![\w-])")
_OFFSETS = {
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
}


@cache
def _relative() -> re.Pattern[str]:
    """Compiled where a text may have one: it takes a tenth of what an app's first rows do."""
    return re.compile(
        r"\b(?:(?P<day>the day before yesterday|the day after tomorrow|yesterday|today|tomorrow"
        r"|tonight|last night|this (?:morning|afternoon|evening))"
        rf"|{_COUNT} (?P<unit>day|week|month|year)s? ago"
        rf"|in {_COUNT.replace('count', 'ahead')} (?P<later>day|week|month)s?"
        r"(?= (?:time|from now)\b)"
        r"|(?P<which>last|this past|next|this) (?P<name>week(?:end)?|month|year|"
        + "|".join(_DAYS)
        + r"))\b"
        r"(?! \()(?!['’-]\w)",
        re.I,
    )


def with_dates(text: str, on: datetime | None) -> str:
    """Return the text with the date after each relative one: "yesterday (2026-02-08)".

    `on` is when it was written; without it the text stays as it is. Weeks are named by their
    Monday, months and years by themselves.
    """
    if on is None:
        return text
    day = on.date()

    def dated(match: re.Match[str]) -> str:
        meant = _meant(match, day)
        return f"{match.group()} ({meant})" if meant else match.group()

    return _relative().sub(dated, text)


def dates_meant(text: str, on: datetime) -> list[str]:
    """Return the days that a text speaks of, and what its relative dates mean: ISO dates, months
    and years in words. Those that `with_dates` resolved are found by the date that it put after
    them.
    """
    # Asked of every memory that is indexed: a hyphen alone is looked for ten times as fast.
    meant = _ISO.findall(text) if "-" in text and ("20" in text or "19" in text) else []
    if _can_be_relative(text.lower()):
        day = on.date()
        meant += [found for match in _relative().finditer(text) if (found := _meant(match, day))]
    return meant


def _can_be_relative(lowered: str) -> bool:
    # A loop, as this is asked of every memory that is indexed: a generator costs twice as much, and
    # a call of `find` for each hint a sixth more.
    for hint in _HINTS:
        at = lowered.find(hint) if hint in lowered else -1
        while at >= 0:
            end = at + len(hint)
            if lowered.endswith(_BEFORE, 0, at) or lowered.startswith(_AFTER, end):
                return True
            at = lowered.find(hint, end)
    return False


def _meant(match: re.Match[str], day: date) -> str:
    """Date of a relative expression; empty where that is beyond what a calendar has."""
    try:
        return _date_of(match, day)
    except (OverflowError, ValueError):
        return ""


def _date_of(match: re.Match[str], day: date) -> str:
    if named := match.group("day"):
        return (day + timedelta(days=_OFFSETS.get(named.lower(), 0))).isoformat()
    if unit := match.group("unit"):
        return _back(day, unit.lower(), _count(match.group("count")))
    if unit := match.group("later"):
        return _back(day, unit.lower(), -_count(match.group("ahead")))
    return _named(match.group("which").lower(), match.group("name").lower(), day)


def _count(written: str) -> int:
    written = written.lower().removeprefix("a ").removesuffix(" of") if " " in written else written
    return int(written) if written.isdigit() else _NUMBERS.get(written.lower(), 1)


def _back(day: date, unit: str, count: int) -> str:
    """Return the day, week's day, month or year that many units before (after, where negative).

    Raises `OverflowError` and `ValueError` for one that no calendar has.
    """
    if unit == "day":
        return (day - timedelta(days=count)).isoformat()
    if unit == "week":
        return (day - timedelta(weeks=count)).isoformat()
    if unit == "month":
        months = day.year * 12 + day.month - 1 - count
        return f"{_MONTHS[months % 12]} {_year(months // 12)}"
    return _year(day.year - count)


def _year(number: int) -> str:
    return str(date(number, 1, 1).year)


def _named(which: str, name: str, day: date) -> str:
    step = {"last": -1, "this past": -1, "next": 1, "this": 0}[which]
    if name in _DAYS:
        return _weekday(_DAYS.index(name), step, day).isoformat()
    by_name: dict[str, Callable[[], str]] = {
        "week": lambda: f"week of {day - timedelta(days=day.weekday()) + timedelta(weeks=step)}",
        "weekend": lambda: (
            day - timedelta(days=day.weekday()) + timedelta(days=5, weeks=step)
        ).isoformat(),
        "month": lambda: _back(day, "month", -step),
        "year": lambda: _year(day.year + step),
    }
    return by_name[name]()


def _weekday(wanted: int, step: int, day: date) -> date:
    """Return the nearest such weekday before (`step` -1) or after (1) a day, or in its week (0)."""
    if step < 0:
        return day - timedelta(days=(day.weekday() - wanted - 1) % 7 + 1)
    if step > 0:
        return day + timedelta(days=(wanted - day.weekday() - 1) % 7 + 1)
    return day + timedelta(days=wanted - day.weekday())
