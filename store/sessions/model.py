"""The values of a session: its digest, which is kept, and its messages, which are indexed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

REQUEST, ANSWER = "request", "answer"
"""The roles: what a person wrote, and what the agent did."""
_NONE: Mapping[str, Any] = MappingProxyType({})


class SessionDigest(NamedTuple):
    """A digest of a conversation with an agent: at most 4 KB as a record.

    `agent` is the client's name. `asked` holds each request, shortened; `changed` and `read` the
    project's files and how often, `created` those of the changed that it made, `removed` the files
    that it left removed, and files and folders that it moved away; `failed` commands, why, and what
    made them pass; `decided` decisions and corrections; `last` the agent's last words. `memories`
    are the ids of memories captured from it, `recalls` the hashes of the texts injected into it.
    `path` and `size` (bytes) are those of the session file when it was read, `messages` how many it
    had; `project` is the folder of its project, empty but where sessions of all projects are kept;
    `extra` keeps keys of the record unknown to us.
    """

    id: str
    agent: str = ""
    model: str = ""
    branch: str = ""
    issue: int = 0
    started: datetime | None = None
    ended: datetime | None = None
    ended_well: bool = True
    asked: tuple[str, ...] = ()
    changed: Mapping[str, int] = _NONE
    created: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    read: Mapping[str, int] = _NONE
    failed: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    last: str = ""
    commits: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    recalls: tuple[str, ...] = ()
    messages: int = 0
    path: str = ""
    size: int = 0
    project: str = ""
    extra: Mapping[str, Any] = _NONE


class Passage(NamedTuple):
    """A message of a session, cleaned; a long one in several passages.

    `line` is that of the session file, `part` counts the passages of one line from 0; `files` are
    those that were changed right after it.
    """

    line: int
    role: str
    text: str
    at: datetime | None = None
    part: int = 0
    files: tuple[str, ...] = ()


class Neighbours(NamedTuple):
    """The messages before and after one, and its `place` among those of its session."""

    before: str = ""
    after: str = ""
    place: int = 0


class ReadSession(NamedTuple):
    digest: SessionDigest
    messages: Sequence[Passage]
