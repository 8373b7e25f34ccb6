"""Reading a transcript in any of the formats, as events or as a session."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain, islice
from operator import itemgetter

from store.agents.client import Reader
from store.agents.conversation import read_array, read_lines, read_summary
from store.agents.formats import AUTO, CONVERSATION, CONVERSATION_LINES, format_of
from store.agents.registry import NAMES, client_named
from store.agents.session import Session, collect
from store.agents.transcript import Event, Message, Speaker, ToolCall, ToolResult, Unread
from store.errors import Unreadable

_NEVER = datetime.min.replace(tzinfo=UTC)
_HEAD = 40
"""Lines by which the format is found out."""
SUB_AGENT = b'{"sub-agent": "its file begins"}\n'
"""The line before each sub-agent's file, where the lines of a session and of these are one."""


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
    return _with_sub_agents(_reader(format), stream)


def _with_sub_agents(read: Reader, stream: Iterator[bytes]) -> Iterator[Event]:
    """Yield the events of a session's file, and at their time among them what its sub-agents did
    and said by theirs, whose lines count on.
    """
    timed: list[tuple[datetime, Event]] = []
    called: dict[str, ToolCall] = {}
    count = before = 0

    def lines_of_next() -> Iterator[bytes]:
        nonlocal count
        for line in stream:
            if line == SUB_AGENT:
                return
            count += 1
            yield line

    while True:
        lines, latest = lines_of_next(), _NEVER
        for read_event in read(lines):
            event = _by_sub_agent(read_event, called, before) if before else read_event
            if event is None:
                continue
            if isinstance(event, ToolCall):
                called[event.call_id] = event
            latest = max(latest, event.at or latest)
            timed.append((latest, event))
        deque(lines, maxlen=0)  # a reader may end early
        first = next(stream, None)
        if first is None:
            break
        stream, before = chain((first,), stream), count
    yield from (event for _, event in (sorted(timed, key=itemgetter(0)) if before else timed))


def _by_sub_agent(event: Event, called: Mapping[str, ToolCall], before: int) -> Event | None:
    """Return an event of a sub-agent's file; None for what is no work of its own.

    Codex copies the calls that were made before to the file of a sub-agent.
    """
    event = event._replace(line=before + event.line)
    if isinstance(event, ToolCall):
        other = called.get(event.call_id) if event.call_id else None
        is_copy = other is not None and other.arguments == event.arguments
        return None if is_copy else event._replace(aside=True)
    if isinstance(event, Message):
        is_order = event.speaker is Speaker.USER
        return None if is_order else event._replace(speaker=Speaker.SUB_AGENT)
    return event if isinstance(event, ToolResult | Unread) else None


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
    if session.unread and not (session.messages or session.steps or session.summaries):
        first = session.unread[0]
        raise Unreadable(
            f"Nothing in this transcript could be read: {first.reason} (line {first.line}).",
            "If it has another format, give --format.",
        )
    return session if session.id else session._replace(id=session_id)
