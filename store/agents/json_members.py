"""The members of JSON objects as spans of their text, so that one comes and goes without the rest.

The text is JSON already: whoever calls has parsed it. Of one with comments, `plain` is the same
text with blanks for them.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_OWN_COMMA = re.compile(r"\A[ \t]*,")
_LINE_END = re.compile(r"\A[ \t]*\r?\n")
_BLANKS = " \t\r\n"
_SPACE = re.compile(rf"[{_BLANKS}]*")
_value_at = json.JSONDecoder().raw_decode


class Member(NamedTuple):
    """A member: its name, and where in the text the name starts, the value starts and it ends."""

    name: str
    start: int
    value: int
    end: int


def members(text: str, at: int) -> list[Member]:
    """The members of the object whose brace stands at `at`, in their order."""
    found = []
    at = _after_space(text, at + 1)
    while text[at] != "}":
        start = at
        name, at = _value_at(text, at)
        value = _after_space(text, _after_space(text, at) + 1)
        _, at = _value_at(text, value)
        found.append(Member(name, start, value, at))
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return found


def root_of(text: str) -> int:
    """Find the opening brace of the text's object."""
    return _after_space(text, 0)


def with_member(text: str, plain: str, at: int, name: str, value: object) -> str:
    """The text with a member at the end of the object at `at`, written as its neighbours are."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    there = members(plain, at)
    outer = _indent_at(text, at)
    unit = _unit_of(text)
    if there:
        last = there[-1]
        inner = _indent_at(text, last.start)
        if "\n" not in plain[at : last.start]:
            written = f", {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
            return text[: last.end] + written + text[last.end :]
        written = f",\n{inner}{_member(name, value, inner, unit)}".replace("\n", line_end)
        return text[: last.end] + written + text[last.end :]
    inner = outer + unit
    written = f"\n{inner}{_member(name, value, inner, unit)}\n{outer}".replace("\n", line_end)
    return text[: at + 1] + written + text[at + 1 :]


def without_member(text: str, plain: str, at: int, name: str) -> str:
    """The text without a member of the object at `at`, as if it had been added last.

    Of several of one name the last goes: it is the one that counts. Comments around it stay.
    """
    there = members(plain, at)
    place = max(number for number, it in enumerate(there) if it.name == name)
    ours = there[place]
    before = there[place - 1].end if place else at + 1
    is_commented = text[before : ours.start] != plain[before : ours.start]
    if ours is not there[-1] and (is_commented or not place):
        comma = plain.index(",", ours.end)
        return text[: ours.start] + (text[ours.end : comma] + text[comma + 1 :]).lstrip(_BLANKS)
    rest = text[ours.end :]
    if is_commented:
        comma = plain.index(",", before) if place else ours.start
        kept = (text[:comma] + text[comma + 1 : ours.start]).rstrip(" \t")
        rest = _OWN_COMMA.sub("", rest)
        return kept + (_LINE_END.sub("", rest) if kept.endswith("\n") else rest)
    if place:
        return text[:before] + rest
    rest = _OWN_COMMA.sub("", rest)
    own = re.match(r"\r?\n" + re.escape(_indent_at(text, at)), rest)
    return text[:before] + rest[own.end() if own else 0 :]


def _member(name: str, value: object, indent: str, unit: str) -> str:
    body = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", "\n" + indent)
    return f"{json.dumps(name)}: {body}"


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _indent_at(text: str, at: int) -> str:
    """The blanks before the first character of the line on which a place lies."""
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit_of(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match.group(1) if match else "  "
