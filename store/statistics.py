"""Statistics: what memory is made of, how it grew, and how its work is doing.

The figures come from the index; everything here is computed from values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import islice
from statistics import median

from store.activity.kinds import CAPTURED, FAILED, SEARCH, SEARCHED
from store.activity.log import ActivityEntry
from store.backends.log_summary import RECALLED
from store.search.figures import IndexFigures

LINES = 5_000
"""Lines of the activity log that timings are taken from, the newest."""
_BY_DAY = 56
"""Days up to which growth is by day; beyond them by week."""
_WEEK = 7
_RECALLING = ("session-start", "user-prompt", "recall", "inject")
"""What the kind of a failure names where injection is what failed."""
_CAPTURING = ("capture", "hook")
"""What it names where capture is, once it is not injection."""


class Work(StrEnum):
    CAPTURE = "capture"
    INJECTION = "injection"
    SEARCH = "search"


_WORK_OF = {CAPTURED: Work.CAPTURE, RECALLED: Work.INJECTION, SEARCHED: Work.SEARCH}


@dataclass(frozen=True, slots=True)
class Timing:
    """Runs and failures of one kind of work; its times in milliseconds.

    `middle` is the median and `slow` the 95th percentile, None where nothing was timed. `message`
    is that of the newest failure, `memories` and `tokens` are sums of what was captured or
    injected.
    """

    done: int = 0
    middle: float | None = None
    slow: float | None = None
    failed: int = 0
    message: str = ""
    memories: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Growth:
    """Observations that came in each step of `step_days` days, the newest last."""

    step_days: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """All figures of a store. `size_bytes` is that of its files on disk, hidden ones left out.

    While a database is away, `size_bytes` is None and `timings` are empty.
    """

    figures: IndexFigures = field(default_factory=IndexFigures)
    size_bytes: int | None = 0
    timings: Mapping[Work, Timing] = field(default_factory=dict)

    @property
    def growth(self) -> Growth:
        """The growth of the last year, or since the first observation."""
        return growth(self.figures.days)


def growth(days: Sequence[int]) -> Growth:
    """Counts by day, newest last, in steps that suit their number, from the first that has any."""
    first = next((at for at, count in enumerate(days) if count), len(days))
    lived = len(days) - first
    if lived <= _BY_DAY:
        return Growth(1, tuple(days[first:]))
    weeks = -(-lived // _WEEK)
    padded = [0] * _WEEK + list(days)
    ours = padded[-weeks * _WEEK :]
    return Growth(_WEEK, tuple(sum(ours[at : at + _WEEK]) for at in range(0, weeks * _WEEK, _WEEK)))


def search_entries(searches: Iterable[tuple[datetime, float, str]]) -> list[ActivityEntry]:
    """Return searches, each with its time, milliseconds and error, as entries of a log."""
    return [
        ActivityEntry(FAILED if error else SEARCHED, at, problem=SEARCH, message=error, took=took)
        for at, took, error in searches
    ]


def timings(newest_first: Iterable[ActivityEntry]) -> dict[Work, Timing]:
    took: dict[Work, list[float]] = {work: [] for work in Work}
    done = dict.fromkeys(Work, 0)
    memories = dict.fromkeys(Work, 0)
    tokens = dict.fromkeys(Work, 0)
    failures: dict[Work, list[str]] = {work: [] for work in Work}
    for entry in newest_first:
        if entry.kind == FAILED:
            if (failing := _failing(entry.problem)) is not None:
                failures[failing].append(entry.message)
        elif (work := _WORK_OF.get(entry.kind)) is not None:
            done[work] += 1
            memories[work] += entry.count
            tokens[work] += entry.tokens
            if entry.took is not None:
                took[work].append(entry.took)
    return {
        work: Timing(
            done=done[work],
            middle=median(took[work]) if took[work] else None,
            slow=percentile(took[work], 95) if took[work] else None,
            failed=len(failures[work]),
            message=next(islice(failures[work], 1), ""),
            memories=memories[work],
            tokens=tokens[work],
        )
        for work in Work
    }


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest of `values` that at least `percent` of them do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _failing(problem: str) -> Work | None:
    """Map a kind of failure to the work that failed; None for other work."""
    if problem == SEARCH:
        return Work.SEARCH
    if any(word in problem for word in _RECALLING):
        return Work.INJECTION
    return Work.CAPTURE if any(word in problem for word in _CAPTURING) else None
