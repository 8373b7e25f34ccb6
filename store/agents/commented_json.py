"""Clients' JSON files, with comments where their client reads such: changed, never rewritten.

What a change does not concern stays as its user or its client wrote it, to the letter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from store.errors import Unreadable
from store.platform.bounds import load_json, load_toml
from store.platform.lazy_pattern import lazy_pattern

_STRING = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENT = r"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"
"""One that nobody closed ends with the text."""
_COMMENTS = lazy_pattern(rf"(?P<kept>{_STRING})|{_COMMENT}", re.ASCII)
_LAST_COMMA = lazy_pattern(rf"(?P<kept>{_STRING}|[{{\[][ \t\r\n]*+,)|,(?=[ \t\r\n]*+[}}\]])")
"""A comma after the last value. One before the first is nothing that a client passes over."""
_SIGN = lazy_pattern(r"[^\r\n]")
_BLANKS = " \t\r\n"
_SPACE = lazy_pattern(rf"[{_BLANKS}]*")
_OWN_COMMA = lazy_pattern(r"\A[ \t]*,")
_LINE_END = lazy_pattern(r"\A[ \t]*\r?\n")
_value_at = json.JSONDecoder().raw_decode


def plain_json(text: str) -> str:
    """Return the text with its comments, and commas before a bracket that closes, as blanks.

    What is left is at its place.
    """
    return _LAST_COMMA.sub(_blanked, _COMMENTS.sub(_blanked, text))


def _blanked(match: re.Match[str]) -> str:
    return match.group() if match["kept"] is not None else _SIGN.sub(" ", match.group())


def parsed_toml(text: str, path: Path) -> dict[str, Any]:
    """Return the table in a text. Raises `Unreadable`."""
    try:
        return load_toml(text)
    except ValueError as error:
        raise Unreadable(
            f"{path} is not valid TOML: {error}.", "Fix the file first; it was not changed."
        ) from error


def not_understood(path: Path, what: str) -> Unreadable:
    return Unreadable(
        f"{path} is not in the expected format: {what}.", "Fix the file first; it was not changed."
    )


class ClientJson:
    """The JSON of a client's files; `has_comments` where the client reads such, and last commas."""

    def __init__(self, *, has_comments: bool) -> None:
        self._has_comments = has_comments

    def parsed(self, text: str, path: Path) -> dict[str, Any]:
        """Return the object in a text; an empty one for no text. Raises `Unreadable`."""
        plain = self._plain(text)
        if not plain.strip():
            if text.strip():
                raise not_understood(path, "it has comments, and no object")
            return {}
        try:
            settings = load_json(plain)
            json.dumps(settings, allow_nan=False)  # no number that JSON does not have
        except ValueError as error:
            raise Unreadable(
                f"{path} is not valid JSON: {error}.", "Fix the file first; it was not changed."
            ) from error
        if not isinstance(settings, dict):
            raise not_understood(path, "not an object")
        return settings

    def edited(self, text: str, settings: Mapping[str, Any]) -> str:
        """Return a text that can be parsed changed to hold these settings, a value at a time."""
        if not text.strip():
            return json.dumps(settings, ensure_ascii=False, indent=2) + "\n" if settings else text
        while True:
            plain = self._plain(text)
            before = json.loads(plain)
            if before == settings:
                return text
            text = _one_change(text, plain, _after_space(plain, 0), before, settings)

    def reduced(self, text: str, emptied: Mapping[str, Any], bare: Mapping[str, Any]) -> str:
        """Return the text as `bare`, or as `emptied` where a list that was emptied has comments of
        its user's; empty where nothing is left.
        """
        kept, left = self.edited(text, emptied), self.edited(text, bare)
        if self._comments_in(kept) != self._comments_in(left):
            return kept
        return left if bare or self._comments_in(left) else ""

    def is_equivalent(self, one: str, other: str) -> bool:
        """Return whether two texts have the same value, blanks, and objects and lists without a
        value, apart. Comments count, too.
        """
        if self._comments_in(one) != self._comments_in(other):
            return False
        try:
            first, second = (self.parsed(text, Path()) for text in (one, other))
        except Unreadable:
            return False
        return _without_empty(first) == _without_empty(second)

    def _plain(self, text: str) -> str:
        return plain_json(text) if self._has_comments else text

    def _comments_in(self, text: str) -> list[str]:
        if not self._has_comments:
            return []
        return [found.group() for found in _COMMENTS.finditer(text) if found["kept"] is None]


def _without_empty(value: object) -> object:
    if isinstance(value, dict):
        inner = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item not in ({}, [])}
    return value


