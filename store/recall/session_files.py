"""The files of sessions, and what of their worth does not depend on a task. Pure.

A file's score is the sum over sessions of how much each is about the task, to the third power. What
was only read counts less; the words of its path that stand in the task, its name there, and how
often it was changed add to it. Set by hand on sessions of six projects; changing a weight by half
moves the result by a point or two (`python -m tests.bench.swe`).

Without what a recall is asked and answers: who captures a session works its files out as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import log, log1p
from types import MappingProxyType
from typing import NamedTuple

from store.recall.files import mention_of_file
from store.search.analyzers import stem
from store.search.relevance import significant_words

POWER = 3
"""To which it counts how much something is about the task: a few that are really alike outweigh
many that are a little.
"""
_READ, _SCRATCH = 0.5, 0.1
"""What a file counts that was only read, and one that sessions made, perhaps each anew, and none
came back to: most of these are scratch."""
_PATH, _OFTEN, _NAMED = 0.6, 0.1, 0.3
_READ_OFTEN, _SCRATCH_WORDS = 0.3, 0.2
_UNLIKE = 0.2
"""Sessions less like the task than this add nothing that counts."""


class SessionFiles(NamedTuple):
    """The files of one session: `changed` and `read` count by path, `created` are those of the
    changed that it made, `removed` the files and folders that were gone when it ended.
    """

    session: str
    ended: datetime
    changed: Mapping[str, int]
    read: Mapping[str, int] = MappingProxyType({})
    created: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    def removes(self, path: str) -> bool:
        """Whether the session removed a file, or a folder above it."""
        return not self.removed.isdisjoint(_and_folders(path))


class FilesOfSessions:
    """The files of sessions, each by one name, with what does not depend on the task worked out.

    `touching` has the sessions that changed or read each; `by_word` has the files in whose path
    each word stands, by the word's stem.
    """

    def __init__(
        self, sessions: Iterable[SessionFiles], by_word: Mapping[str, Sequence[str]]
    ) -> None:
        self.sessions = {it.session: it for it in sessions}
        self.by_word = by_word
        self.touching: dict[str, list[SessionFiles]] = defaultdict(list)
        for it in self.sessions.values():
            for path in {*it.changed, *it.read}:
                self.touching[path].append(it)
        self.often: dict[str, float] = defaultdict(float)
        for it in self.sessions.values():
            for path in it.changed:
                self.often[path] += not self.is_scratch(path)
            for path in it.read.keys() - it.changed.keys():
                self.often[path] += _READ_OFTEN * self.rarity(path)
        most = log1p(max(self.often.values(), default=0.0)) or 1.0
        self._removed: dict[str, datetime] = {}
        for it in self.sessions.values():
            for path in it.removed:
                self._removed[path] = max(self._removed.get(path, it.ended), it.ended)
        self._scores = {
            path: _OFTEN * log1p(self.often.get(path, 0.0)) / most for path in self.touching
        }
        """What each file scores whatever the task: how often it was touched."""
        self._shares: dict[str, list[tuple[str, float]]] = {}

    def is_scratch(self, path: str) -> bool:
        """Whether every session that touched the file made it anew: none came back to it."""
        return all(path in it.created for it in self.touching[path])

    def is_removed(self, path: str, beside: Sequence[SessionFiles] = ()) -> bool:
        """Whether the last session that had to do with a file removed it; `beside` are others that
        changed it.
        """
        removed = [self._removed[it] for it in _and_folders(path) if it in self._removed]
        if not removed:
            return False
        touching = (*self.touching.get(path, ()), *beside)
        left = [it.ended for it in touching if not it.removes(path)]
        return max(removed) > max(left, default=datetime.min.replace(tzinfo=UTC))

    def rarity(self, path: str) -> float:
        """How few (0 to 1) of the sessions touched a file."""
        return 1 - len(self.touching[path]) / (len(self.sessions) + 1)

    def scores(self, likeness: Mapping[str, float], task: str) -> dict[str, float]:
        """What each file scores, given how much (0 to 1) each session is about the task."""
        scores = dict(self._scores)
        for session, alike in likeness.items():
            if alike < _UNLIKE or session not in self.sessions:
                continue
            weight = alike**POWER
            for path, share in self._shares_of(session):
                scores[path] += weight * share
        self._add_words(scores, task)
        return scores

    def _shares_of(self, session: str) -> list[tuple[str, float]]:
        """What each file of a session counts where that is wholly about a task."""
        known = self._shares.get(session)
        if known is None:
            it = self.sessions[session]
            known = [(path, _SCRATCH if self.is_scratch(path) else 1.0) for path in it.changed]
            read = it.read.keys() - it.changed.keys()
            known += [(path, _READ * self.rarity(path)) for path in sorted(read)]
            self._shares[session] = known
        return known

    def _add_words(self, scores: dict[str, float], task: str) -> None:
        """Add what a file's path and name have in the task."""
        rarest = log(1 + len(scores) / 1.5)
        shared: dict[str, float] = defaultdict(float)
        for word in frozenset(stem(word) for word in significant_words(task)) & self.by_word.keys():
            paths = self.by_word[word]
            rarity = log(1 + len(scores) / (len(paths) + 0.5)) / rarest
            for path in paths:
                shared[path] += rarity
        for path, share in shared.items():
            often = self.often.get(path, 0.0)
            scores[path] += _PATH * share * (1 if often else _SCRATCH_WORDS)
            if often and mention_of_file(path, task):
                scores[path] += _NAMED


def _and_folders(path: str) -> Iterator[str]:
    """A path, and those of the folders above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


NO_FILES = FilesOfSessions((), {})
