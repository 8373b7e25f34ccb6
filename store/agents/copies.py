"""Sessions that began as a copy of another: branches, forks, and those resumed under a new id."""

from __future__ import annotations

import re
from pathlib import Path

from store.agents.discovery import open_session
from store.agents.reading import read_session
from store.agents.registry import NAMES, client_named
from store.agents.session import Session, Step
from store.agents.transcript import Message
from store.errors import Unreadable

_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,200}", re.ASCII)
"""An id that can stand in a file's name, and is no pattern of names."""


def without_copied(session: Session, path: Path) -> Session:
    """Return what the session in a file added to the one that it began as a copy of.

    All of it where it is no copy, or where the other's file is gone: its words are nowhere else.
    """
    client = client_named(session.agent) if session.agent in NAMES else None
    if client is None or client.parent is None or client.file_of is None:
        return session
    parent = client.parent(path)
    if parent == session.id or not _PLAIN_ID.fullmatch(parent):
        return session
    file = client.file_of(path, parent)
    if file is None or file == path:
        return session
    try:
        with open_session(file) as lines:
            return _without(session, read_session(lines, likely=client.name))
    except (OSError, Unreadable):
        return session


def _without(session: Session, parent: Session) -> Session:
    """Return a session without the words and deeds that its parent has.

    Some clients give what they copy the time of the copy: then the beginning that both share tells
    it.
    """
    shared = 0
    for own, other in zip(session.messages, parent.messages, strict=False):
        if (own.speaker, own.text) != (other.speaker, other.text):
            break
        shared += 1
    words = set(map(_words, (*parent.messages, *parent.aside)))
    deeds = set(map(_deed, parent.steps))
    summaries = {summary.text for summary in parent.summaries}
    snapshots = {(snapshot.paths, snapshot.at) for snapshot in parent.snapshots}
    return session._replace(
        messages=tuple(
            message for message in session.messages[shared:] if _words(message) not in words
        ),
        aside=tuple(message for message in session.aside if _words(message) not in words),
        steps=tuple(step for step in session.steps if _deed(step) not in deeds),
        summaries=tuple(found for found in session.summaries if found.text not in summaries),
        snapshots=tuple(
            found for found in session.snapshots if (found.paths, found.at) not in snapshots
        ),
    )


def _words(message: Message) -> tuple[object, ...]:
    return message.speaker, message.text, message.at or message.line


def _deed(step: Step) -> tuple[object, ...]:
    call = step.call
    return (call.call_id,) if call.call_id else (call.tool, str(call.arguments), call.at)
