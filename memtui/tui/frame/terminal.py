"""The terminal of the app: its input, and what is done when it or the app is to end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from encodings.utf_8 import IncrementalDecoder
from threading import Event, Thread
from types import FrameType
from typing import TYPE_CHECKING, Any

from textual import constants
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers import linux_driver
from textual.message import Message

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_SIGNALS = tuple(
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
_ALT = 0.02
"""Seconds within which a key after Esc is one with Alt."""
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_PASTE_MARK = re.compile(r"(\x1b\[20[01]~)")
_BEGUN_MARK = re.compile(r"\x1b(\[(2(01?)?)?)?\Z")
"""The end of a paste as far as it came."""
_BETWEEN_LOOKS = 2.0
"""Seconds between looks at whether the terminal is there."""
_GRACE = 3.0
"""Seconds that the end of an app may take."""


@contextmanager
def guarded_terminal(app: App[Any], at_once: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Let the app that runs inside read any bytes, and end well where a signal ends it, or its
    terminal is closed.

    Then `SystemExit` is raised with the shell's code for the signal. An app that waits for a
    terminal that is gone can't end well: after a while `at_once` is called, and the process ends.
    """
    _read_keys()
    ending = _Ending(app, at_once)
    before = {number: signal.signal(number, ending.begin) for number in _SIGNALS}
    if _has_terminal():
        Thread(target=ending.watch_terminal, daemon=True, name="terminal").start()
    try:
        yield
    finally:
        ending.is_over.set()
        for number, handler in before.items():
            signal.signal(number, handler)
    if ending.number:
        raise SystemExit(_BY_SIGNAL + ending.number)


class _Ending:
    """The end of an app by the signal with a `number`, which is 0 as long as none came."""

    def __init__(self, app: App[Any], at_once: Callable[[], object]) -> None:
        self._app = app
        self._at_once = at_once
        self.number = 0
        self.is_over = Event()

    def begin(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal; the next one ends the process as it does without us."""
        self.number = number
        for ending_signal in _SIGNALS:
            signal.signal(ending_signal, signal.SIG_DFL)
        Thread(target=self._give_up, daemon=True).start()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nothing was drawn yet
            raise SystemExit(_BY_SIGNAL + number) from None
        loop.call_soon_threadsafe(self._app.exit)

    def _give_up(self) -> None:
        if self.is_over.wait(_GRACE):
            if _has_terminal():
                return
            time.sleep(_GRACE)  # threads that read and write keys may wait for a terminal for ever
        self._at_once()
        os._exit(_BY_SIGNAL + self.number)

    def watch_terminal(self) -> None:
        """End the app once its terminal is gone: only the leader of a session gets a signal."""
        while not self.is_over.wait(_BETWEEN_LOOKS):
            if not _has_terminal():
                if not self.number:  # a second signal would cut its end short
                    os.kill(os.getpid(), signal.SIGHUP)
                return


def _has_terminal() -> bool:
    try:
        termios.tcgetattr(sys.__stdin__.fileno() if sys.__stdin__ else 0)
    except (OSError, ValueError, termios.error):
        return False
    return True


class _Decoder(IncrementalDecoder):
    """Reads bytes that are no UTF-8 as `�`, and an escape in pasted text as `␛`.

    Textual decodes strictly, with no setting for it: one such byte ends the thread that reads keys.
    What follows an escape it takes for keys, and the letters of a paste for commands.
    """

    def __init__(self) -> None:
        super().__init__("replace")
        self._is_paste = False
        self._rest = ""

    def decode(self, data: ReadableBuffer, final: bool = False) -> str:
        text, self._rest = self._rest + super().decode(data, final), ""
        *whole, last = _PASTE_MARK.split(text)
        read = ""
        for part in whole:
            if part in (_PASTE_BEGINS, _PASTE_ENDS):
                self._is_paste = part == _PASTE_BEGINS
                read += part
            else:
                read += self._readable(part)
        if self._is_paste and (end := _BEGUN_MARK.search(last)):
            last, self._rest = last[: end.start()], end.group()
        return read + self._readable(last)

    def _readable(self, text: str) -> str:
        return text.replace("\x1b", "␛") if self._is_paste else text


class KeyParser(XTermParser):
    """Takes what is typed a moment after Esc for a key of its own.

    To Textual any key within a tenth of a second is the same with Alt, which terminals send at
    once. The rest of a sequence may come late.
    """

    _is_after_escape = False

    def feed(self, data: str) -> Iterable[Message]:
        if self._is_after_escape and not data.startswith(("[", "O")):
            yield from self.tick()
        self._is_after_escape = data.endswith("\x1b")
        yield from super().feed(data)


def _read_keys() -> None:
    """Have Textual read keys with our decoder and parser; it has no setting for them."""
    constants.ESCAPE_DELAY = _ALT  # type: ignore[misc]
    setattr(linux_driver, "getincrementaldecoder", lambda _: _Decoder)  # noqa: B010 - not public
    setattr(linux_driver, "XTermParser", KeyParser)  # noqa: B010 - not public
