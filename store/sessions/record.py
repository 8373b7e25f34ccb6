"""The record of a digest: JSON as it stands in `sessions/<id>.json`, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from store.platform.bounds import load_json
from store.platform.json_fields import is_count, string, strings
from store.records import InvalidRecord, time_field, time_or_none
from store.sessions.model import SessionDigest

VERSION = 1
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_TEXTS = ("agent", "model", "branch", "last", "path")
_LISTS = ("asked", "created", "removed", "failed", "decided", "commits", "memories", "recalls")
_COUNTS = ("changed", "read")
_NUMBERS = ("issue", "messages", "size")
_TIMES = ("started", "ended")
_KNOWN = frozenset(("version", "id", "endedWell", *_TEXTS, *_LISTS, *_COUNTS, *_NUMBERS, *_TIMES))


def text_name(session_id: str) -> str:
    """The name of a session's digest: its id, or a hash of one that is no plain name."""
    if _PLAIN_NAME.fullmatch(session_id):
        return session_id
    data = session_id.encode("utf-8", "surrogatepass")
    return f"session-{blake2b(data, digest_size=8).hexdigest()}"


def to_record(digest: SessionDigest) -> dict[str, Any]:
    """A digest as JSON; what is empty is left out."""
    record: dict[str, Any] = {"version": VERSION, "id": digest.id}
    record |= {name: getattr(digest, name) for name in _TEXTS}
    record |= {name: list(getattr(digest, name)) for name in _LISTS}
    record |= {name: dict(getattr(digest, name)) for name in _COUNTS}
    record |= {name: getattr(digest, name) for name in _NUMBERS}
    for name in _TIMES:
        record[name] = time_field(getattr(digest, name))
    if not digest.ended_well:
        record["endedWell"] = False
    kept = {key: value for key, value in record.items() if value or value is False}
    return {**kept, **digest.extra}


def as_bytes(digest: SessionDigest) -> bytes:
    """The record of a digest as it is written: JSON, one key a line where that stays short."""
    import orjson

    record = to_record(digest)
    try:
        return orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n"
    except orjson.JSONEncodeError:  # a lone surrogate, which JSON text can name but UTF-8 can't
        import json

        return json.dumps(record, indent=2).encode() + b"\n"


def as_kept(digest: SessionDigest) -> dict[str, Any]:
    """The record of a digest as reading its file gives it."""
    import json

    kept: dict[str, Any] = json.loads(as_bytes(digest))
    return kept


def from_bytes(data: bytes) -> SessionDigest:
    """The digest that a file holds. Raises `InvalidRecord` for what is no record of a session."""
    try:
        value = loaded(data)
    except ValueError as error:
        raise InvalidRecord(f"not valid JSON: {error}") from error
    return from_record(value)


def loaded(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """A value as it is kept beside the digests. Raises `ValueError`."""
    import orjson

    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return load_json(data)  # as is written of a lone surrogate


def from_record(value: object) -> SessionDigest:
    """The digest of a record; a field of the wrong shape is read as empty.

    Raises `InvalidRecord` where there is no id.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("id"), str) or not value["id"]:
        raise InvalidRecord("not a session record: the id is missing")
    fields: dict[str, Any] = {name: string(value.get(name)) for name in _TEXTS}
    fields |= {name: strings(value.get(name)) for name in _LISTS}
    fields |= {name: _counts(value.get(name)) for name in _COUNTS}
    fields |= {name: _number(value.get(name)) for name in _NUMBERS}
    fields |= {name: time_or_none(value.get(name)) for name in _TIMES}
    return SessionDigest(
        id=value["id"],
        ended_well=value.get("endedWell") is not False,
        extra={key: item for key, item in value.items() if key not in _KNOWN},
        **fields,
    )


def _counts(value: object) -> dict[str, int]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {str(key): count for key, item in pairs if (count := _number(item))}


def _number(value: object) -> int:
    return value if is_count(value) else 0
