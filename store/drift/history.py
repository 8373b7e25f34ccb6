"""The history of a repository: which commit changed, moved or removed which file. Pure.

It is read from `git log --date-order --name-status -M -z`, each commit as `FORMAT`, newest first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

FORMAT = "%x01%H %ct"
COMMIT = b"\x01"
"""What a commit begins with."""
_RENAMED = ("R", "C")
_MOST_RENAMES = 100
"""Renames of one file that are followed."""


class Commit(NamedTuple):
    """A commit, and its time in seconds since 1970."""

    id: str
    time: int


class Event(NamedTuple):
    """What a commit, by its place in the history, did to a file: git's letter for it, and for a
    renamed one (`R`) its new path.
    """

    at: int
    what: str
    to: str = ""


class History:
    """Commits, newest first, and what they did to each file, oldest first."""

    def __init__(self, log: bytes) -> None:
        self.commits: list[Commit] = []
        self._events: defaultdict[str, list[Event]] = defaultdict(list)
        tokens = iter(log.split(b"\0"))
        for token in tokens:
            if token.startswith(COMMIT):
                identifier, _, time = token[1:].decode().partition(" ")
                self.commits.append(Commit(identifier, int(time)))
            elif what := token.strip().decode("ascii", "replace")[:1]:
                self._add(what, tokens)
        for events in self._events.values():
            events.reverse()

    def _add(self, what: str, tokens: Iterator[bytes]) -> None:
        at, path = len(self.commits) - 1, _text(next(tokens, b""))
        if what in _RENAMED:
            to = _text(next(tokens, b""))
            if what == "R":
                self._events[path].append(Event(at, "R", to))
            self._events[to].append(Event(at, "A"))
        else:
            self._events[path].append(Event(at, what))

    @property
    def paths(self) -> Mapping[str, Sequence[Event]]:
        """What the commits did to each file that they touched."""
        return self._events

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {commit.id: at for at, commit in enumerate(self.commits)}

    @cached_property
    def _ages(self) -> Sequence[int]:
        return [-commit.time for commit in self.commits]

    def place_of(self, commit: str, time: int, *, is_sure: bool = False) -> int | None:
        """Return the place of a commit, or of the newest one at or before a time where that is
        older, unless the commit `is_sure`: a session may be captured long after it. None where it
        is before what is known.
        """
        place = bisect_left(self._ages, -time)
        known = self._places.get(commit)
        if known is not None:
            place = known if is_sure else max(place, known)
        return place if place < len(self.commits) else None

    def since(self, path: str, place: int | None) -> list[Event]:
        """Return what was done to a file after the commit at a place, oldest first."""
        events = self._events.get(path, ())
        return [event for event in events if place is None or event.at < place]

    def renamed(
        self, path: str, place: int | None, exists: Callable[[str], bool]
    ) -> tuple[str, int] | None:
        """Return where a file is now that was renamed after a place, perhaps several times, and
        the place of the first rename; None where no name that it was given is there.
        """
        known, ways = {path}, [(path, place, -1)]
        while ways and len(known) < _MOST_RENAMES:
            name, after, first = ways.pop(0)
            for event in self.since(name, after):
                if event.what != "R" or event.to in known:
                    continue
                began = event.at if first < 0 else first
                if exists(event.to):
                    return event.to, began
                known.add(event.to)
                ways.append((event.to, event.at, began))
        return None


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")
