"""Dates and ages in a query: `2026`, `2026-01`, `2026-01-15`, `today`, `7d`, `3w`, `6m`, `1y`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_DATE = r"(?a)(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?"
_AGE = r"(?a)(\d{1,5})(h|d|w|m|y)"
_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}


def parse_moment(text: str, now: datetime) -> datetime | None:
    """The start of a date, or the moment an age ago; `None` for anything else. In UTC.

    Days are those of the zone that `now` has.
    """
    text = text.lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if text == "today":
        return midnight.astimezone(UTC)
    if text == "yesterday":
        return (midnight - timedelta(days=1)).astimezone(UTC)
    try:
        if match := re.fullmatch(_AGE, text):
            return now.astimezone(UTC) - timedelta(days=int(match[1]) * _DAYS[match[2]])
        if match := re.fullmatch(_DATE, text):
            year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
            return datetime(year, month, day, tzinfo=now.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return None
