"""A plain conversation, `[{role, content|text}]` as JSON or JSON lines, and a Markdown summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from store.agents.records import Record, instant, read_records, text_of, whole_json
from store.agents.transcript import ContextSummary, Event, Line, SessionInfo, Speaker, Unread
from store.platform.json_fields import items, mapping

_AGENTS = frozenset({"assistant", "agent", "ai", "model", "bot"})
_PEOPLE = frozenset({"user", "human"})
_PROGRAM = frozenset({"system", "developer", "tool", "function"})


def read_lines(lines: Iterable[bytes]) -> Iterator[Event]:
    return read_records(lines, _message)


def read_array(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the messages of a conversation in one JSON array, or under `messages` of an object,
    which may have whose it is and when it was saved.
    """
    whole = whole_json(lines)
    if isinstance(whole, Unread):
        yield whole
        return
    messages = whole if isinstance(whole, list) else items(mapping(whole).get("messages"))
    agent, saved = mapping(whole).get("agentId"), instant(mapping(whole).get("savedAt"))
    if isinstance(agent, str) and agent:
        yield SessionInfo(1, saved, agent=agent, of_vault=True)
    for number, record in enumerate(messages, 1):
        if isinstance(record, dict):
            yield from _message(number, record, saved)
        else:
            yield Unread(line=number, reason="not a message")


def read_summary(lines: Iterable[bytes]) -> Iterator[Event]:
    yield ContextSummary(line=1, text=b"".join(lines).decode("utf-8", "replace"))


def _message(number: int, record: Record, saved: datetime | None = None) -> Iterator[Event]:
    if record.get("internal") is True:
        return
    line = Line(number, instant(record.get("timestamp")) or saved)
    role = str(record.get("role", "")).lower()
    if role in _AGENTS | _PEOPLE:
        speaker = Speaker.AGENT if role in _AGENTS else Speaker.USER
        yield from line.message(
            speaker, text_of(record.get("content")) or text_of(record.get("text"))
        )
    elif role not in _PROGRAM:
        yield line.unknown_role(role)
