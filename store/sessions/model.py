"""The values of a session: its digest, which is kept as JSON in `sessions/<id>.json`, and its
messages, which are indexed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from store.platform.bounds import load_json
from store.platform.json_fields import integer, is_count, mapping, string, strings
from store.records import InvalidRecord, time_field, time_or_none

MAX_BYTES = 4_096
"""Bytes that the record of a digest may have."""
READ = "readByModel"
"""The record's key for the bytes that the session file had when a language model read it."""
_NONE: Mapping[str, Any] = MappingProxyType({})
_VERSION = 1
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_TEXTS = ("agent", "model", "branch", "last", "path")
_LISTS = ("asked", "created", "removed", "failed", "decided", "commits", "memories", "recalls")
_COUNTS = ("changed", "read")
_NUMBERS = ("issue", "messages", "size")
_TIMES = ("started", "ended")
_KNOWN = frozenset(("version", "id", "endedWell", *_TEXTS, *_LISTS, *_COUNTS, *_NUMBERS, *_TIMES))

GoesOn = Callable[[int, int], bool]
"""Told how many files are read, and of how many; False stops before the next."""


class SessionDigest(NamedTuple):
    """A digest of a conversation with an agent: at most 4 KB as a record.

    `agent` is the client's name. `asked` holds each request, shortened; `changed` and `read` the
    project's files and how often, `created` those of the changed that it made, `removed` the files
    that it left removed, and files and folders that it moved away; `failed` commands, why, and what
    made them pass; `decided` decisions and corrections; `last` the agent's last words. `memories`
    are the ids of memories captured from it, `recalls` the hashes of the texts injected into it.
    `path` and `size` (bytes) are those of the session file when it was read, `messages` how many it
    had; `extra` keeps keys of the record unknown to us.
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


REQUEST, ANSWER = "request", "answer"
"""The roles: what a person wrote, and what the agent did."""


class ReadSession(NamedTuple):
    digest: SessionDigest
    messages: Sequence[Passage]


class IndexReport(NamedTuple):
    """The result of indexing sessions.

    `taken` were read and kept, `known` had not changed since, `left` could not be read: each with
    a sentence. `unfinished`: it was stopped before the end.
    """

    taken: int = 0
    known: int = 0
    left: tuple[str, ...] = ()
    unfinished: bool = False


def text_name(session_id: str) -> str:
    """Return the name of a session's digest: its id, or a hash of one that is no plain name."""
    if _PLAIN_NAME.fullmatch(session_id):
        return session_id
    data = session_id.encode("utf-8", "surrogatepass")
    return f"session-{blake2b(data, digest_size=8).hexdigest()}"


def digest_record(digest: SessionDigest) -> dict[str, Any]:
    """Return a digest as JSON; what is empty is left out."""
    record: dict[str, Any] = {"version": _VERSION, "id": digest.id}
    record |= {name: getattr(digest, name) for name in _TEXTS}
    record |= {name: list(getattr(digest, name)) for name in _LISTS}
    record |= {name: dict(getattr(digest, name)) for name in _COUNTS}
    record |= {name: getattr(digest, name) for name in _NUMBERS}
    record |= {name: time_field(getattr(digest, name)) for name in _TIMES}
    kept = {key: value for key, value in record.items() if value}
    if not digest.ended_well:
        kept["endedWell"] = False
    return {**kept, **digest.extra}


def digest_bytes(digest: SessionDigest) -> bytes:
    """The record of a digest as it is written: JSON, one key a line where that stays short."""
    record = digest_record(digest)
    try:
        return orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n"
    except orjson.JSONEncodeError:  # a lone surrogate, which JSON text can name but UTF-8 can't
        return json.dumps(record, indent=2).encode() + b"\n"


def digest_from_record(value: object) -> SessionDigest:
    """Return the digest of a record; a field of the wrong shape is read as empty.

    Raises `InvalidRecord` where there is no id.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("id"), str) or not value["id"]:
        raise InvalidRecord("not a session record: the id is missing")
    fields: dict[str, Any] = {name: string(value.get(name)) for name in _TEXTS}
    fields |= {name: strings(value.get(name)) for name in _LISTS}
    fields |= {name: _counts(value.get(name)) for name in _COUNTS}
    fields |= {name: max(0, integer(value.get(name))) for name in _NUMBERS}
    fields |= {name: time_or_none(value.get(name)) for name in _TIMES}
    return SessionDigest(
        id=value["id"],
        ended_well=value.get("endedWell") is not False,
        extra={key: item for key, item in value.items() if key not in _KNOWN},
        **fields,
    )


def loaded(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value as it is kept beside the digests. Raises `ValueError`."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return load_json(data)  # as is written of a lone surrogate


def _counts(value: object) -> dict[str, int]:
    return {str(key): count for key, count in mapping(value).items() if is_count(count) and count}
