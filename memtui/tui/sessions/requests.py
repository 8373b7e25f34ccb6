"""Sessions as the app asks for them: where they are, and what a query finds in them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from store.agents.client import Home, SessionFile
from store.errors import Unreadable

if TYPE_CHECKING:
    from store import Memory
    from store.model import SearchResult
    from store.sessions.model import SessionDigest

PAGE = 100
"""Sessions, or messages found, that are listed at a time."""
FileState = tuple[str, int, float]


class HitsFound(NamedTuple):
    """The messages that a query finds, and what was said before and after each."""

    result: SearchResult
    around: Mapping[str, tuple[str, str]]


def home() -> Home:
    """Where the user's clients keep their sessions."""
    return Home(Path.home(), os.environ)


def state_of(file: SessionFile) -> FileState:
    """What tells one state of a session file from another."""
    return str(file.path), file.size, file.modified.timestamp()


def digest_of(memory: Memory, file: SessionFile) -> SessionDigest | None:
    """What a file that is not indexed holds; None where it can't be read."""
    with suppress(Unreadable):  # the row says that it can't be read
        return memory.sessions.read_digest(file)
    return None


def find_messages(memory: Memory, query: str) -> HitsFound:
    """Find the messages of sessions that a query names, and what was said around them."""
    result = memory.search(
        f"{query} in:sessions", PAGE, facets=("agent", "issue", "tag"), fresh=False
    )
    return HitsFound(result, memory.sessions.around(result.hits))
