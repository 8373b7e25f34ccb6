"""The formats a transcript may have, and finding out which one a file is written in.

They are the clients' own, by their names, and a few that are nobody's: a conversation as JSON or
as JSON lines, and a summary in Markdown.
"""

from __future__ import annotations

from store.agents.client import Head
from store.agents.records import all_records
from store.agents.registry import NAMES, client_named, clients
from store.errors import InvalidObservation, Unreadable

AUTO = "auto"
"""Stands for the format that is found out from the first lines."""
CONVERSATION = "conversation"
CONVERSATION_LINES = "conversation-lines"
SUMMARY = "summary"
FORMATS = (*NAMES, CONVERSATION, CONVERSATION_LINES, SUMMARY)
"""The formats that can be read."""
_HEADINGS = frozenset(
    b"context compaction summary|session summary|conversation summary|summary|decisions"
    b"|code changes|file changes|modified files|errors|errors encountered|errors found"
    b"|errors and fixes|error and fix|key facts|key technical concepts"
    b"|primary request and intent|files and code sections|problem solving|all user messages"
    b"|pending tasks|current work|next steps|next step|optional next step".split(b"|")
)
"""Headings of clients' summaries, and of the format in which memtui writes them."""
_FIRST_LINES = (b"summary:", b"<summary>", b"<analysis>", b"<overview>", b"this session is being")
"""Beginnings of the first line of a summary."""


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
        first = Head(start, ())
        return next(
            (client.name for client in clients() if client.matches_format(first)), CONVERSATION
        )
    records = tuple(record for _, record in all_records(head)[0])
    first = Head(start, records)
    if likely in NAMES and client_named(likely).matches_format(first):
        return likely
    for client in clients():
        if client.matches_format(first):
            return client.name
    if not start.startswith(b"{") and not records:
        return _text_format(start)
    return _plain_format(first)


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
    if sections > others or any(line.startswith(_FIRST_LINES) for line in lines[:1]):
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
