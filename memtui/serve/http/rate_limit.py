"""How many requests a caller may send."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

RATE = 200.0
"""Requests a second that a token may send on average: twice what the server is measured at."""
BURST = 400.0
"""Requests that it may send at once."""


class RateLimit:
    """A bucket for each caller, filled at `rate` a second up to `burst`."""

    def __init__(
        self, clock: Callable[[], float], rate: float = RATE, burst: float = BURST
    ) -> None:
        self._clock = clock
        self._rate, self._burst = rate, burst
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def allows(self, caller: str) -> bool:
        now = self._clock()
        with self._lock:
            left, since = self._buckets.get(caller, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._rate)
            allowed = left >= 1
            self._buckets[caller] = (left - 1 if allowed else left, now)
            return allowed
