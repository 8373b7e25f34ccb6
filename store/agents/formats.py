"""The formats a transcript may have, and which one a file is written in.

They are the clients' own, by their names, and a few that are nobody's: a conversation as JSON or
as JSON lines, and a summary in Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from store.agents.client import Head, Reader
from store.agents.conversation import read_array, read_lines, read_summary
from store.agents.records import all_records
from store.agents.registry import NAMES, client_named, clients
from store.agents.session import Session, collect
from store.agents.transcript import Event
from store.errors import InvalidObservation, Unreadable

_PEEK = 40
_HEADINGS = frozenset(
    b"context compaction summary|session summary|conversation summary|summary|decisions"
    b"|code changes|file changes|modified files|errors|errors encountered|errors found"
    b"|errors and fixes|error and fix|key facts|key technical concepts"
    b"|primary request and intent|files and code sections|problem solving|all user messages"
    b"|pending tasks|current work|next steps|next step|optional next step".split(b"|")
)
"""Headings of clients' summaries, and of the format in which memtui writes them."""
_BEGINNINGS = (b"summary:", b"<summary>", b"<analysis>", b"<overview>", b"this session is being")


AUTO = "auto"
"""The format that means: look, and tell."""
CONVERSATION, CONVERSATION_LINES, SUMMARY = "conversation", "conversation-lines", "summary"


FORMATS = (*NAMES, CONVERSATION, CONVERSATION_LINES, SUMMARY)
"""The formats that can be read; `auto` finds out which."""


def read_transcript(
    lines: Iterable[bytes], format: str = AUTO, *, likely: str = ""
) -> Iterator[Event]:
    """Return the events of a transcript, read as a stream.

    `likely` is the client that is tried first where the format is to be found out. Raises
    Unreadable where it can't be. An empty transcript has no events.
    """
    stream = iter(lines)
    if format == AUTO:
        head = list(islice(stream, _PEEK))
        format = format_of(head, likely)
        stream = chain(head, stream)
    return _reader(format)(stream)


def _reader(format: str) -> Reader:
    """Return the reader of a format; no other client's module is imported."""
    if format in NAMES:
        return client_named(format).read
    if format == CONVERSATION:
        return read_array
    return read_lines if format == CONVERSATION_LINES else read_summary


def read_session(
    lines: Iterable[bytes], format: str = AUTO, *, session_id: str = "", likely: str = ""
) -> Session:
    """Return the session that a transcript tells. `session_id` is for formats that don't say
    theirs.

    Raises Unreadable as `read_transcript` does, and where no line of it could be read.
    """
    session = collect(read_transcript(lines, format, likely=likely))
    if session.unread and not (session.said or session.steps or session.summaries):
        first = session.unread[0]
        raise Unreadable(
            f"Nothing in this transcript could be read: {first.reason} (line {first.line}).",
            "If it has another format, give --format.",
        )
    return session if session.id else session._replace(id=session_id)


def format_named(name: str) -> str:
    """Return the format of this name. Raises `InvalidObservation`."""
    if name not in (AUTO, *FORMATS):
        known = ", ".join((AUTO, *FORMATS))
        raise InvalidObservation(f"Unknown format {name!r}.", f"One of: {known}.")
    return name


def format_of(head: list[bytes], likely: str = "") -> str:
    """Return the format of a transcript that begins with these lines. Raises Unreadable."""
    start = b"".join(head).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        return CONVERSATION_LINES
    if start.startswith(b"["):
        peeked = Head(start, ())
        return next((item.name for item in clients() if item.matches_format(peeked)), CONVERSATION)
    records = tuple(record for _, record in all_records(head)[0])
    peeked = Head(start, records)
    if likely in NAMES and client_named(likely).matches_format(peeked):
        return likely
    for client in clients():
        if client.matches_format(peeked):
            return client.name
    if not start.startswith(b"{") and not records:
        return _text_format(start)
    return _plain_format(peeked)


def _plain_format(head: Head) -> str:
    if any({"content", "text"} & record.keys() for record in head.records if "role" in record):
        return CONVERSATION_LINES
    if any(isinstance(record.get("messages"), list) for record in head.records):
        return CONVERSATION
    if head.start.startswith(b"{") and b'"messages"' in head.start:
        return CONVERSATION
    raise Unreadable(
        "Not a transcript in a known format.",
        f"Give one with --format: {', '.join(FORMATS)}.",
    )


def _text_format(start: bytes) -> str:
    lines = [line.strip().lower() for line in start.split(b"\n") if line.strip()]
    sections = sum(map(_is_heading, lines))
    others = sum(line.startswith(b"##") and not _is_heading(line) for line in lines)
    if sections > others or any(line.startswith(_BEGINNINGS) for line in lines[:1]):
        return SUMMARY
    raise Unreadable(
        "Not a transcript in a known format: no session, and no heading of a summary, such as "
        "`## Decisions`.",
        f"Give one with --format: {', '.join(FORMATS)}. Or give --as-summary to capture a text as "
        "a summary all the same.",
    )


def _is_heading(line: bytes) -> bool:
    """Return whether a line is a heading of a summary: `## Decisions`, `1. **Current Work**:`."""
    return line[:1] in b"#*123456789" and line.strip(b"#*:. 0123456789") in _HEADINGS
