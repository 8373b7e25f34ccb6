"""The messages of a session as they are kept: JSON lines, compressed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO

import orjson

from store.platform.json_fields import strings
from store.records import time_field, time_or_none
from store.sessions.model import ANSWER, REQUEST, Passage

_MAX_BYTES = 64_000_000
"""Bytes of messages that are unpacked: of more, only the beginning is read."""


def messages_bytes(messages: Iterable[Passage]) -> bytes:
    """Return messages as they are kept; the same bytes for the same messages."""
    lines = b"\n".join(orjson.dumps(_message_record(message)) for message in messages)
    return gzip.compress(lines, mtime=0)


def messages_from(data: bytes) -> list[Passage]:
    """Return the messages that are kept; what can't be read of them is left out."""
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
            text = packed.read(_MAX_BYTES)
    except (OSError, EOFError, zlib.error):
        return []
    found = []
    for line in text.split(b"\n"):
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict) and (message := _message_from(record)) is not None:
            found.append(message)
    return found


def _message_record(message: Passage) -> dict[str, object]:
    record: dict[str, object] = {
        "line": message.line,
        "role": message.role,
        "text": message.text.encode("utf-8", "replace").decode(),
        "at": time_field(message.at),
        "part": message.part,
        "files": [file.encode("utf-8", "replace").decode() for file in message.files],
    }
    return {key: value for key, value in record.items() if value}


def _message_from(record: Mapping[str, object]) -> Passage | None:
    line, text, files = record.get("line"), record.get("text"), record.get("files")
    part = record.get("part", 0)
    if not isinstance(line, int) or not isinstance(text, str) or not isinstance(part, int):
        return None
    role = ANSWER if record.get("role") == ANSWER else REQUEST
    return Passage(line, role, text, time_or_none(record.get("at")), part, strings(files))
