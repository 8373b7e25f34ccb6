"""A record as a row, and back: its very text, whatever another program wrote into it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from store.model import layer_of
from store.raw_record import RawRecord, new_record
from store.records import FIELD_OF, format_time, parse_time

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
_TIME_TEXT = """to_char("{}" at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
READ = ", ".join(
    _TIME_TEXT.format(name) if name in _TIMES.values() else name
    for name in (_COLUMN_OF.get(key, "issue") for key in _KEYS)
)
"""What is read of a row to make its record of, in the order of the record's keys."""
COLUMNS = len(_KEYS)
"""How many columns `READ` names."""
_KNOWN = frozenset(_KEYS)
_LARGEST = 2**63
_TASK = "taskId"


class Row(NamedTuple):
    """Where a record stands in the table: its row's number, and its place in its location."""

    number: int
    place: float


def row_of(record: RawRecord, issue: int) -> dict[str, Any]:
    """The columns of a record, but for location and place, as JSON can carry them."""
    try:
        return _columns(record, issue)
    except RecursionError:
        return {"record": _hex(record.text)}


def _columns(record: RawRecord, issue: int) -> dict[str, Any]:
    value = record.value
    if not isinstance(value, dict):
        return {"record": _hex(record.text)}
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
    if not (_is_kept(rest) and _text_of(row, issue) == record.text):
        row["record"] = _hex(record.text)
    return row


def record_of(columns: Sequence[Any], metadata: object, text: bytes | None) -> RawRecord:
    """The record of a row, of the columns that `READ` names."""
    if text is not None:
        return RawRecord(text, _parsed(text))
    if isinstance(metadata, str):
        written, metadata = metadata.encode(), _parsed(metadata.encode())
        if metadata is None and written != b"null":  # an odd row: it stays as it is, and is named
            return RawRecord(written, None)
    rest = metadata if isinstance(metadata, dict) else {}
    found = zip(_KEYS, columns, strict=True)
    if not rest:
        return new_record({key: held for key, held in found if held is not None})
    value: dict[str, Any] = {}
    for key, held in found:
        if key in rest:
            held = rest[key]
            if key == _ISSUE and held is None:
                continue
        elif held is None:
            continue
        value[key] = held
    value.update((key, given) for key, given in rest.items() if key not in _KNOWN)
    return new_record(value)


def _text_of(row: Mapping[str, Any], issue: int) -> bytes:
    """The text that a row would be read as."""
    columns = [issue if key == _ISSUE else row.get(_COLUMN_OF[key]) for key in _KEYS]
    return record_of(columns, row.get("metadata"), None).text


def _held(key: str, value: Any) -> Any:  # noqa: ANN401
    """What a column takes of a value; None where it takes nothing of it."""
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
        is_list = isinstance(value, list) and all(isinstance(it, str) for it in value)
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
        if "\0" in value:
            value = value.replace("\0", "�")
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {plain(key): plain(it) for key, it in value.items()}
    if isinstance(value, list):
        return list(map(plain, value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _is_kept(rest: Mapping[str, Any]) -> bool:
    """Whether jsonb gives these keys back as they were; those of columns have their own places."""
    unknown = [key for key in rest if key not in _KNOWN]
    return _is_in_order(unknown) and all(map(_is_simple, rest.values()))


def _is_simple(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether jsonb gives a value back as it was: fractions it may not."""
    if isinstance(value, dict):
        return _is_in_order(list(value)) and all(map(_is_simple, value.values()))
    if isinstance(value, list):
        return all(map(_is_simple, value))
    if isinstance(value, str):
        return bool(plain(value) == value)
    if isinstance(value, bool) or value is None:
        return True
    return isinstance(value, int) and abs(value) < _LARGEST


def _is_in_order(keys: list[str]) -> bool:
    """Whether keys stand as jsonb keeps them: the shorter first, then by their bytes."""
    spelled = [key.encode("utf-8", "replace") for key in keys]
    return spelled == sorted(spelled, key=lambda key: (len(key), key)) and all(
        map(_is_simple, keys)
    )


def _hex(text: bytes) -> str:
    return "\\x" + text.hex()


def _parsed(text: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a text; None for one that no reader takes, whoever wrote it."""
    try:
        return orjson.loads(text)
    except ValueError:
        pass
    try:
        return json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
