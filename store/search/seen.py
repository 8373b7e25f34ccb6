"""An index's knowledge of the memory it was built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from store.backends.activity import read_activity, recall_times
from store.backends.protocol import Backend, LogStamp, Stamps
from store.errors import Unreadable
from store.model import Problem
from store.search.documents import NO_TAIL, Tail

Progress = Callable[[int, int], None]
"""Called with the issues read so far and the issues to read in all."""
TAIL = 64 * 1024
"""Bytes of the log that are counted in when observations are read, before they are indexed."""
LONG = 4_000_000
"""Bytes of the log beyond which recalls wait until the index counts them in."""


@dataclass(slots=True)
class Seen:
    """All that an index knows of the memory it was built from.

    `stamps` are the issues' as the backend gave them, `log_end` is where the activity log ended.
    `vanished` are ids that files had and have no more; nobody looked yet whether they were removed.
    """

    stamps: Stamps = field(default_factory=dict)
    log_end: int = 0
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    vanished: frozenset[str] = frozenset()

    def all_problems(self) -> tuple[Problem, ...]:
        return tuple(problem for issue in sorted(self.problems) for problem in self.problems[issue])

    def to_json(self) -> dict[str, Any]:
        return {
            "stamps": {str(issue): stamp for issue, stamp in self.stamps.items()},
            "logEnd": self.log_end,
            "problems": {
                str(issue): [list(problem) for problem in problems]
                for issue, problems in self.problems.items()
                if problems
            },
            "vanished": sorted(self.vanished),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Seen:
        return cls(
            stamps={int(issue): str(stamp) for issue, stamp in value["stamps"].items()},
            log_end=int(value["logEnd"]),
            problems={
                int(issue): [Problem(*problem) for problem in problems]
                for issue, problems in value["problems"].items()
            },
            vanished=frozenset(map(str, value["vanished"])),
        )


class Changes(NamedTuple):
    """Which issues differ from what was `seen`, all issues' stamps, and the bytes to read of each.

    `recount`: the log has so many recalls that the index counts it in; `uncounted` bytes.
    `log` is where the log was found to end.
    """

    issues: frozenset[int]
    recount: bool
    stamps: Stamps
    sizes: Mapping[int, int]
    seen: Seen
    uncounted: int = 0
    log: LogStamp | None = None

    def __bool__(self) -> bool:
        return bool(self.issues) or self.recount

    @property
    def size(self) -> int:
        return sum(self.sizes.values()) + self.uncounted

    def newest(self, most: int) -> Changes:
        """Of what changed, the issues changed last, up to `most` bytes of them."""
        chosen = {}
        for issue, size in self.sizes.items():
            if size <= most:
                most -= size
                chosen[issue] = size
        stamps = {issue: stamp for issue, stamp in self.stamps.items() if issue in chosen}
        return Changes(frozenset(chosen), False, stamps, chosen, self.seen)


def find_changes(
    backend: Backend, seen: Seen, most: int = TAIL, *, recount: bool = False
) -> Changes:
    """Compare the record with what was seen.

    Recalls in the log that the index does not count are a change too: with `recount`
    however few, else from `most` bytes of the log on. Where no issue differs, what was seen gets
    the stamps of now, which may be shorter.
    """
    found = backend.changes_since(seen.stamps)
    if not found.issues:
        seen.stamps = found.stamps
    log = log_stamp(backend)
    uncounted = log.end - seen.log_end
    changed = uncounted != 0 if recount else uncounted > most or uncounted < 0
    size = abs(uncounted) if changed else 0
    return Changes(
        issues=found.issues,
        recount=changed,
        stamps=found.stamps,
        sizes=found.sizes,
        seen=seen,
        uncounted=size,
        log=log,
    )


def log_stamp(backend: Backend) -> LogStamp:
    """Return the end of the log; one that can't be read counts as empty."""
    try:
        return backend.log.stamp()
    except Unreadable:
        return LogStamp()


class RecallTail:
    """The end of one log, read again where it changed."""

    def __init__(self, backend: Backend) -> None:
        self.times: Tail = NO_TAIL
        self._backend = backend
        self._mark: tuple[LogStamp, int] | None = None

    def read(self, start: int, found: LogStamp | None = None) -> bool:
        """Read the log from a position on; whether other recalls are there than before.

        `found`: where it was found to end just now.
        """
        mark = (found or log_stamp(self._backend), start)
        if mark == self._mark:
            return False
        is_short = abs(mark[0].end - start) <= LONG
        entries = read_activity(self._backend.log, start)[0] if is_short else []
        before, self.times = self.times, recall_times(entries)
        self._mark = mark
        return before != self.times
