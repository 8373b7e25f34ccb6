"""What the readers share: JSON lines that may be broken, and fields that may be anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from store.agents.transcript import Unread

Record = Mapping[str, Any]


def json_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, Record] | Unread]:
    """The objects of JSON lines with their line numbers; what is no object is said and passed."""
    import orjson

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield Unread(line=number, reason=f"not JSON: {error}")
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            yield Unread(line=number, reason="not a JSON object")


def mapping(value: object) -> Record:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def string(value: object) -> str:
    """The value where it is text, else empty."""
    return value if isinstance(value, str) else ""


def items(value: object) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def blocks(content: object) -> Iterator[Record]:
    """The blocks of a message's content, which is text or a list of text and blocks."""
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
    """All text of a message's content, paragraphs apart."""
    return "\n\n".join(string(b.get("text")) for b in blocks(content) if b.get("text"))


def instant(value: object) -> datetime | None:
    """A moment written as ISO 8601 or as milliseconds since 1970, in UTC; None if it is neither."""
    try:
        if isinstance(value, str) and value:
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1_000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
