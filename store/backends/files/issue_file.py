"""An issue file as text: its records one by one, so that a rewrite touches only what changes.

A record that is not changed keeps its very bytes: unknown keys, doubled keys, 30-digit integers
and the order of keys survive because they are never taken apart.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from itertools import chain, repeat
from typing import Any

import orjson

from store.backends.issue_records import RecordList
from store.errors import Unreadable
from store.platform.bounds import MAX_RECORDS, is_nested_beyond
from store.records import RawRecord, as_json

_KEY = b'"observations"'
_OPEN = b'\n  "observations": ['
_CLOSE = b"\n  ]\n}"
_INDENT = b"\n    "
_BEFORE = b"\n    {"
_AFTER = b"\n    }"
_BETWEEN = b"\n    },\n    {"
_SPACE = " \t\r\n"

Scan = Callable[[str, int], tuple[Any, int]]
"""Reads the JSON value at a place in a text: the value, and where it ends."""


class IssueFile(RecordList):
    """The parts of an issue file: every top-level key but `observations`, and the records."""

    __slots__ = ("header",)

    def __init__(
        self, header: dict[str, Any] | None = None, records: list[RawRecord] | None = None
    ) -> None:
        super().__init__(records)
        self.header = {} if header is None else header


def parse_issue_file(data: bytes, name: str) -> IssueFile:
    """Read an issue file. Raises `Unreadable` with the reason and the place.

    Takes what people and programs really leave: a byte order mark, UTF-16, lone surrogates, NaN,
    doubled keys (the records of each `observations` count). An empty file is no issue file.
    """
    return (_parse_usual(data, name) or _parse_any(decode(data, name), name)).as_read()


def dump_issue_file(file: IssueFile) -> bytes:
    """Return the bytes of an issue file: the header first, unchanged records byte for byte."""
    header = as_json(file.header)[: -len(b"\n}")] + b"," if file.header else b"{"
    texts = [record.text for record in file.records]
    if not texts:
        return header + _OPEN + b"]\n}\n"
    before_each = chain((_INDENT,), repeat(b"," + _INDENT))
    laid = chain.from_iterable(zip(before_each, texts, strict=False))
    return b"".join((header, _OPEN, *laid, _CLOSE, b"\n"))


def _parse_usual(data: bytes, name: str) -> IssueFile | None:
    """Read a file that has AgentX's own layout, about twice as quick as value by value.

    A raw line feed can't be inside a JSON string, so what begins and ends the list of records
    at its usual indentation is that and nothing else: a second list of that name in between would
    leave no valid list. Likewise a record that is cut where none ends is no valid JSON. Anything
    unusual returns `None`.
    """
    start, end = data.find(_OPEN), data.rfind(_CLOSE)
    above, inside = data[:start], data[start + len(_OPEN) : end]
    if start < 0 or end < start or data[end + len(_CLOSE) :].strip() or _KEY in above:
        return None
    if not inside.startswith(_BEFORE) or not inside.endswith(_AFTER):
        return None
    if len(data) > MAX_RECORDS * len(_BETWEEN) and data.count(_BETWEEN) >= MAX_RECORDS:
        raise _too_many(name)
    pieces = inside[len(_BEFORE) : -len(_AFTER)].split(_BETWEEN)
    texts = [b"{%b\n    }" % piece for piece in pieces]
    try:
        header = json.loads(above + _OPEN + b"]}")
        del header["observations"]
        return IssueFile(header, [RawRecord(text, orjson.loads(text)) for text in texts])
    except (RecursionError, ValueError):
        return None


def decode(data: bytes, name: str) -> str:
    """Return the text of a file: UTF-8, or UTF-16 by its mark. Raises `Unreadable`."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding, errors = "utf-16", "surrogatepass"
    else:
        encoding, errors = "utf-8-sig", "surrogatepass"
    try:
        return data.decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{name} is not a text file: byte {error.start:,} is not {encoding.upper()}.",
            "Run `memtui doctor` for details.",
        ) from error


def _parse_any(text: str, name: str) -> IssueFile:
    decode_value = json.JSONDecoder().raw_decode

    def scan(text: str, at: int) -> tuple[Any, int]:
        value, end = decode_value(text, at)
        if is_nested_beyond(value):
            raise ValueError
        return value, end

    file = IssueFile()
    found = False
    try:
        at = _expect(text, _skip(text, 0), "{")
        if text[at : at + 1] != "}":
            while True:
                key, at = scan(text, at)
                if not isinstance(key, str):
                    raise json.JSONDecodeError("a key must be a string", text, at)
                at = _expect(text, _skip(text, at), ":")
                if key == "observations" and text[at : at + 1] == "[":
                    found = True
                    at = _scan_records(text, at + 1, file.records, scan, name)
                else:
                    file.header[key], at = scan(text, at)
                at = _skip(text, at)
                if text[at : at + 1] != ",":
                    break
                at = _skip(text, at + 1)
        at = _expect(text, at, "}")
        if at != len(text):
            raise json.JSONDecodeError("extra data after the end", text, at)
    except json.JSONDecodeError as error:
        raise _unreadable(text, name, error.pos, _without_place(error.msg)) from error
    except (RecursionError, ValueError) as error:
        raise _unreadable(text, name, 0, "it nests too deeply or has too large a number") from error
    if not found:
        raise Unreadable(f"{name} has no `observations` list.", "Run `memtui doctor` for details.")
    return file


def _scan_records(text: str, at: int, records: list[RawRecord], scan: Scan, name: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == "]":
        return at + 1
    while True:
        value, end = scan(text, at)
        records.append(RawRecord(text[at:end].encode("utf-8", "surrogatepass"), value))
        if len(records) > MAX_RECORDS:
            raise _too_many(name)
        at = _skip(text, end)
        if text[at : at + 1] != ",":
            return _expect(text, at, "]")
        at = _skip(text, at + 1)


def _too_many(name: str) -> Unreadable:
    return Unreadable(
        f"{name} has more than {MAX_RECORDS:,} records, too many for one file.",
        "Move some to another issue's file.",
    )


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _expect(text: str, at: int, char: str) -> int:
    if text[at : at + 1] != char:
        raise json.JSONDecodeError(f"`{char}` is missing", text, at)
    return _skip(text, at + 1)


def _without_place(reason: str) -> str:
    """Return a reason without the words that lead to its place, which is named before it."""
    return reason.removesuffix(" at").removesuffix(" starting")


def _unreadable(text: str, name: str, at: int, reason: str) -> Unreadable:
    line = text.count("\n", 0, at) + 1
    return Unreadable(
        f"{name} is not valid JSON at line {line:,}: {reason}.",
        "Fix it by hand, or run `memtui doctor --repair` to move it aside.",
    )
