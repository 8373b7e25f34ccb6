"""One name for each file, whatever folder a session saw it through. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from store.recall.files import words_of_path
from store.recall.session_files import FilesOfSessions, SessionFiles

_TAIL, _TAIL_BELOW = 2, 3
"""Last parts of a path that two names of one file have in common at least, and where a folder
stands before the shorter one."""


def files_of_sessions(sessions: Sequence[SessionFiles]) -> FilesOfSessions:
    """The files of sessions as each of them says, by one name each, with the words of the names."""
    names = one_name_each(path for it in sessions for path in (*it.changed, *it.read))
    renamed = {it.session: _renamed(it, names) for it in sessions}.values()
    by_word: dict[str, list[str]] = defaultdict(list)
    for path in dict.fromkeys(path for it in renamed for path in (*it.changed, *it.read)):
        for word in words_of_path(path):
            by_word[word].append(path)
    return FilesOfSessions(renamed, by_word)


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
    if names.keys().isdisjoint((*it.changed, *it.read, *it.removed)):
        return it
    changed: Counter[str] = Counter()
    read: Counter[str] = Counter()
    for path, count in it.changed.items():
        changed[names.get(path, path)] += count
    for path, count in it.read.items():
        read[names.get(path, path)] += count
    created = frozenset(names.get(path, path) for path in it.created)
    removed = frozenset(names.get(path, path) for path in it.removed)
    return it._replace(changed=changed, read=read, created=created, removed=removed)
