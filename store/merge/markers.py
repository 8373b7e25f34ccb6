"""Git's conflict markers in a text: the versions that they set side by side."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARKER = re.compile(r"(<{7}|\|{7}|={7}|>{7})(?: .*)?")


class Versions(NamedTuple):
    """The texts that a conflicted one was made from; `base` only where git wrote that too."""

    base: str | None
    ours: str
    theirs: str


def is_marker(line: str) -> bool:
    """Recognise a line of git's conflict markers."""
    return _MARKER.fullmatch(line.rstrip("\r\n")) is not None


def split_markers(text: str) -> Versions | None:
    """The versions that a text with conflict markers holds; `None` where they don't fit together.

    Lines outside of the markers belong to all versions.
    """
    parts: dict[str, list[str]] = {"<": [], "|": [], ">": []}
    inside, with_base, found = "", True, False
    for line in text.splitlines(keepends=True):
        marker = _MARKER.fullmatch(line.rstrip("\r\n"))
        sign = marker[1][0] if marker else ""
        follows = {"<": inside == "", "|": inside == "<", "=": inside in ("<", "|")}
        if sign and follows.get(sign, inside == "="):
            with_base &= (sign, inside) != ("=", "<")
            found = True
            inside = "" if sign == ">" else sign
        elif inside:
            parts[">" if inside == "=" else inside].append(line)
        else:
            for part in parts.values():
                part.append(line)
    if inside or not found:
        return None
    ours, base, theirs = ("".join(parts[sign]) for sign in "<|>")
    return Versions(base if with_base else None, ours, theirs)
