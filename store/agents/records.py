"""Reading JSON lines that may be broken, and fields that may be anything, for all clients."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from store.agents.transcript import Event, Line, ToolCall, Unread
from store.platform.json_fields import is_number, items, mapping, string

Record = Mapping[str, Any]
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)", re.DOTALL
)
UNREAD = "unread"
"""The only field of a line in place of what could not be read: the reason."""
_DECODER = json.JSONDecoder()
_UNKNOWN = rb"\ufffd"


def json_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, Record] | Unread]:
    """The objects of JSON lines with their line numbers; what is no object is said and passed."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = load(line)
        except ValueError as error:
            for whole in _whole_objects(line):
                yield number, whole
            yield Unread(line=number, reason=f"not JSON: {error}")
            continue
        if isinstance(record, dict):
            reason = string(record.get(UNREAD)) if len(record) == 1 else ""
            yield Unread(line=number, reason=reason) if reason else (number, record)
        else:
            yield Unread(line=number, reason="not a JSON object")


def unread_line(reason: str) -> Iterator[bytes]:
    """Yield the line in place of what could not be read; none where there is no reason."""
    if reason:
        yield orjson.dumps({UNREAD: reason}) + b"\n"


def read_records(
    lines: Iterable[bytes], events_of: Callable[[int, Record], Iterable[Event]]
) -> Iterator[Event]:
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            yield entry
        else:
            yield from events_of(*entry)


def all_records(lines: Iterable[bytes]) -> tuple[list[tuple[int, Record]], list[Unread]]:
    """Return the objects of JSON lines with their line numbers, and what is no object."""
    found = list(json_lines(lines))
    records = [entry for entry in found if not isinstance(entry, Unread)]
    return records, [entry for entry in found if isinstance(entry, Unread)]


def whole_json(lines: Iterable[bytes]) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a transcript that is one JSON value; an `Unread` for what is none."""
    try:
        return load(b"".join(lines))
    except ValueError as error:
        return Unread(line=1, reason=f"not JSON: {error}")


def _whole_objects(line: bytes) -> Iterator[Record]:
    """The objects that a damaged line begins with: two writers' at once, or one and half a one."""
    rest = line.decode(errors="replace").strip()
    while rest.startswith("{"):
        try:
            found, end = _DECODER.raw_decode(rest)
        except (ValueError, RecursionError):
            return
        yield found
        rest = rest[end:].lstrip()


def load(data: bytes | str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of JSON, without the mark of an encoding before it. Clients cut texts
    between the two halves of a character, or within its bytes: what is left of it becomes
    unknown. Raises `ValueError`.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        written = data.encode() if isinstance(data, str) else data
        plain = written.removeprefix(BOM_UTF8).decode(errors="replace").encode()
        mended = _ESCAPE.sub(lambda item: _UNKNOWN if item["half"] else item[0], plain)
        if mended == written:
            raise
        return orjson.loads(mended)


def blocks(content: object) -> Iterator[Record]:
    """Yield the blocks of a message's content, which is text or a list of text and blocks."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, dict):
        yield content
    for block in items(content):
        if isinstance(block, str):
            yield {"type": "text", "text": block}
        elif isinstance(block, dict):
            yield block


def text_of(content: object) -> str:
    """Return all text of a message's content, paragraphs apart."""
    return "\n\n".join(string(b.get("text")) for b in blocks(content) if b.get("text"))


def instant(value: object) -> datetime | None:
    """A moment written as ISO 8601 or as milliseconds since 1970, in UTC; None if it is neither."""
    try:
        if isinstance(value, str) and value:
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if is_number(value):
            return datetime.fromtimestamp(value / 1_000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def tool_call(
    line: Line, block: Record, arguments: str = "input", *, aside: bool = False
) -> ToolCall:
    """Return a call as most write it: an `id`, a `name`, and under some key its arguments."""
    return line.call(
        call_id=string(block.get("id")),
        tool=string(block.get("name")),
        arguments=mapping(block.get(arguments)),
        aside=aside,
    )


def active_branch(
    entries: Iterable[tuple[int, Record]], key: str, parent: str
) -> list[tuple[int, Record]]:
    """Return the entries that lead to the last one, each naming its parent by `key`.

    What was gone back on is left out. All entries where an ancestor of the last is missing.
    """
    everything = list(entries)
    by_key = {string(record.get(key)): at for at, (_, record) in enumerate(everything)}
    kept: set[int] = set()
    at = by_key.get(next((string(r.get(key)) for _, r in reversed(everything) if r.get(key)), ""))
    while at is not None and at not in kept:
        kept.add(at)
        above = string(everything[at][1].get(parent))
        if above and above not in by_key:
            return everything
        at = by_key.get(above) if above else None
    return [it for at, it in enumerate(everything) if at in kept or not it[1].get(key)]
