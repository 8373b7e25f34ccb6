"""What a store holds and what happened to it, in figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from store.errors import Away
from store.model import StoreStats

if TYPE_CHECKING:
    from store.activity import ActivityLog
    from store.model import Problem
    from store.notice import Notice
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.statistics import Statistics, Timing, Work


class StoreState(NamedTuple):
    """What a screen shows of the store: its place, size and problems, and whether it is writable.

    `total` and `tokens` count the records in issue files, archived flag or not; `notice` says
    where the index may lag.
    """

    path: Path
    writable: bool
    total: int
    tokens: int
    problems: tuple[Problem, ...] = ()
    notice: Notice | None = None


class Figures:
    """Counts, timings, the activity log. Changes nothing."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex) -> None:
        self._backend = opened.backend
        self._size, self._path = opened.size, opened.path
        self._clock = opened.clock
        self._recorder = opened.recorder
        self._current = index

    def activity(self, limit: int = 500, known: ActivityLog | None = None) -> ActivityLog:
        """The activity log, newest first, and how capture is doing. Raises `Unreadable`.

        Where nothing happened since `known` was read, it is the answer.
        """
        from store.activity import read_log

        return read_log(self._backend, limit, known)

    def stats(self) -> StoreStats:
        """Totals over the records in issue files, archived flag or not.

        While a database is away, of what the index has.
        """
        from store.search.totals import index_stats

        return self._current.ask(
            lambda searcher: index_stats(searcher, self._current.index.schema, self._size())
        )

    def state(self) -> StoreState:
        """What a screen says of the store, without looking at the files again."""
        from store.search.totals import held

        total, tokens = self._current.ask(
            lambda searcher: held(searcher, self._current.index.schema), fresh=False
        )
        return StoreState(
            path=self._path,
            writable=self._backend.is_writable(),
            total=total,
            tokens=tokens,
            problems=self._current.index.problems,
            notice=self._current.index.notice,
        )

    def statistics(self, *, fresh: bool = True) -> Statistics:
        """What memory is made of, and how capture, injection and search are doing.

        Searches are those of this run; the rest stands in the activity log. Without `fresh`, the
        index is asked as it is. Raises `Unreadable`, but goes on from the index while a database is
        away.
        """
        from store.search.figures import index_figures
        from store.statistics import Statistics

        now = self._clock()
        return Statistics(
            figures=self._current.ask(
                lambda it: index_figures(it, self._current.index.schema, now), fresh=fresh
            ),
            size_bytes=self._size(),
            timings=self._timings(),
        )

    def _timings(self) -> Mapping[Work, Timing]:
        from store.activity import read_log
        from store.statistics import LINES, timings

        try:
            logged = read_log(self._backend, LINES).entries
        except Away:
            return {}
        return timings([*logged, *self._recorder.searches()])
