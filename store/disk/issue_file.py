"""An issue file as text: its records one by one, so that a rewrite touches only what changes.

A record that is not changed keeps its very bytes: unknown keys, doubled keys, 30-digit integers
and the order of keys survive because they are never taken apart.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from store.errors import Unreadable

_OPEN = b'\n  "observations": ['
_CLOSE = b"\n  ]\n}"
_BEFORE = b"\n    {"
_AFTER = b"\n    }"
_BETWEEN = b"\n    },\n    {"
_FIRST_KEY = b'\n      "'
_SPACE = " \t\r\n"

Scan = Callable[[str, int], tuple[Any, int]]
"""Reads the JSON value at a place in a text: the value, and where it ends."""


class RawRecord(NamedTuple):
    """One element of `observations`: its JSON text and its value.

    `value` may have been read by a parser that rounds integers past 64 bits; `exact()` has not.
    """

    text: bytes
    value: Any

    def exact(self) -> Any:  # noqa: ANN401 - any JSON value
        """The value with integers of any size kept.

        Raises `Unreadable` where it nests too deep, or lines inside it stand where a file's own
        separators do.
        """
        try:
            return json.loads(self.text.decode("utf-8", "surrogatepass"))
        except (RecursionError, ValueError) as error:
            raise Unreadable(
                "A record nests too deep, or is laid out too oddly, to be changed.",
                "It is kept as it is.",
            ) from error


@dataclass(slots=True)
class IssueFile:
    """The parts of an issue file: every top-level key but `observations`, and the records."""

    header: dict[str, Any] = field(default_factory=dict)
    records: list[RawRecord] = field(default_factory=list)


def new_record(value: dict[str, Any]) -> RawRecord:
    """A record to be written, laid out as AgentX lays it out (indent 2, inside `observations`)."""
    return RawRecord(as_json(value).replace(b"\n", b"\n    "), value)


def parse_issue_file(data: bytes, name: str) -> IssueFile:
    """Take an issue file apart. Raises `Unreadable` with the reason and the place.

    Takes what people and programs really leave: a byte order mark, UTF-16, lone surrogates, NaN,
    doubled keys (the records of each `observations` count). An empty file is no issue file.
    """
    quick = _parse_canonical(data)
    if quick is not None:
        return quick
    return _parse_any(_decode(data, name), name)


def dump_issue_file(file: IssueFile) -> bytes:
    """The bytes of an issue file: the header first, unchanged records byte for byte."""
    header = as_json(file.header)[: -len(b"\n}")] + b"," if file.header else b"{"
    if not file.records:
        return header + _OPEN + b"]\n}\n"
    texts = [record.text for record in file.records]
    texts[0] = header + _OPEN + b"\n    " + texts[0]
    texts[-1] += _CLOSE + b"\n"
    return b",\n    ".join(texts)


def as_json(value: object) -> bytes:
    """Indented JSON of any value `json` can write: huge integers, NaN and lone surrogates too."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:
        # Lone surrogates and integers past 64 bits: the standard library writes both.
        return json.dumps(value, indent=2).encode("ascii")
    if b"null" in text:
        # orjson writes NaN and the infinities as null; the standard library keeps them.
        return json.dumps(value, indent=2, ensure_ascii=False).encode()
    return text


def _parse_canonical(data: bytes) -> IssueFile | None:
    """Split a file that has AgentX's own layout, several times quicker than taking it apart.

    A raw line feed can't stand inside a JSON string, so the separators at the records' own
    indentation are separators and nothing else. Anything unusual returns `None`.
    """
    start = data.find(_OPEN)
    end = data.rfind(_CLOSE)
    if start < 0 or end < start or data[end + len(_CLOSE) :].strip():
        return None
    body = data[start + len(_OPEN) : end]
    if not body.startswith(_BEFORE) or not body.endswith(_AFTER) or data.count(_OPEN) != 1:
        return None
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict) or next(reversed(value), None) != "observations":
        return None
    values = value.pop("observations")
    pieces = body[len(_BEFORE) : -len(_AFTER)].split(_BETWEEN)
    if not isinstance(values, list) or len(values) != len(pieces):
        return None
    if not all(map(_holds, pieces, values)):
        return None
    try:
        header = json.loads(data[:start].rstrip(b" \r\n,") + b"}") if value else {}
    except RecursionError:
        return None
    texts = [b"{%b\n    }" % piece for piece in pieces]
    return IssueFile(header, list(map(RawRecord, texts, values)))


def _holds(piece: bytes, value: object) -> bool:
    """Whether a piece begins as a record of its own at the usual indentation, with this id."""
    identifier = value.get("id") if isinstance(value, dict) else None
    if not isinstance(identifier, str) or not piece.startswith(_FIRST_KEY):
        return False
    return b'"%b"' % identifier.encode("utf-8", "replace") in piece[:400]


def _decode(data: bytes, name: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding, errors = "utf-16", "surrogatepass"
    else:
        encoding, errors = "utf-8-sig", "surrogatepass"
    try:
        return data.decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{name} is no text: byte {error.start:,} is not {encoding.upper()}.",
            "`memtui doctor` says what can be done.",
        ) from error


def _parse_any(text: str, name: str) -> IssueFile:
    scan = json.JSONDecoder().raw_decode
    file = IssueFile()
    found = False
    try:
        at = _expect(text, _skip(text, 0), "{")
        if text[at : at + 1] != "}":
            while True:
                key, at = scan(text, at)
                if not isinstance(key, str):
                    raise json.JSONDecodeError("a key must be a text", text, at)
                at = _expect(text, _skip(text, at), ":")
                if key == "observations" and text[at : at + 1] == "[":
                    found = True
                    at = _scan_records(text, at + 1, file.records, scan)
                else:
                    file.header[key], at = scan(text, at)
                at = _skip(text, at)
                if text[at : at + 1] != ",":
                    break
                at = _skip(text, at + 1)
        at = _expect(text, at, "}")
        if at != len(text):
            raise json.JSONDecodeError("something follows the end", text, at)
    except json.JSONDecodeError as error:
        raise _unreadable(text, name, error.pos, error.msg) from error
    except (RecursionError, ValueError) as error:
        raise _unreadable(text, name, 0, "it nests too deep or holds too large a number") from error
    if not found:
        raise Unreadable(
            f"{name} has no list of `observations`.", "`memtui doctor` says what can be done."
        )
    return file


def _scan_records(text: str, at: int, records: list[RawRecord], scan: Scan) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == "]":
        return at + 1
    while True:
        value, end = scan(text, at)
        records.append(RawRecord(text[at:end].encode("utf-8", "surrogatepass"), value))
        at = _skip(text, end)
        if text[at : at + 1] != ",":
            return _expect(text, at, "]")
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _expect(text: str, at: int, char: str) -> int:
    if text[at : at + 1] != char:
        raise json.JSONDecodeError(f"`{char}` is missing", text, at)
    return _skip(text, at + 1)


def _unreadable(text: str, name: str, at: int, reason: str) -> Unreadable:
    line = text.count("\n", 0, at) + 1
    return Unreadable(
        f"{name} is not valid JSON at line {line:,}: {reason}.",
        "Mend it by hand, or let `memtui doctor --repair` set it aside.",
    )
