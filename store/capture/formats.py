"""The transcript formats, and which one a file is written in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from itertools import chain, islice

from store.capture.readers.records import Record, json_lines, string
from store.capture.session import Session, collect
from store.capture.transcript import Event, Unread
from store.errors import InvalidObservation, Unreadable

_PEEK = 40
_CODEX = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CLAUDE_CODE = frozenset(
    {
        "user",
        "assistant",
        "summary",
        "file-history-snapshot",
        "system",
        "progress",
        "queue-operation",
    }
)


class Format(StrEnum):
    """The formats that can be read; `auto` finds out."""

    AUTO = "auto"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    CURSOR = "cursor"
    CONVERSATION = "conversation"
    CONVERSATION_LINES = "conversation-lines"
    SUMMARY = "summary"


def read_transcript(lines: Iterable[bytes], format: Format = Format.AUTO) -> Iterator[Event]:
    """The events of a transcript, read as a stream.

    Raises Unreadable where the format is to be found out and can't be. An empty one has no events.
    """
    stream = iter(lines)
    if format is Format.AUTO:
        head = list(islice(stream, _PEEK))
        format = format_of(head)
        stream = chain(head, stream)
    return _reader(format)(stream)


def _reader(format: Format) -> Callable[[Iterable[bytes]], Iterator[Event]]:
    """What reads a format: nothing else is imported."""
    match format:
        case Format.CLAUDE_CODE:
            from store.capture.readers.claude_code import read
        case Format.CODEX:
            from store.capture.readers.codex import read
        case Format.CURSOR:
            from store.capture.readers.cursor import read
        case Format.CONVERSATION:
            from store.capture.readers.conversation import read_array as read
        case Format.CONVERSATION_LINES:
            from store.capture.readers.conversation import read_lines as read
        case _:
            from store.capture.readers.conversation import read_summary as read
    return read


def read_session(
    lines: Iterable[bytes], format: Format = Format.AUTO, *, session_id: str = ""
) -> Session:
    """The session that a transcript tells. `session_id` is for formats that don't say theirs.

    Raises Unreadable as `read_transcript` does.
    """
    session = collect(read_transcript(lines, format))
    return session if session.id else replace(session, id=session_id)


def format_named(name: str) -> Format:
    """The format of this name. Raises `InvalidObservation`."""
    try:
        return Format(name)
    except ValueError:
        known = ", ".join(Format)
        raise InvalidObservation(f"There is no format {name!r}.", f"One of: {known}.") from None


def format_of(head: list[bytes]) -> Format:
    """The format of a transcript that begins with these lines. Raises Unreadable."""
    start = b"".join(head).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        return Format.CONVERSATION_LINES
    if start.startswith(b"["):
        return Format.CONVERSATION
    if not start.startswith(b"{") and not _has_record(head):
        return _text_format(start)
    for entry in json_lines(head):
        found = None if isinstance(entry, Unread) else _format_of_record(entry[1])
        if found:
            return found
    if start.startswith(b"{") and b'"messages"' in start:
        return Format.CONVERSATION
    raise _unknown()


def _has_record(head: list[bytes]) -> bool:
    return any(not isinstance(entry, Unread) for entry in json_lines(head))


def _format_of_record(record: Record) -> Format | None:
    kind = string(record.get("type"))
    if kind in _CODEX and "payload" in record:
        return Format.CODEX
    if kind and (kind in _CLAUDE_CODE or "sessionId" in record):
        return Format.CLAUDE_CODE
    if "role" in record and isinstance(record.get("message"), dict):
        return Format.CURSOR
    if "role" in record and ("content" in record or "text" in record):
        return Format.CONVERSATION_LINES
    if isinstance(record.get("messages"), list):
        return Format.CONVERSATION
    return None


def _text_format(start: bytes) -> Format:
    if any(
        line.lstrip().startswith((b"#", b"- ", b"* ", b"Summary:")) for line in start.split(b"\n")
    ):
        return Format.SUMMARY
    raise _unknown()


def _unknown() -> Unreadable:
    names = ", ".join(each for each in Format if each is not Format.AUTO)
    return Unreadable(
        "This is no transcript in a format that memtui knows.",
        f"Name the format with --format: {names}.",
    )
