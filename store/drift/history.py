"""The history of a repository: which commit changed, moved or removed which file. Pure.

It is read from `git log --date-order --name-status -M -z`, each commit as `FORMAT`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

FORMAT = "%x01%H %ct %P"
COMMIT = b"\x01"
"""What a commit begins with."""
LONGEST_BRANCH = 90 * 86_400
"""Seconds for which a commit may wait on a branch until it is merged."""
_RENAMED = ("R", "C")
_MOST_RENAMES = 100
"""Renames of one file that are followed."""


class Commit(NamedTuple):
    """A commit, its time in seconds since 1970, and the ids of its parents."""

    id: str
    time: int
    parents: tuple[str, ...] = ()


class Event(NamedTuple):
    """What a commit, by its place in the history, did to a file: git's letter for it, and for a
    renamed one (`R`) its new path.
    """

    at: int
    what: str
    to: str = ""


class Moment(NamedTuple):
    """A moment in a history: the place of its newest commit, or of the commit that `is_known` to
    have been checked out then: what waited on another branch came later.
    """

    place: int
    is_known: bool = False


class History:
    """Commits, newest first, and what they did to each file, oldest first."""

    def __init__(self, log: bytes) -> None:
        found: list[tuple[Commit, list[bytes]]] = []
        for token in log.split(b"\0"):
            if token.startswith(COMMIT):
                identifier, time, *parents = token[1:].decode().split()
                found.append((Commit(identifier, int(time), tuple(parents)), []))
            elif found:
                found[-1][1].append(token)
        times: dict[str, int] = {}
        for commit, _ in reversed(found):
            earlier = (times.get(parent, 0) for parent in commit.parents)
            times[commit.id] = max((commit.time, *earlier))
        found.sort(key=lambda each: -times[each[0].id])  # what was added to a log may be older
        self.commits = [commit for commit, _ in found]
        self._ages = [-times[commit.id] for commit in self.commits]
        self._unmerged: dict[int, Collection[int]] = {}
        self._events: defaultdict[str, list[Event]] = defaultdict(list)
        for at, (_, tokens) in enumerate(found):
            self._add(at, iter(tokens))
        for events in self._events.values():
            events.reverse()

    def _add(self, at: int, tokens: Iterator[bytes]) -> None:
        for token in tokens:
            what = token.strip().decode("ascii", "replace")[:1]
            if not what:
                continue
            path = _text(next(tokens, b""))
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

    def moment_of(self, commit: str, time: int, *, is_sure: bool = False) -> Moment | None:
        """Return the moment of a commit, or the newest one at or before a time where that is
        older, unless the commit `is_sure`: a session may be captured long after it. None where it
        is before what is known.
        """
        place = bisect_left(self._ages, -time)
        known = self._places.get(commit)
        if known is not None and (is_sure or known >= place):
            return Moment(known, is_known=True)
        return Moment(place) if place < len(self.commits) else None

    def since(self, path: str, moment: Moment | None) -> list[Event]:
        """Return what was done to a file after a moment, oldest first."""
        events = self._events.get(path, ())
        return [event for event in events if moment is None or self._is_later(event.at, moment)]

    def _is_later(self, at: int, moment: Moment) -> bool:
        place = moment.place
        if at < place or not moment.is_known:
            return at < place
        if place not in self._unmerged:
            self._unmerged[place] = self._not_ancestors(place)
        return at in self._unmerged[place]

    def _not_ancestors(self, place: int) -> Collection[int]:
        """Return the places of the commits that are no newer than one, and no ancestors of it."""
        end = bisect_left(self._ages, self._ages[place] + LONGEST_BRANCH)
        ancestors, ways = {place}, [place]
        while ways:
            for parent in self.commits[ways.pop()].parents:
                at = self._places.get(parent, end)
                if at < end and at not in ancestors:
                    ancestors.add(at)
                    ways.append(at)
        return set(range(place, end)) - ancestors

    def renamed(
        self, path: str, moment: Moment | None, exists: Callable[[str], bool]
    ) -> tuple[str, int] | None:
        """Return where a file is now that was renamed after a moment, perhaps several times, and
        the place of the first rename; None where no name that it was given is there.
        """
        known, ways = {path}, [(path, moment, -1)]
        while ways and len(known) < _MOST_RENAMES:
            name, after, first = ways.pop(0)
            for event in self.since(name, after):
                if event.what != "R" or event.to in known:
                    continue
                began = event.at if first < 0 else first
                if exists(event.to):
                    return event.to, began
                known.add(event.to)
                ways.append((event.to, Moment(event.at), began))
        return None


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")
