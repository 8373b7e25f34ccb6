"""What a memory cites of the code: files, lines of them, and names. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from store.search.analyzers import stem
from store.search.relevance import stems_of
from store.text.code import REMOVED, code_spans, paths_in

_IDENTIFIER = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::|->|#))*([A-Za-z_]\w{3,})(\(\))?", re.ASCII)
"""A code span that is one name, perhaps of a part of something: `lock.Wait()`."""
_LINES = r"(?::|#L)(\d{1,6})(?:[-–](?:L)?(\d{1,6}))?"
"""Lines behind a path: `lock.py:12`, `lock.py:12-20`, `lock.py#L12-L20`."""
_REMOVING = frozenset(map(stem, ("remove", "delete", "rename", "replace", "drop")))
"""The stems of words by which a memory is about something that is gone."""
_REMOVED_FILE = re.compile(rf"(?<!\S)\S++{re.escape(REMOVED)}")
MOST_LINES = 200


class Citation(NamedTuple):
    """A file that a memory names, and the first and last line of it that it cites, or none.

    `is_argument`: only commands between backticks name it, for which it need only be there.
    """

    path: str
    lines: tuple[int, int] | None = None
    is_argument: bool = False


def citations_in(content: str) -> tuple[Citation, ...]:
    """Return the files that a memory names; of those outside the project, and of those of which it
    says that they were removed, none.
    """
    kept = _REMOVED_FILE.sub("", content)
    said = "\n".join(map(_without_commands, kept.split("\n")))
    return tuple(
        Citation(path, _lines_of(path, kept), path not in said)
        for path in paths_in(kept)
        if is_inside(path)
    )


def _without_commands(line: str) -> str:
    """Return a line without what has several words between backticks: these come in pairs, but
    for where the text was cut.
    """
    parts = line.split("`")
    for span in parts[1::2] if len(parts) % 2 else ():
        if " " in span:
            line = line.replace(f"`{span}`", "")
    return line


def is_inside(path: str) -> bool:
    """Return whether a path can be one of the project, relative to its root."""
    return not path.startswith(("/", "~")) and ".." not in path.split("/")


def _lines_of(path: str, content: str) -> tuple[int, int] | None:
    found = re.search(re.escape(path) + _LINES, content)
    if found is None:
        return None
    first = int(found[1])
    last = int(found[2] or first)
    return (first, last) if 0 < first <= last < first + MOST_LINES else None


def names_of(content: str) -> tuple[str, ...]:
    """Return the names in a text that only code has: in backticks, and with an underscore, a
    capital inside or parentheses behind.
    """
    found = (_IDENTIFIER.fullmatch(span) for span in code_spans(content))
    return tuple(
        dict.fromkeys(
            name
            for name, call in (match.groups() for match in found if match)
            if call or "_" in name.strip("_") or name[1:].lower() != name[1:]
        )
    )


def is_about_removal(content: str) -> bool:
    """Return whether a memory itself is about something that was removed."""
    return not _REMOVING.isdisjoint(stems_of(_REMOVED_FILE.sub("", content)))
