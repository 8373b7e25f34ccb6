"""Ending by a signal: the terminal is left as it was found, as by the key that quits."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from textual.app import App

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_BY_SIGNAL = 128
"""What a shell adds to a signal's number in the exit code."""


@contextmanager
def ended_by_signal(app: App[Any]) -> Iterator[None]:
    """Let the app that runs inside end well where it is told to end, or its terminal is closed.

    Then `SystemExit` is raised with the shell's code for the signal. A second signal ends at once.
    """
    told: list[int] = []

    def leave(number: int, frame: FrameType | None) -> None:
        told.append(number)
        for each in _ENDING:
            signal.signal(each, signal.SIG_DFL)
        loop = app._loop
        if loop is None:  # nothing was drawn yet
            raise SystemExit(_BY_SIGNAL + number)
        loop.call_soon_threadsafe(app.exit)

    before = {number: signal.signal(number, leave) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if told:
        raise SystemExit(_BY_SIGNAL + told[0])
