"""The kinds of named texts of a memory: their names, when they expire."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from store.errors import NotFound

_MOST_UNPACKED = 64_000_000
"""Bytes of a compressed text that are unpacked to be searched."""
_DAY = timedelta(days=1)


class TextKind(StrEnum):
    OPERATIONS = "operations"
    """What each operation did, so that it can be taken back."""
    RECALLS = "recalls"
    """The exact texts of injections, by their hash."""
    SESSIONS = "sessions"
    """Digests of agents' sessions."""

    MESSAGES = "messages"
    """The messages of sessions, compressed."""

    CHECKPOINTS = "checkpoints"
    """The last messages of sessions, to go on from where one breaks off."""

    FORGETTING = "forgetting"
    """What is being forgotten, by its operation: goes once nothing is left of it."""

    INBOX = "inbox"
    """What agents want of memory, until somebody approves it."""

    REMOVED = "removed"
    """What was removed or reworded, without its text, so that nothing brings it back."""


_ENDINGS = {
    TextKind.OPERATIONS: ".json",
    TextKind.RECALLS: ".md",
    TextKind.SESSIONS: ".json",
    TextKind.MESSAGES: ".jsonl.gz",
    TextKind.CHECKPOINTS: ".json",
    TextKind.FORGETTING: ".json",
    TextKind.INBOX: ".json",
    TextKind.REMOVED: ".jsonl",
}


def text_path(kind: TextKind, name: str) -> str:
    """Return the name of a text for people, and as a file: `operations/<name>.json`."""
    return f"{kind}/{name}{_ENDINGS[kind]}"


def check_text_name(kind: TextKind, name: str) -> None:
    """Raise `NotFound` for a name that no text has: it might lead elsewhere."""
    if not name or not all(sign.isalnum() or sign in "-_" for sign in name):
        raise NotFound(f"{name!r} not found in {kind}.", "")


def text_at(path: str) -> tuple[TextKind, str]:
    """Return the kind and the name of a text, by its path. Raises `NotFound` for any other path."""
    for kind, ending in _ENDINGS.items():
        if path.startswith(f"{kind}/") and path.endswith(ending):
            return kind, path.removeprefix(f"{kind}/").removesuffix(ending)
    raise NotFound(f"{path!r} not found.", "")


def unpacked(kind: TextKind, data: bytes) -> bytes:
    """A text as it can be searched: what is kept compressed is unpacked, as far as that goes."""
    if kind is not TextKind.MESSAGES:
        return data
    try:
        return zlib.decompressobj(wbits=31).decompress(data, _MOST_UNPACKED)
    except zlib.error:
        return b""


def expired_before(now: datetime, used: Iterable[datetime], keep: timedelta) -> datetime | None:
    """Return the time before which things have expired that are kept for a while; None for nothing.

    `used` are the times they are from. It counts from the last of them before today: a clock that
    is ahead removes nothing that a right one would keep, and a time of the future counts for
    nothing.
    """
    last = max((time for time in used if time < now - _DAY), default=None)
    if last is None:
        return None
    try:
        return last - keep
    except OverflowError:
        return None
