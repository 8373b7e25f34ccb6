"""Which files a task may touch, by what earlier sessions changed and read. Pure.

A file's score is the sum over sessions of how much each is about the task, to the fourth power: so
a few that are really alike outweigh many that are a little. What was only read counts less; the
words of its path that stand in the task, its name there, and how often it was changed add to it.
Set by hand on sessions of six projects; changing a weight by half moves the result by a point or
two (`python -m tests.bench.swe`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from heapq import nsmallest
from math import log, log1p
from types import MappingProxyType
from typing import NamedTuple

from store.recall.files import mention_of_file, subjects_of, words_of_path
from store.recall.values import FileHint, Kind, Ranked, SessionFiles
from store.search.analyzers import stem
from store.search.relevance import significant_words

MOST = 10
_POWER = 4
_READ, _ONCE = 0.3, 0.1
"""What a file counts that was only read, and one that a single session made and none came back to:
most of these are scratch."""
_PATH, _OFTEN, _NAMED = 0.6, 0.1, 0.3
_READ_OFTEN, _SCRATCH_WORDS = 0.3, 0.2
_UNLIKE = 0.2
"""Sessions less like the task than this add nothing that counts."""
_LEAST = 0.02
"""The share of the best score below which a file is not told."""
_TAIL, _TAIL_BELOW = 2, 3
"""Last parts of a path that two names of one file have in common at least, and where a folder
stands before the shorter one."""


class _Seen(NamedTuple):
    """What is known of a file: in how many sessions it was changed and read, and in which last."""

    changed: int
    read: int
    last: datetime
    session: str
    beside: str


class Remembered(NamedTuple):
    """What memories tell of files: by session, and how much each (0 to 1, the best being 1) is
    about the task, by its best memory.
    """

    sessions: Sequence[SessionFiles] = ()
    scores: Mapping[str, float] = MappingProxyType({})


def files_remembered(ranked: Sequence[Ranked], digested: Container[str] = ()) -> Remembered:
    """The files that memories of code changes are about, but for those of `digested` sessions."""
    changed: dict[str, Counter[str]] = defaultdict(Counter)
    ended: dict[str, datetime] = {}
    scores: dict[str, float] = defaultdict(float)
    for it in ranked:
        observation = it.observation
        paths = subjects_of(observation) if it.kind is Kind.MEMORY else ()
        session = observation.session_id or f"{observation.issue_number} {observation.agent}"
        if session in digested:
            continue
        for path in paths:
            changed[session][path] += 1
            ended[session] = max(ended.get(session, observation.timestamp), observation.timestamp)
            scores[path] = max(scores[path], it.score)
    best = max(scores.values(), default=0.0) or 1.0
    sessions = [SessionFiles(it, ended[it], files) for it, files in changed.items()]
    return Remembered(sessions, {path: score / best for path, score in scores.items()})


class FilesOfSessions:
    """The files of sessions, each by one name, with what does not depend on the task worked out."""

    def __init__(self, sessions: Sequence[SessionFiles]) -> None:
        names = one_name_each(path for it in sessions for path in (*it.changed, *it.read))
        self.sessions = {it.session: _renamed(it, names) for it in sessions}
        self.spread = Counter(
            path for it in self.sessions.values() for path in {*it.changed, *it.read}
        )
        self.often: dict[str, float] = defaultdict(float)
        for it in self.sessions.values():
            for path in it.changed:
                self.often[path] += not self.is_scratch(path, it)
            for path in it.read.keys() - it.changed.keys():
                self.often[path] += _READ_OFTEN * self.rarity(path)
        self.by_word: dict[str, list[str]] = defaultdict(list)
        for path in self.spread:
            for word in words_of_path(path):
                self.by_word[word].append(path)
        most = log1p(max(self.often.values(), default=0.0)) or 1.0
        self._scores = {
            path: _OFTEN * log1p(self.often.get(path, 0.0)) / most for path in self.spread
        }
        """What each file scores whatever the task: how often it was touched."""

    def is_scratch(self, path: str, session: SessionFiles) -> bool:
        """Whether a session made the file, and no other came back to it."""
        return path in session.created and self.spread[path] == 1

    def rarity(self, path: str) -> float:
        """How few (0 to 1) of the sessions touched a file."""
        return 1 - self.spread[path] / (len(self.sessions) + 1)

    def scores(self, likeness: Mapping[str, float], task: str) -> dict[str, float]:
        """What each file scores, given how much (0 to 1) each session is about the task."""
        scores = dict(self._scores)
        for session, alike in likeness.items():
            it = self.sessions.get(session)
            if it is None or alike < _UNLIKE:
                continue
            weight = alike**_POWER
            for path in it.changed:
                scores[path] += weight * (_ONCE if self.is_scratch(path, it) else 1)
            for path in it.read.keys() - it.changed.keys():
                scores[path] += _READ * weight * self.rarity(path)
        self._add_words(scores, task)
        return scores

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


def files_to_touch(
    known: FilesOfSessions,
    likeness: Mapping[str, float],
    remembered: Remembered,
    task: str,
    most: int = MOST,
) -> list[FileHint]:
    """The files that a task may touch, the likeliest first, each with why.

    `likeness` is how much (0 to 1, the best being 1) each session is about the task.
    """
    scores = known.scores(likeness, task)
    best = max(scores.values(), default=0.0)
    for path, score in remembered.scores.items():
        scores[path] = scores.get(path, 0.0) + score * (best or 1.0)
    ranked = nsmallest(most, ((-score, path) for path, score in scores.items()))
    total = {path: -score / (best or 1.0) for score, path in ranked}
    least = _LEAST * max(total.values(), default=0.0)
    told = [path for path, score in total.items() if score > least]
    sessions = [*known.sessions.values(), *remembered.sessions]
    return [FileHint(path, total[path], _why(path, _seen(path, sessions), task)) for path in told]


def one_name_each(paths: Iterable[str]) -> dict[str, str]:
    """One name for each file that sessions saw through several folders (worktrees, checkouts in a
    subfolder): the end that its paths have in common. Others keep theirs, and are not in it.
    """
    by_end: dict[str, list[str]] = defaultdict(list)
    for path in dict.fromkeys(paths):
        by_end["/".join(path.rsplit("/", _TAIL)[-_TAIL:])].append(path)
    names: dict[str, str] = {}
    for named in by_end.values():
        if len(named) == 1:
            continue
        alike = [tuple(path.split("/")) for path in named]
        groups: list[list[tuple[str, ...]]] = []
        for parts in sorted(alike, key=lambda it: (len(it), it)):
            group = next((it for it in groups if _is_same(it[0], parts)), None)
            if group is None:
                groups.append([parts])
            else:
                group.append(parts)
        for group in groups:
            shared = min(_shared(group[0], parts) for parts in group)
            name = "/".join(group[0][len(group[0]) - shared :])
            names.update(("/".join(parts), name) for parts in group)
    return names


def _is_same(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether two paths end alike, and what stands before that in one leads to the other."""
    shared = _shared(short, long)
    before, inside = short[: len(short) - shared], long[: len(long) - shared]
    return inside[: len(before)] == before and shared >= (_TAIL_BELOW if before else _TAIL)


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many last parts two paths have in common."""
    shared = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        shared += 1
    return shared


def _renamed(it: SessionFiles, names: Mapping[str, str]) -> SessionFiles:
    if names.keys().isdisjoint(it.changed) and names.keys().isdisjoint(it.read):
        return it
    changed: Counter[str] = Counter()
    read: Counter[str] = Counter()
    for path, count in it.changed.items():
        changed[names.get(path, path)] += count
    for path, count in it.read.items():
        read[names.get(path, path)] += count
    created = frozenset(names.get(path, path) for path in it.created)
    return it._replace(changed=changed, read=read, created=created)


def _seen(path: str, sessions: Sequence[SessionFiles]) -> _Seen:
    changed = [it for it in sessions if path in it.changed]
    read = [it for it in sessions if path in it.read and path not in it.changed]
    last = max(changed or read, key=lambda it: it.ended)
    beside = Counter(other for it in changed for other in it.changed if other != path).most_common(
        1
    )
    with_it = beside[0][0] if beside and beside[0][1] > 1 else ""
    return _Seen(len(changed), len(read), last.ended, last.session, with_it)


def _why(path: str, seen: _Seen, task: str) -> tuple[str, ...]:
    """Why a file is told: how often it was changed, with what, and when last."""
    parts = [f"{seen.changed}×" if seen.changed else f"read {seen.read}×"]
    if seen.beside:
        parts.append(f"with {seen.beside.rpartition('/')[2]}")
    parts.append(f"{seen.last.day} {seen.last:%b}")
    if mention_of_file(path, task):
        parts.append("named")
    return tuple(parts)


NO_FILES = FilesOfSessions(())
