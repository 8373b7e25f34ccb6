"""A limit on the time that a hook's work takes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN = 1.0
"""Seconds until work that still runs is interrupted again: Python drops an exception that is raised
while an object is being destroyed.
"""


class DeadlinePassed(BaseException):
    """A hook's work ran out of time.

    No `Exception`: no handler of errors may go on after it.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """End what runs inside with `DeadlinePassed` once `seconds` have passed.

    Writes are atomic and locks are released on the way out, so ending early loses no data. It works
    in the main thread of systems with interval timers; elsewhere the agent's own limit holds.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise DeadlinePassed(
            f"The hook was stopped after {seconds:g} seconds.",
            "The next hook tries again. Run `memtui capture FILE` to do it by hand.",
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
