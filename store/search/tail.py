"""The recalls that the log tells of and the index does not count yet."""

from __future__ import annotations

from store.backends.activity import read_activity, recall_times
from store.backends.protocol import Backend, LogStamp
from store.search.changes import log_stamp
from store.search.documents import NO_TAIL, Tail

LONG = 4_000_000
"""Bytes of the log beyond which recalls wait until the index counts them in."""


class RecallTail:
    """The end of one log, read again where it changed."""

    def __init__(self, backend: Backend) -> None:
        self.times: Tail = NO_TAIL
        self._backend = backend
        self._mark: tuple[LogStamp, int] | None = None

    def read(self, start: int, found: LogStamp | None = None) -> bool:
        """Read the log from a position on; whether other recalls stand there than before.

        `found`: where it was found to end just now.
        """
        mark = (found or log_stamp(self._backend), start)
        if mark == self._mark:
            return False
        is_short = abs(mark[0].end - start) <= LONG
        entries = read_activity(self._backend, start)[0] if is_short else []
        before, self.times = self.times, recall_times(entries)
        self._mark = mark
        return before != self.times
