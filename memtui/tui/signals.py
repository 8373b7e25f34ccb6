"""Ending by a signal: the terminal is left as it was found, as by the key that quits."""

from __future__ import annotations

import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import FrameType
from typing import Any

from textual.app import App

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_BY_SIGNAL = 128
"""What a shell adds to a signal's number in the exit code."""
_LOOKED_AT, _GRACE = 2.0, 3.0
"""Seconds between looks at the terminal, and those that an end may take."""


@contextmanager
def ended_by_signal(app: App[Any], at_once: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Let the app that runs inside end well where it is told to end, or its terminal is closed.

    Then `SystemExit` is raised with the shell's code for the signal. A second signal ends at once.
    An app that waits for a terminal that is gone can't end well: after a while `at_once` is called,
    and the process ends.
    """
    told: list[int] = []
    over = Event()

    def leave(number: int, frame: FrameType | None) -> None:
        told.append(number)
        for each in _ENDING:
            signal.signal(each, signal.SIG_DFL)
        Thread(target=give_up, args=(number,), daemon=True).start()
        loop = app._loop
        if loop is None:  # nothing was drawn yet
            raise SystemExit(_BY_SIGNAL + number)
        loop.call_soon_threadsafe(app.exit)

    def give_up(number: int) -> None:
        if over.wait(_GRACE):
            if _has_terminal():
                return
            time.sleep(_GRACE)  # threads that read and write keys may wait for a terminal for ever
        at_once()
        os._exit(_BY_SIGNAL + number)

    def watch() -> None:
        while not over.wait(_LOOKED_AT):
            if not _has_terminal():
                # Its end is told to the leader of its session only.
                os.kill(os.getpid(), signal.SIGHUP)
                return

    before = {number: signal.signal(number, leave) for number in _ENDING}
    if _has_terminal():
        Thread(target=watch, daemon=True, name="terminal").start()
    try:
        yield
    finally:
        over.set()
        for number, handler in before.items():
            signal.signal(number, handler)
    if told:
        raise SystemExit(_BY_SIGNAL + told[0])


def _has_terminal() -> bool:
    """Whether the terminal that keys come from is still there."""
    try:
        termios.tcgetattr(sys.__stdin__.fileno() if sys.__stdin__ else 0)
    except (OSError, ValueError, termios.error):
        return False
    return True
