"""Records as rows of a database: a record's exact text, and columns for other programs' SQL."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import orjson

from store.model import layer_of
from store.records import FIELD_OF, RawRecord, format_time, new_record, parse_time

_TEXTS = {
    "id": "memory_id",
    "agent": "agent_id",
    "category": "category",
    "content": "content",
    "summary": "summary",
    "sessionId": "session_id",
}
_COUNTS = {"tokens": "tokens", "recallCount": "access_count", "seenCount": "seen_count"}
_TIMES = {"timestamp": "timestamp", "lastRecalled": "last_accessed"}
_LISTS = {"tags": "keywords", "sources": "sources"}
_FLAGS = {"archived": "archived", "pinned": "pinned", "muted": "muted"}
_SCORES = {"relevanceScore": "relevance_score"}

TYPES: Mapping[str, str] = {
    "location": "text",
    "place": "double precision",
    **dict.fromkeys(_TEXTS.values(), "text"),
    **dict.fromkeys(_COUNTS.values(), "bigint"),
    **dict.fromkeys(_TIMES.values(), "timestamptz"),
    **dict.fromkeys(_LISTS.values(), "text[]"),
    **dict.fromkeys(_FLAGS.values(), "boolean"),
    **dict.fromkeys(_SCORES.values(), "double precision"),
    "memory_type": "text",
    "task_id": "text",
    "metadata": "jsonb",
    "record": "bytea",
}
"""The columns that are written, with their types."""
_COLUMN_OF = {**_TEXTS, **_COUNTS, **_TIMES, **_LISTS, **_FLAGS, **_SCORES}
_ISSUE = "issueNumber"
_KEYS = tuple(key for key in FIELD_OF if key in _COLUMN_OF or key == _ISSUE)
_LARGEST = 2**63
_TASK = "taskId"


def row_of(record: RawRecord, issue: int) -> dict[str, Any]:
    """Return the columns of a record, but for location and place, as JSON can carry them."""
    row = {"record": "\\x" + record.text.hex()}
    if isinstance(record.value, dict):
        try:
            return row | _columns(record.value, issue)
        except RecursionError:
            pass
    return row


def _columns(value: Mapping[str, Any], issue: int) -> dict[str, Any]:
    """The columns that hold a record's values; `metadata` has what they would not give back."""
    row: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for key, given in value.items():
        if key == _ISSUE and given == issue and type(given) is int:
            continue
        column = _COLUMN_OF.get(key)
        held = None if column is None else _held(key, given)
        if held is not None and column is not None:
            row[column] = held
        if held is None or (key in _TIMES and held != given) or type(held) is not type(given):
            rest[key] = given
    if _ISSUE not in value:
        rest[_ISSUE] = None
    row["memory_type"] = str(layer_of(str(value.get("category", ""))))
    if isinstance(task := value.get(_TASK), str):
        row["task_id"] = plain(task)
    if rest:
        row["metadata"] = plain(rest)
    return row


def record_of(text: bytes | None, row: str | None) -> RawRecord:
    """The record of a row: its text, or of one that another program wrote, its columns as JSON."""
    if text is not None:
        return RawRecord(text, _parsed(text))
    written = (row or "").encode()
    columns = _parsed(written)
    if not isinstance(columns, dict):  # too deep to be read: it is kept, and named by the doctor
        return RawRecord(written, None)
    metadata = columns.get("metadata")
    rest = metadata if isinstance(metadata, dict) else {}
    value = {key: columns.get(_COLUMN_OF.get(key, "issue")) for key in _KEYS}
    for key in _TIMES:
        value[key] = _time(value[key])
    value = {key: held for key, held in value.items() if held is not None} | rest
    if value[_ISSUE] is None:
        del value[_ISSUE]
    order = [*(key for key in _KEYS if key in value), *(key for key in value if key not in _KEYS)]
    return new_record({key: value[key] for key in order})


def _held(key: str, value: Any) -> Any:  # noqa: ANN401
    """Return the part of a value that its column can hold; None for nothing."""
    if key in _TEXTS:
        return plain(value) if isinstance(value, str) else None
    if key in _FLAGS:
        return value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if key in _COUNTS:
        return value if isinstance(value, int) and abs(value) < _LARGEST else None
    if key in _SCORES:
        is_number = isinstance(value, int | float) and abs(value) < _LARGEST
        return float(value) if is_number and math.isfinite(value) else None
    if key in _LISTS:
        is_list = isinstance(value, list) and all(isinstance(text, str) for text in value)
        return plain(value) if is_list else None
    return _time(value)


def _time(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        time = parse_time(value)
    except ValueError:
        return None
    return format_time(time) if 1 < time.year < 9_999 else None


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A value without what PostgreSQL's text can't hold: NUL, halves of characters, no numbers."""
    if isinstance(value, str):
        return value.replace("\0", "�").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(plain, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _parsed(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a text; None for one that no reader takes, whoever wrote it."""
    try:
        return orjson.loads(text)
    except ValueError:
        pass
    try:
        return json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
