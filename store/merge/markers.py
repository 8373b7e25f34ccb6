"""Git's conflict markers in a text: the versions that they set side by side."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from store.errors import Unopened

_MARKER = re.compile(r"(<{7}|\|{7}|={7}|>{7})(?: .*)?")
_UPDATED = b'"updatedAt"'
_HEAD = 4096
"""Bytes in which a file's own keys are, as every program writes it."""
_CONTENT = b'\n  "content":'
"""How the text begins in a memory's own file; inside a text a quote has a backslash."""


class Versions(NamedTuple):
    """The texts that a conflicted one was made from; `base` only where git wrote that too."""

    base: str | None
    ours: str
    theirs: str


def is_marker(line: str) -> bool:
    return _MARKER.fullmatch(line.rstrip("\r\n")) is not None


def split_markers(text: str) -> Versions | None:
    """Return the versions that a text with conflict markers holds; `None` where they don't fit
    together.

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


def has_markers(data: bytes) -> bool:
    return b"<<<<<<< " in data and b"\n>>>>>>> " in data


def check_not_fused(data: bytes, name: str) -> None:
    """Raise `Unopened` where a merge that keeps the lines of both sides (`merge=union`) made one
    object of two memories: a reader of JSON would drop one without a word.
    """
    is_twice = data.count(_UPDATED, 0, _HEAD) > 1 or data.count(_CONTENT) > 1
    if not is_twice or has_markers(data):
        return
    try:
        json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Unopened(
            f"{name} was merged line by line, which mixes memories up. Restore a version of it "
            f"from git: `git log -- {name}`, then `git checkout COMMIT -- {name}`."
        ) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; `ValueError` where it has two ids or two texts that differ."""
    for key in ("id", "content"):
        if len({repr(value) for name, value in pairs if name == key}) > 1:
            raise ValueError(key)
    return dict(pairs)
