"""The properties of a note: the lines between two rules at its start, as Obsidian writes them.

Texts and lists of texts, no more of YAML: what is not understood stays in the file as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Properties = Mapping[str, str | list[str]]
_PROPERTY = re.compile(r"(?P<name>[^\s:#\[\]{}\"'-][^:\n]{0,99}?)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_LISTED = re.compile(r"[ \t]*-[ \t]+(?P<value>.*)")
_MOST = 200


def read_properties(front: str) -> Properties:
    """The properties that a note's front matter names, at most 200."""
    found: dict[str, str | list[str]] = {}
    listed: list[str] | None = None
    for line in front.splitlines()[1:-1]:
        if (one := _PROPERTY.fullmatch(line.rstrip())) is not None and len(found) < _MOST:
            value = (one["value"] or "").strip()
            listed = None if value else []
            found[one["name"]] = _value(value) if listed is None else listed
        elif listed is not None and (item := _LISTED.fullmatch(line.rstrip())) is not None:
            listed.append(_plain(item["value"]))
    return {name: value for name, value in found.items() if value}


def _value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [_plain(part) for part in text[1:-1].split(",") if part.strip()]
    return _plain(text)


def _plain(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
