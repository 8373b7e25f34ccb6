"""An index's knowledge of the memory it was built from, and of its own files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from store.backends.activity import read_activity, recall_times
from store.backends.protocol import Backend, LogStamp, Stamps
from store.errors import Unreadable
from store.model import Problem
from store.platform.read import FileStamp, stamp_of
from store.platform.write import replace_derived
from store.records import compact_json
from store.search.documents import NO_TAIL, Tail

FORMAT = 4
_SEGMENT = re.compile(r"[0-9a-f]{32}\.[\w.]+", re.ASCII)
Progress = Callable[[int, int], None]
"""Called with the issues read so far and the issues to read in all."""
TAIL = 64 * 1024
"""Bytes of the log that are counted in when observations are read, before they are indexed."""
LONG = 4_000_000
"""Bytes of the log beyond which recalls wait until the index counts them in."""


@dataclass(slots=True)
class Seen:
    """All that an index knows of the memory it was built from, and of its own files.

    `stamps` are the issues' as the backend gave them, `log_end` is where the activity log ended.
    `segments` are those of tantivy's files that are never changed once they are written. `vanished`
    are ids that files had and have no more; nobody looked yet whether they were removed.
    """

    stamps: Stamps = field(default_factory=dict)
    log_end: int = 0
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    segments: dict[str, FileStamp] = field(default_factory=dict)
    vanished: frozenset[str] = frozenset()

    def all_problems(self) -> tuple[Problem, ...]:
        return tuple(problem for issue in sorted(self.problems) for problem in self.problems[issue])


def segments_of(index: Path, known: Mapping[str, FileStamp]) -> dict[str, FileStamp]:
    """The stamps of an index's own files; one that is known keeps the stamp it was given first."""
    names = [path.name for path in index.iterdir() if _SEGMENT.fullmatch(path.name)]
    stamps = ((name, known.get(name) or stamp_of(index / name)) for name in names)
    return {name: stamp for name, stamp in stamps if stamp is not None}


def is_intact(index: Path, known: Mapping[str, FileStamp]) -> bool:
    """Compare an index's own files with those that are known; missing ones don't count.

    One that is gone was merged into another, or is missed by tantivy itself.
    """
    stamps = ((stamp, stamp_of(index / name)) for name, stamp in known.items())
    return all(now is None or now == stamp for stamp, now in stamps)


def load_seen(path: Path, identity: Mapping[str, Any]) -> Seen | None:
    """Read what an index saw last; `None` where the file is missing, damaged or another's."""
    try:
        value = json.loads(path.read_bytes())
        if value["identity"] != dict(identity) or value["format"] != FORMAT:
            return None
        return Seen(
            stamps={int(issue): str(stamp) for issue, stamp in value["stamps"].items()},
            log_end=int(value["logEnd"]),
            problems={
                int(issue): [Problem(*problem) for problem in problems]
                for issue, problems in value["problems"].items()
            },
            segments={
                name: FileStamp(*map(int, stamp)) for name, stamp in value["segments"].items()
            },
            vanished=frozenset(map(str, value.get("vanished", ()))),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def save_seen(path: Path, seen: Seen, identity: Mapping[str, Any]) -> None:
    """Keep what the index saw. Raises `StoreError` where it can't be written."""
    value = {
        "format": FORMAT,
        "identity": dict(identity),
        "stamps": {str(issue): stamp for issue, stamp in seen.stamps.items()},
        "logEnd": seen.log_end,
        "problems": {
            str(issue): [list(problem) for problem in problems]
            for issue, problems in seen.problems.items()
            if problems
        },
        "segments": {name: list(stamp) for name, stamp in seen.segments.items()},
        "vanished": sorted(seen.vanished),
    }
    replace_derived(path, compact_json(value), path.parent)


class Changes(NamedTuple):
    """Which issues differ from what was `seen`, all issues' stamps, and the bytes to read of each.

    `recount`: the log has so many recalls that the index counts it in; `untold` bytes.
    `log` is where the log was found to end.
    """

    issues: frozenset[int]
    recount: bool
    stamps: Stamps
    sizes: Mapping[int, int]
    seen: Seen
    untold: int = 0
    log: LogStamp | None = None

    def __bool__(self) -> bool:
        return bool(self.issues) or self.recount

    @property
    def size(self) -> int:
        return sum(self.sizes.values()) + self.untold

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
    untold = log.end - seen.log_end
    changed = untold != 0 if recount else untold > most or untold < 0
    size = abs(untold) if changed else 0
    return Changes(found.issues, changed, found.stamps, found.sizes, seen, size, log)


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
