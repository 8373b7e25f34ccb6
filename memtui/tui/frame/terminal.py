"""The terminal: any bytes are read from it, and a signal leaves it as it was found."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from types import FrameType
from typing import Any

from textual.app import App
from textual.drivers import linux_driver


def take_any_bytes() -> None:
    """Have what is no UTF-8 read as `�`: one such byte ended the thread that reads keys."""
    setattr(linux_driver, "getincrementaldecoder", _lenient)  # noqa: B010 - no public name


def _lenient(encoding: str) -> Any:  # noqa: ANN401 - a class of the standard library
    return partial(getincrementaldecoder(encoding), errors="replace")


_ENDING = tuple(
    getattr(signal, name)
    for name in (
        *("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM"),
        *("SIGVTALRM", "SIGPROF", "SIGXCPU", "SIGPOLL", "SIGPWR", "SIGSTKFLT"),
    )
    if hasattr(signal, name)
)
"""The signals that end a process, and can be waited for."""
_BY_SIGNAL = 128
"""What a shell adds to a signal's number in the exit code."""
_LOOKED_AT, _GRACE = 2.0, 3.0
"""Seconds between looks at the terminal, and those that an end may take."""


class _Ending:
    """The end of an app: by itself, by a signal, or as its terminal is gone."""

    def __init__(self, app: App[Any], at_once: Callable[[], object]) -> None:
        self._app = app
        self._at_once = at_once
        self.told = 0
        """The number of the signal; 0 where none came."""
        self.over = Event()

    def leave(self, number: int, frame: FrameType | None) -> None:
        self.told = number
        for ending_signal in _ENDING:
            signal.signal(ending_signal, signal.SIG_DFL)
        Thread(target=self._give_up, daemon=True).start()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nothing was drawn yet
            raise SystemExit(_BY_SIGNAL + number) from None
        loop.call_soon_threadsafe(self._app.exit)

    def _give_up(self) -> None:
        if self.over.wait(_GRACE):
            if _has_terminal():
                return
            time.sleep(_GRACE)  # threads that read and write keys may wait for a terminal for ever
        self._at_once()
        os._exit(_BY_SIGNAL + self.told)

    def watch(self) -> None:
        """Look whether the terminal is there: only the leader of its session is told of its end."""
        while not self.over.wait(_LOOKED_AT):
            if not _has_terminal():
                if not self.told:  # a second signal would cut its end short
                    os.kill(os.getpid(), signal.SIGHUP)
                return


@contextmanager
def ended_by_signal(app: App[Any], at_once: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Let the app that runs inside end well where it is told to end, or its terminal is closed.

    Then `SystemExit` is raised with the shell's code for the signal. An app that waits for a
    terminal that is gone can't end well: after a while `at_once` is called, and the process ends.
    """
    ending = _Ending(app, at_once)
    before = {number: signal.signal(number, ending.leave) for number in _ENDING}
    if _has_terminal():
        Thread(target=ending.watch, daemon=True, name="terminal").start()
    try:
        yield
    finally:
        ending.over.set()
        for number, handler in before.items():
            signal.signal(number, handler)
    if ending.told:
        raise SystemExit(_BY_SIGNAL + ending.told)


def _has_terminal() -> bool:
    try:
        termios.tcgetattr(sys.__stdin__.fileno() if sys.__stdin__ else 0)
    except (OSError, ValueError, termios.error):
        return False
    return True
