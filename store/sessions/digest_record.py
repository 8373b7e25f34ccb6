"""The record of a digest: JSON, in `sessions/<id>.json`. What is empty is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

from store.platform.bounds import load_json
from store.platform.json_fields import integer, is_count, mapping, string, strings
from store.records import InvalidRecord, time_field, time_or_none
from store.sessions.model import SessionDigest

MAX_BYTES = 4_096
"""Bytes that the record of a digest may have."""
READ = "readByModel"
"""The record's key for the bytes that the session file had when a language model read it."""
_VERSION = 1
_KEYS = frozenset(("version", "endedWell", *SessionDigest._fields)) - {"ended_well", "extra"}
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)


def text_name(session_id: str) -> str:
    """Return the name of a session's digest: its id, or a hash of one that is no plain name."""
    if _PLAIN_NAME.fullmatch(session_id):
        return session_id
    data = session_id.encode("utf-8", "surrogatepass")
    return f"session-{blake2b(data, digest_size=8).hexdigest()}"


def digest_record(digest: SessionDigest) -> dict[str, Any]:
    """Return a digest as JSON; what is empty is left out."""
    record = {
        "version": _VERSION,
        "id": digest.id,
        "agent": digest.agent,
        "model": digest.model,
        "branch": digest.branch,
        "last": digest.last,
        "path": digest.path,
        "project": digest.project,
        "asked": list(digest.asked),
        "created": list(digest.created),
        "removed": list(digest.removed),
        "failed": list(digest.failed),
        "decided": list(digest.decided),
        "commits": list(digest.commits),
        "memories": list(digest.memories),
        "recalls": list(digest.recalls),
        "changed": dict(digest.changed),
        "read": dict(digest.read),
        "issue": digest.issue,
        "messages": digest.messages,
        "size": digest.size,
        "started": time_field(digest.started),
        "ended": time_field(digest.ended),
    }
    kept = {key: value for key, value in record.items() if value}
    if not digest.ended_well:
        kept["endedWell"] = False
    return {**kept, **digest.extra}


def digest_bytes(digest: SessionDigest) -> bytes:
    """Return the record of a digest as it is written: indented JSON."""
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
    return SessionDigest(
        id=value["id"],
        agent=string(value.get("agent")),
        model=string(value.get("model")),
        branch=string(value.get("branch")),
        issue=_number(value.get("issue")),
        started=time_or_none(value.get("started")),
        ended=time_or_none(value.get("ended")),
        ended_well=value.get("endedWell") is not False,
        asked=strings(value.get("asked")),
        changed=_counts(value.get("changed")),
        created=strings(value.get("created")),
        removed=strings(value.get("removed")),
        read=_counts(value.get("read")),
        failed=strings(value.get("failed")),
        decided=strings(value.get("decided")),
        last=string(value.get("last")),
        commits=strings(value.get("commits")),
        memories=strings(value.get("memories")),
        recalls=strings(value.get("recalls")),
        messages=_number(value.get("messages")),
        path=string(value.get("path")),
        size=_number(value.get("size")),
        project=string(value.get("project")),
        extra={key: item for key, item in value.items() if key not in _KEYS},
    )


def load_record(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return a record from its JSON. Raises `ValueError`."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return load_json(data)  # it reads a lone surrogate


def _number(value: object) -> int:
    return max(0, integer(value))


def _counts(value: object) -> dict[str, int]:
    return {str(key): count for key, count in mapping(value).items() if is_count(count) and count}
