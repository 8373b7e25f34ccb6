"""Changes that an index has to catch up with: looked for at every start, mostly none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from store.backends.protocol import Backend, LogStamp, Stamps
from store.errors import Unreadable
from store.search.seen import Seen

Progress = Callable[[int, int], None]
"""Called with the issues read so far and the issues to read in all."""

TAIL = 64 * 1024
"""Bytes of the log that are counted in when observations are read, before they are indexed."""


class Changes(NamedTuple):
    """Which issues differ from what was `seen`, all issues' stamps, and the bytes to read of each.

    `recount`: the log has so much to tell of recalls that the index counts it in; `untold` bytes.
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
        """There is something to catch up with."""
        return bool(self.issues) or self.recount

    @property
    def size(self) -> int:
        """Bytes to read to catch up."""
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

    Recalls that the log tells of and the index does not count are a change too: with `recount`
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
    """The end of the log; one that can't be read counts as empty."""
    try:
        return backend.activity_stamp()
    except Unreadable:
        return LogStamp()
