"""The database's word that a memory changed: a connection that listens, in place of asking."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum, auto
from typing import TYPE_CHECKING

from store.backends.postgres.connections import Connections
from store.errors import StoreError

if TYPE_CHECKING:
    from store.backends.postgres.transaction import Connection

_CHANNEL = "memtui"
_LOOK = 30.0
"""Seconds after which the database is asked all the same: a line may be dead without a word."""


class Word(Enum):
    """What the database has told of a memory: that it changed, or that it did not."""

    CHANGED = auto()
    UNCHANGED = auto()
    UNKNOWN = auto()


def _ask_nothing(line: Connection) -> None:
    line.execute("select")


class Listener:
    """What the database tells of one memory. Not thread-safe by itself."""

    def __init__(
        self, connections: Connections, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._connections = connections
        self._clock = clock
        self._line: Connection | None = None
        self._owner = 0
        self._asked_at = 0.0
        self._told: set[str] = set()

    def begin(self) -> None:
        """Listen from now on. Where that can't be, the database goes on being asked."""
        if self._line is not None and self._owner == os.getpid():
            return
        driver_error = self._connections.errors()
        with suppress(driver_error, StoreError):
            line = self._connections.connect()
            line.add_notify_handler(lambda note: self._told.add(note.payload))
            line.execute(f"listen {_CHANNEL}")
            self._line, self._owner = line, os.getpid()

    def word(self, ask: Callable[[Connection], object] = _ask_nothing) -> Word:
        """Whether something that was committed up to now is new since this was asked last.

        `ask` asks the line's connection what is to be known as well. After a while it is not known
        in any case, so that the database is asked for all.
        """
        if self._line is None or self._owner != os.getpid():
            return Word.UNKNOWN
        try:
            # A server signals who listens before it answers a commit, and passes on what it was
            # signalled before it answers a question: with the answer, every word has come.
            ask(self._line)
        except self._connections.errors():
            self.end()
            return Word.UNKNOWN
        told, self._told = self._told, set()
        if self._clock() - self._asked_at > _LOOK:
            self._asked_at = self._clock()
            return Word.UNKNOWN
        return Word.CHANGED if str(self._connections.project) in told else Word.UNCHANGED

    def end(self) -> None:
        """Close the connection; who asks on gets another."""
        if self._line is not None and self._owner == os.getpid():
            with suppress(Exception):
                self._line.close()
        self._line = None
