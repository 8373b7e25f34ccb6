"""When what is kept for a while has expired, by clocks that may be wrong."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

_DAY = timedelta(days=1)


def expired_before(now: datetime, used: Iterable[datetime], keep: timedelta) -> datetime | None:
    """The time before which things have expired that are kept for a while; None for nothing.

    `used` are the times they are from. It counts from the last of them before today: a clock that
    is ahead removes nothing that a right one would keep, and a time of the future counts for
    nothing.
    """
    last = max((time for time in used if time < now - _DAY), default=None)
    if last is None:
        return None
    try:
        return last - keep
    except OverflowError:
        return None
