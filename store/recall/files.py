"""Files in memory: those that a task means, those often worked on, those that go together."""

from __future__ import annotations

import re
from functools import lru_cache

from store.model import Category, Observation
from store.search.analyzers import plain_terms, stem, with_parts
from store.text.code import paths_in

_NAME = re.compile(r"\b(?:[A-Za-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w*)\b|`([^`\n]{3,60})`")
_LISTED = re.compile(r"^Files: (.+)$", re.M)
"""Where a change whose reason is told first names its files."""
_CARRIES = "Changed in this session: "
_CARRIED = re.compile(rf"^{_CARRIES}(?:.{{0,2000}} – )?(.+)$", re.M)
"""Where a memory names the files of a change of which nobody said why; few texts have any."""
_MOST_NAMED = 40
_EXACT, _BASENAME = 1.0, 0.9


@lru_cache(maxsize=16_384)
def words_of_path(path: str) -> frozenset[str]:
    return frozenset(map(stem, plain_terms(with_parts(path))))


def subjects_of(observation: Observation) -> tuple[str, ...]:
    """Return the files that an observation is about, the main one first: those that a code change
    lists before it says why, those that an error names, or the one that other words begin with and
    those that were changed beside it; what names one further on is about something else.
    """
    return _subjects(observation.category, observation.content)


@lru_cache(maxsize=16_384)
def _subjects(category: str, content: str) -> tuple[str, ...]:
    match category:
        case Category.CODE_CHANGE:
            listed = None if paths_in(content.partition(" ")[0], 1) else _LISTED.search(content)
            first = listed[1] if listed else content.partition(": ")[0]
            return paths_in(first) or paths_in(content, 1)
        case Category.ERROR:
            return paths_in(content)
    first = paths_in(content.split(maxsplit=1)[0], 1) if content.strip() else ()
    begins = first if first and content.startswith(first[0]) else ()
    carried = _CARRIED.search(content) if _CARRIES in content else None
    return tuple(dict.fromkeys((*begins, *paths_in(carried[1])))) if carried else begins


def names_in(task: str) -> frozenset[str]:
    """Return the identifiers in a task: `snake_case`, `camelCase`, and what is in backticks."""
    return frozenset(match.group(1) or match.group() for match in _NAME.finditer(task))


@lru_cache(maxsize=16)
def named_in(task: str) -> tuple[str, ...]:
    """The files and identifiers that a task names; a file by its path and by its name alone."""
    paths = paths_in(task, _MOST_NAMED)
    return (*paths, *(path.rpartition("/")[2] for path in paths), *sorted(names_in(task)))


def mention_of_file(file: str, task: str) -> float:
    """Directness (0 to 1) with which a task names a file: by its path or its name alone."""
    base = file.rpartition("/")[2]
    if base not in task:
        return 0.0
    if file in task:
        return _EXACT
    return _BASENAME if re.search(rf"(?<![\w.-]){re.escape(base)}(?![\w-])", task) else 0.0
