"""Memories that a merge of lines (`merge=union`) fused: one object that says every key twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from store.merge.bounds import MAX_KEYS, MAX_LINES, check_versions
from store.merge.record import merge_records

Pair = tuple[str, Any]
_WHOLE = frozenset(
    ("id", "agent", "issueNumber", "category", "content", "summary", "tokens", "timestamp")
)
"""Keys that every memory has: one that stands once belongs to all that are fused."""
_HEADER = "  "
_DEEPER = " " * 8
_END = "    }"
_KEY = re.compile(r'(?P<indent>  |      )(?P<key>"(?:[^"\\]|\\.)*"): (?P<value>.*)')
_SPACE = " \t\r\n,:"
_SCAN = json.JSONDecoder().raw_decode


def is_fused(pairs: Sequence[Pair]) -> bool:
    """Whether an object says its id or its text twice, each time something else."""
    return any(
        len({repr(value) for name, value in pairs if name == key}) > 1 for key in ("id", "content")
    )


def from_history(
    pairs: Sequence[Pair], versions: Sequence[Mapping[str, Mapping[str, Any]]]
) -> list[dict[str, Any]] | None:
    """The memories that were fused into one object, as they were before the merge that fused them.

    `versions` are the memories of the base, ours and theirs, by their ids. `None` where one of them
    is in neither side, or says what the object does not: it was changed since.
    """
    said = {(key, repr(value)) for key, value in pairs}
    found: list[dict[str, Any]] = []
    for identifier in dict.fromkeys(value for key, value in pairs if key == "id"):
        base, *both = (it.get(identifier) for it in versions)
        sides = [it for it in both if it is not None]
        if not sides or not all(_is_said(it, said) for it in sides):
            return None
        merged = sides[0] == sides[-1] or merge_records(base, sides[0], sides[-1])
        found.append(dict(sides[0]) if merged is True else merged)
    return found


def _is_said(record: Mapping[str, Any], said: set[tuple[str, str]]) -> bool:
    """Whether an object says all of a record; lists and objects may be torn apart in it."""
    plain = ((key, it) for key, it in record.items() if not isinstance(it, list | dict))
    return all((key, repr(it)) in said for key, it in plain)


def take_apart(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """The memories that were fused into one object.

    Of a key that stands twice, each takes one value, in order. Where they have the same id, it is
    one memory that both sides edited: both texts are kept. Raises `Unreadable` for more than are
    merged.
    """
    counts = Counter(key for key, _ in pairs)
    check_versions(key for key, _ in pairs)
    number = max(counts[key] for key in ("id", "content"))
    found: list[dict[str, Any]] = [{} for _ in range(number)]
    seen: Counter[str] = Counter()
    last: int | None = None
    for key, value in pairs:
        if counts[key] > 1:
            last = min(seen[key], number - 1)
            seen[key] += 1
        elif key in _WHOLE or key == "sessionId":
            last = None
        for one in found if last is None else (found[last],):
            one[key] = value
    for key in ("id", "content", *_WHOLE):
        # A key that stands twice in a fusion of three is missing in the third: the last one holds.
        values = [one[key] for one in found if key in one]
        for one in found if values else ():
            one.setdefault(key, values[-1])
    memories: dict[str, dict[str, Any]] = {}
    for one in found:
        name = str(one.get("id"))
        memories[name] = merge_records(None, memories[name], one) if name in memories else one
    return list(memories.values())


def read_lines(text: str) -> tuple[dict[str, Any], list[list[Pair]]] | None:
    """The header and the keys of each object of a file, read line by line at AgentX's indentation.

    Commas and brackets may be missing or too many, as a merge of lines leaves them; an object that
    was not closed before the next began is one with it. `None` where a line is none of a file's, or
    there are more than people's files have.
    """
    header: dict[str, Any] = {}
    objects: list[list[Pair]] = [[]]
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        return None
    at = 0
    try:
        while at < len(lines):
            line = lines[at]
            at += 1
            if match := _KEY.fullmatch(line):
                in_header = match["indent"] == _HEADER
                if in_header and match["key"] == '"observations"':
                    continue
                value, at = _value_of(match["value"], lines, at)
                if in_header:
                    header[json.loads(match["key"])] = value
                else:
                    objects[-1].append((json.loads(match["key"]), value))
                    if len(objects[-1]) > MAX_KEYS:
                        return None
            elif line.rstrip(" ,") == _END:
                objects.append([])
            elif line.strip(" ,{}[]") and not _add_stray(objects[-1], line):
                return None
    except (ValueError, RecursionError):
        return None
    return header, [pairs for pairs in objects if pairs]


def _add_stray(pairs: list[Pair], line: str) -> bool:
    """Add a line to the list that it was parted from, the last one; else it is a tag.

    Whether it is a line of a list at all.
    """
    if not line.startswith(_DEEPER):
        return False
    last = next((value for _, value in reversed(pairs) if isinstance(value, list)), None)
    if last is None:
        last = []
        pairs.append(("tags", last))
    last.extend(one for one in _loose(f"[{line}]", 0)[0] if one not in last)
    return len(last) <= MAX_KEYS


def _value_of(first: str, lines: Sequence[str], at: int) -> tuple[Any, int]:
    """The value that a line begins, and the line after it; lines may follow that belong to it."""
    if first not in ("[", "{"):
        return json.loads(first.rstrip(" ,")), at
    text = first
    while at < len(lines) and lines[at].startswith(_DEEPER):
        text += lines[at]
        at += 1
    closing = "]" if first == "[" else "}"
    if at < len(lines) and lines[at].strip(" ,") == closing:
        at += 1
    return _loose(text + closing, 0)[0], at


def _loose(text: str, at: int) -> tuple[Any, int]:
    """A list or object in which commas may be missing, and where it ends. Raises `ValueError`."""
    if text[at : at + 1] not in ("[", "{"):
        return _SCAN(text, at)
    closing = "]" if text[at] == "[" else "}"
    items: list[Any] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        item, at = _loose(text, at)
        items.append(item)
        at = _skip(text, at)
    pairs = zip(items[::2], items[1::2], strict=True)
    return (items if closing == "]" else {str(key): value for key, value in pairs}), at + 1


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _SPACE:
        at += 1
    return at
