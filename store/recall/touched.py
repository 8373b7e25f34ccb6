"""Which files a task may touch, by what earlier sessions changed and read. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import datetime
from heapq import nsmallest
from types import MappingProxyType
from typing import NamedTuple

from store.model import UNDATED
from store.recall.files import mention_of_file, subjects_of, tested_by
from store.recall.session_files import POWER, FilesOfSessions, SessionFiles
from store.recall.values import FileHint, Kind, Ranked

MOST = 10
_LEADING = 40
"""The files among which tests are looked for that are told beside what they test."""
_LEAST = 0.02
"""The share of the best score below which a file is not told."""


Gone = Callable[[str], bool | None]
"""Says of a file whether it stands no more where it stood; None where that is unknown."""


def none_gone(path: str) -> None:
    """Of no file: where nothing is known of a working tree."""


class _Seen(NamedTuple):
    """What is known of a file: in how many sessions it was changed and read, and in which last."""

    changed: int
    read: int
    last: datetime
    session: str
    beside: str


class Remembered(NamedTuple):
    """What memories tell of files: by session, and how much each (0 to 1) is about the task, by its
    best memory; 1 where nothing of all that was found is more so.
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
        if not paths:
            continue
        session = observation.session_id or f"{observation.issue_number} {observation.agent}"
        if session in digested:
            continue
        for path in paths:
            changed[session][path] += 1
            ended[session] = max(ended.get(session, observation.timestamp), observation.timestamp)
            scores[path] = max(scores[path], it.score)
    best = max((it.score for it in ranked), default=0.0) or 1.0
    sessions = [SessionFiles(it, ended[it], files) for it, files in changed.items()]
    return Remembered(sessions, {path: (score / best) ** POWER for path, score in scores.items()})


def files_to_touch(
    known: FilesOfSessions,
    likeness: Mapping[str, float],
    remembered: Remembered,
    task: str,
    most: int = MOST,
    gone: Gone = none_gone,
) -> list[FileHint]:
    """The files that a task may touch, the likeliest first, each with why; none that is gone, or
    where that is unknown, that the last session which had to do with it removed.

    `likeness` is how much (0 to 1, the best being 1) each session is about the task.
    """
    scores = known.scores(likeness, task)
    best = max(scores.values(), default=0.0) or 1.0
    for path, score in remembered.scores.items():
        scores[path] = scores.get(path, 0.0) + score * best
    beside: dict[str, list[SessionFiles]] = defaultdict(list)
    for it in remembered.sessions:
        for path in it.changed:
            beside[path].append(it)

    def is_gone(path: str) -> bool:
        told = gone(path)
        return known.is_removed(path, beside.get(path, ())) if told is None else told

    leading, tests = _with_tests(scores, most, is_gone)
    least = _LEAST * max((-score for score, _ in leading), default=0.0)
    hints = []
    for score, path in leading:
        if -score <= least:
            break
        seen = _seen(path, [*known.touching.get(path, ()), *beside.get(path, ())])
        why = _why(path, seen, task, tests.get(path, ""))
        hints.append(FileHint(path, -score / best, why))
    return hints


def _with_tests(
    scores: Mapping[str, float], most: int, gone: Callable[[str], bool]
) -> tuple[list[tuple[float, str]], dict[str, str]]:
    """The files that lead, each with its score below nothing; what is tested stands for its tests
    among them, which are told beside it. The first tests of each, by its path.
    """
    ordered = nsmallest(_LEADING + most, ((-score, path) for path, score in scores.items()))
    leading = {path: score for score, path in ordered if not gone(path)}
    about = {path: name for path in [*leading][:_LEADING] if (name := tested_by(path))}
    sources = [path for path in [*leading][_LEADING - 1 :: -1] if path not in about]
    by_name = {path.rpartition("/")[2].rpartition(".")[0]: path for path in sources}
    tests: dict[str, str] = {}
    for path, name in about.items():
        if tested := by_name.get(name):
            leading[tested] = min(leading[tested], leading.pop(path))
            tests.setdefault(tested, path)
    return sorted((score, path) for path, score in leading.items())[:most], tests


def _seen(path: str, touched: Sequence[SessionFiles]) -> _Seen:
    changed = [it for it in touched if path in it.changed]
    read = [it for it in touched if path not in it.changed]
    last = max(changed or read, key=lambda it: it.ended)
    beside = Counter(other for it in changed for other in it.changed if other != path).most_common(
        1
    )
    with_it = beside[0][0] if beside and beside[0][1] > 1 else ""
    return _Seen(len(changed), len(read), last.ended, last.session, with_it)


def _why(path: str, seen: _Seen, task: str, test: str) -> tuple[str, ...]:
    """Why a file is told: how often it was changed, with what (its tests first), and when last."""
    parts = [f"{seen.changed}×" if seen.changed else f"read {seen.read}×"]
    if test:
        parts.append(f"with {test}")
    elif seen.beside:
        parts.append(f"with {seen.beside.rpartition('/')[2]}")
    if seen.last != UNDATED:
        parts.append(f"{seen.last.day} {seen.last:%b}")
    if mention_of_file(path, task):
        parts.append("named")
    return tuple(parts)