class _Item(NamedTuple):
    """An item of a list, or a member of an object with its name: where it starts in the text, where
    its value starts, and where it ends.
    """

    start: int
    value: int
    end: int
    name: str = ""


def _items(plain: str, at: int) -> list[_Item]:
    """Return the items of the list or object whose bracket is at `at`, in their order."""
    found = []
    is_object = plain[at] == "{"
    at = _after_space(plain, at + 1)
    while plain[at] not in "}]":
        start = value = at
        name = ""
        if is_object:
            name, at = _value_at(plain, at)
            value = _after_space(plain, _after_space(plain, at) + 1)
        end = _value_at(plain, value)[1]
        found.append(_Item(start, value, end, name))
        at = _after_space(plain, end)
        if plain[at] == ",":
            at = _after_space(plain, at + 1)
    return found


def _one_change(text: str, plain: str, at: int, before: Any, after: Any) -> str:  # noqa: ANN401 - JSON
    there = _items(plain, at)
    if isinstance(before, dict):
        places = {item.name: number for number, item in enumerate(there)}  # the last one counts
        gone = next((name for name in before if name not in after), None)
        if gone is not None:
            return _without_item(text, plain, at, places[gone])
        name = next(name for name in after if name not in before or before[name] != after[name])
        if name not in before:
            return _with_item(text, plain, at, after[name], f"{json.dumps(name)}: ")
        item, old, new = there[places[name]], before[name], after[name]
    else:
        pairs = enumerate(zip(before, after, strict=False))
        number = next((n for n, (old, new) in pairs if old != new), min(len(before), len(after)))
        if len(before) > len(after):
            return _without_item(text, plain, at, number)
        if number == len(before):
            return _with_item(text, plain, at, after[number])
        item, old, new = there[number], before[number], after[number]
    if type(old) is type(new) and isinstance(new, dict | list):
        return _one_change(text, plain, item.value, old, new)
    return text[: item.value] + _written(new, text, item.start) + text[item.end :]


def _with_item(text: str, plain: str, at: int, value: object, name: str = "") -> str:
    """The text with an item at the end of the list or object at `at`, as its neighbours are."""
    there = _items(plain, at)
    if not there:
        outer, unit = _indent_at(text, at), _unit_of(text)
        written = f"\n{outer}{unit}{name}{_written(value, text, at, outer + unit)}\n{outer}"
        return text[: at + 1] + _with_line_ends(written, text) + text[at + 1 :]
    last = there[-1]
    if "\n" in plain[at : last.start]:
        inner = _indent_at(text, last.start)
        written = _with_line_ends(f",\n{inner}{name}{_written(value, text, last.start)}", text)
    else:
        written = f", {name}{json.dumps(value, ensure_ascii=False)}"
    return text[: last.end] + written + text[last.end :]


def _without_item(text: str, plain: str, at: int, number: int) -> str:
    """Return the text without an item of the list or object at `at`, as if it had been added last.

    Comments around it stay.
    """
    there = _items(plain, at)
    ours = there[number]
    before = there[number - 1].end if number else at + 1
    is_commented = text[before : ours.start] != plain[before : ours.start]
    if ours is not there[-1] and (is_commented or not number):
        comma = plain.index(",", ours.end)
        return text[: ours.start] + (text[ours.end : comma] + text[comma + 1 :]).lstrip(_BLANKS)
    rest = text[ours.end :]
    if is_commented:
        comma = plain.index(",", before) if number else ours.start
        kept = (text[:comma] + text[comma + 1 : ours.start]).rstrip(" \t")
        rest = _OWN_COMMA.sub("", rest)
        return kept + (_LINE_END.sub("", rest) if kept.endswith("\n") else rest)
    if number:
        return text[:before] + rest
    rest = _OWN_COMMA.sub("", rest)
    own = re.match(r"\r?\n" + re.escape(_indent_at(text, at)), rest)
    return text[:before] + rest[own.end() if own else 0 :]


def _written(value: object, text: str, at: int, indent: str | None = None) -> str:
    written = json.dumps(value, ensure_ascii=False, indent=_unit_of(text))
    inner = _indent_at(text, at) if indent is None else indent
    return _with_line_ends(written.replace("\n", "\n" + inner), text)


def _with_line_ends(written: str, text: str) -> str:
    return re.sub(r"\r?\n", "\r\n", written) if "\r\n" in text else written


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _indent_at(text: str, at: int) -> str:
    """Return the blanks before the first character of the line on which a place lies."""
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit_of(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match.group(1) if match else "  "
