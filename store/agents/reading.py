"""Reading a transcript in any of the formats, as events or as a session."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from store.agents.client import Reader
from store.agents.conversation import read_array, read_lines, read_summary
from store.agents.formats import AUTO, CONVERSATION, CONVERSATION_LINES, format_of
from store.agents.registry import NAMES, client_named
from store.agents.session import Session, collect
from store.agents.transcript import Event
from store.errors import Unreadable

_HEAD = 40
"""Lines by which the format is found out."""


def read_transcript(
    lines: Iterable[bytes], format: str = AUTO, *, likely: str = ""
) -> Iterator[Event]:
    """Yield the events of a transcript, which is read as a stream; none of an empty one.

    `likely` is the client that is tried first for `AUTO`. Raises `Unreadable` where the format
    can't be found out.
    """
    stream = iter(lines)
    first = next(stream, b"").removeprefix(BOM_UTF8)
    stream = chain((first,) if first else (), stream)
    if format == AUTO:
        head = list(islice(stream, _HEAD))
        format = format_of(head, likely)
        stream = chain(head, stream)
    return _reader(format)(stream)


def _reader(format: str) -> Reader:
    """Return the reader of a format; no other client's module is imported."""
    if format in NAMES:
        return client_named(format).read
    if format == CONVERSATION:
        return read_array
    return read_lines if format == CONVERSATION_LINES else read_summary  # `SUMMARY`


def read_session(
    lines: Iterable[bytes], format: str = AUTO, *, session_id: str = "", likely: str = ""
) -> Session:
    """Read a transcript into a session. `session_id` is for formats that don't contain it.

    Raises `Unreadable` as `read_transcript` does, and where no line of it could be read.
    """
    session = collect(read_transcript(lines, format, likely=likely))
    if session.unread and not (session.said or session.steps or session.summaries):
        first = session.unread[0]
        raise Unreadable(
            f"Nothing in this transcript could be read: {first.reason} (line {first.line}).",
            "If it has another format, give --format.",
        )
    return session if session.id else session._replace(id=session_id)
