"""The lines of a TOML text on which its keys are set."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TABLE = re.compile(r"\s*\[\s*(?P<name>[^\[\]]+?)\s*\]\s*(?:#.*)?")
_KEY = re.compile(r"(?P<name>[\w.\-\"'\t ]+)=")


def line_of(lines: Mapping[tuple[str, ...], int], names: tuple[str, ...]) -> int | None:
    """The line on which a key is set, or else the table that holds it."""
    found = (lines[names[:end]] for end in range(len(names), 0, -1) if names[:end] in lines)
    return next(found, None)


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line that first names each table or sets each key, by the whole path of names."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if found := _TABLE.fullmatch(line):
            table = names = _names(found["name"])
        elif found := _KEY.match(line):
            names = (*table, *_names(found["name"]))
        else:
            continue
        for end in range(1, len(names) + 1):
            lines.setdefault(names[:end], number)
    return lines


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
