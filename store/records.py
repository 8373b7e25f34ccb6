"""Records: observations as they are on disk, in camelCase, and the way back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

from store.errors import Unreadable
from store.model import FULL_RELEVANCE, MAX_SUMMARY, Observation, StoreStats
from store.platform.bounds import excess_of
from store.platform.json_fields import is_number, string
from store.redaction.labels import public_id

LEVEL = "memoryLevel"
"""The key of a record's level, while several are open: the files that a record lies in say it."""
_NAMES = {
    "id": "id",
    "agent": "agent",
    "issueNumber": "issue_number",
    "category": "category",
    "content": "content",
    "summary": "summary",
    "tokens": "tokens",
    "timestamp": "timestamp",
    "sessionId": "session_id",
    "recallCount": "recall_count",
    "relevanceScore": "relevance_score",
    "archived": "archived",
    "tags": "tags",
    "pinned": "pinned",
    "muted": "muted",
    "lastRecalled": "last_recalled",
    "sources": "sources",
    "seenCount": "seen_count",
    LEVEL: "level",
}
FIELD_OF: Mapping[str, str] = _NAMES
"""The Python field for each key on disk that memtui knows."""

DEFAULTS: Mapping[str, Any] = {
    "recallCount": 0,
    "relevanceScore": FULL_RELEVANCE,
    "archived": False,
}
"""The values of those fields that our records always have and others' may lack."""


class InvalidRecord(ValueError):
    """A record that can't be read as an observation; it is kept as it is and reported."""


def parse_time(text: str) -> datetime:
    """Return a timestamp, in UTC; one without a zone is read as UTC. Raises `ValueError`."""
    time = datetime.fromisoformat(text)
    try:
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from error


def time_or_none(value: object) -> datetime | None:
    """Return the timestamp that a field holds, in UTC; None where it holds none."""
    try:
        return parse_time(value) if isinstance(value, str) else None
    except ValueError:
        return None


def format_time(time: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and `Z`, as AgentX writes it."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_field(time: datetime | None) -> str | None:
    """Return a time as a field of JSON holds it: null where it is unknown."""
    return None if time is None else format_time(time)


def estimate_tokens(text: str) -> int:
    """`ceil(characters / 4)` (SPEC-29): the tokens as they are on disk."""
    return math.ceil(len(text) / 4)


def first_line(text: str, limit: int = MAX_SUMMARY) -> str:
    """Return the first line with a word, white space folded, at most `limit` characters."""
    for line in text.splitlines():
        if line.strip():
            return cut_line(line, limit)
    return ""


def cut_line(text: str, limit: int) -> str:
    """Return a text with its white space folded, cut to `limit` characters with an ellipsis."""
    folded = " ".join(text.split())
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


def from_record(record: object, issue: int) -> Observation:
    """Return the observation a record of the file of `issue` holds. Raises `InvalidRecord`.

    Strict in what makes an observation (id, agent, category, content, timestamp), lenient in
    the rest: a summary, tokens or counter that is missing or of a wrong type gets its default.
    """
    if not isinstance(record, dict):
        raise InvalidRecord("not a JSON object")
    if excess := excess_of(record):
        raise InvalidRecord(excess)
    identifier, agent, category, content = _required(record)
    try:
        timestamp = parse_time(record["timestamp"])
    except (KeyError, TypeError, ValueError):
        raise InvalidRecord("its `timestamp` is missing or not a date") from None
    summary, tokens = record.get("summary"), _count(record.get("tokens"), -1)
    return Observation(
        agent,
        issue,
        category,
        content,
        id=public_id(identifier),
        summary=summary if isinstance(summary, str) and summary else first_line(content),
        tokens=estimate_tokens(content) if tokens < 0 else tokens,
        timestamp=timestamp,
        session_id=string(record.get("sessionId")),
        recall_count=_count(record.get("recallCount"), 0),
        relevance_score=_relevance(record.get("relevanceScore")),
        archived=record.get("archived") is True,
        tags=_texts(record.get("tags")),
        pinned=record.get("pinned") is True,
        muted=record.get("muted") is True,
        last_recalled=time_or_none(record.get("lastRecalled")),
        sources=_texts(record.get("sources")),
        seen_count=_count(record.get("seenCount"), 1),
        extra=_unknown(record),
        level=string(record.get(LEVEL)),
    )


def _required(record: Mapping[str, Any]) -> list[str]:
    """Return the texts without which there is no observation. Raises `InvalidRecord`."""
    texts = []
    for key in ("id", "agent", "category", "content"):
        value = record.get(key)
        if not isinstance(value, str) or not value:
            raise InvalidRecord(f"its `{key}` is missing or not a string")
        texts.append(value)
    return texts


def _unknown(record: Mapping[str, Any]) -> Mapping[str, Any]:
    if record.keys() <= _NAMES.keys():
        return {}
    return {key: value for key, value in record.items() if key not in _NAMES}


def to_record(observation: Observation) -> dict[str, Any]:
    """The record of an observation: AgentX's keys, and those of ours that have a value."""
    record: dict[str, Any] = {
        "id": observation.id,
        "agent": observation.agent,
        "issueNumber": observation.issue_number,
        "category": observation.category,
        "content": observation.content,
        "summary": observation.summary,
        "tokens": observation.tokens,
        "timestamp": format_time(observation.timestamp),
        "sessionId": observation.session_id,
        "recallCount": observation.recall_count,
        "relevanceScore": observation.relevance_score,
        "archived": observation.archived,
    }
    if observation.tags:
        record["tags"] = list(observation.tags)
    if observation.pinned:
        record["pinned"] = True
    if observation.muted:
        record["muted"] = True
    if observation.last_recalled is not None:
        record["lastRecalled"] = format_time(observation.last_recalled)
    if observation.sources:
        record["sources"] = list(observation.sources)
    if observation.seen_count != 1:
        record["seenCount"] = observation.seen_count
    if observation.level:
        record[LEVEL] = observation.level
    record.update(observation.extra)
    return record


def updated_record(
    record: Mapping[str, Any], before: Observation, after: Observation
) -> dict[str, Any]:
    """Return a record with only those keys changed in which two observations differ."""
    old, new = to_record(before), to_record(after)
    changed = {key: value for key, value in new.items() if old.get(key) != value}
    gone = {key for key in old if key not in new}
    return {key: value for key, value in {**record, **changed}.items() if key not in gone}


def entry_record(entry: Observation) -> dict[str, Any]:
    return {
        "id": entry.id,
        "agent": entry.agent,
        "issueNumber": entry.issue_number,
        "category": entry.category,
        "summary": entry.summary,
        "tokens": entry.tokens,
        "timestamp": format_time(entry.timestamp),
    }


def stats_record(stats: StoreStats) -> dict[str, Any]:
    return {
        "totalObservations": stats.total_observations,
        "totalTokens": stats.total_tokens,
        "issueCount": stats.issue_count,
        "oldestTimestamp": time_field(stats.oldest_timestamp),
        "newestTimestamp": time_field(stats.newest_timestamp),
        "byCategory": dict(stats.by_category),
        "byAgent": dict(stats.by_agent),
        "archivedObservations": stats.archived_observations,
        "sizeBytes": stats.size_bytes,
    }


def base36(number: int, digits: int) -> str:
    """Write the last `digits` digits of a number with `0-9a-z`, the last one first: for ids."""
    written = ""
    for _ in range(digits):
        number, digit = divmod(number, 36)
        written += "0123456789abcdefghijklmnopqrstuvwxyz"[digit]
    return written


def record_id(value: object) -> str | None:
    """Return the id that a record's memory goes by, where it has one."""
    identifier = value.get("id") if isinstance(value, dict) else None
    return public_id(identifier) if isinstance(identifier, str) else None


def _count(value: object, default: int) -> int:
    return value if type(value) is int and 0 <= value < 2**53 else default


def _relevance(value: object) -> float:
    try:
        return float(value) if is_number(value) and math.isfinite(value) else FULL_RELEVANCE
    except OverflowError:
        # An integer of more than 308 digits.
        return FULL_RELEVANCE


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item if isinstance(item, str) else json.dumps(item) for item in value)


class RawRecord(NamedTuple):
    """One element of `observations`: its JSON text and its value.

    `value` may have been read by a parser that rounds integers past 64 bits; `exact()` has not.
    """

    text: bytes
    value: Any

    def exact(self) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value with integers of any size kept.

        Raises `Unreadable` where it nests too deep, or lines inside it are where a file's own
        separators do.
        """
        try:
            return json.loads(self.text.decode("utf-8", "surrogatepass"))
        except (RecursionError, ValueError) as error:
            raise Unreadable(
                "A record nests too deeply to be changed.",
                "It is kept unchanged.",
            ) from error


def new_record(value: dict[str, Any]) -> RawRecord:
    """A record to be written, laid out as AgentX lays it out (indent 2, inside `observations`)."""
    return RawRecord(as_json(value).replace(b"\n", b"\n    "), value)


def of_level(record: RawRecord, level: str) -> RawRecord:
    """Return a record with its level, whatever its text has for that: the last key holds."""
    if not isinstance(record.value, dict) or not record.value:
        return record
    text = b'%b,"%b":"%b"}' % (record.text.rstrip()[:-1], LEVEL.encode(), level.encode())
    return RawRecord(text, {**record.value, LEVEL: level})


def without_level(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != LEVEL}


def as_json(value: object) -> bytes:
    """Indented JSON of any value `json` can write: huge integers, NaN and lone surrogates too."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:
        # Lone surrogates and integers past 64 bits: the standard library writes both.
        return json.dumps(value, indent=2).encode("ascii")
    if b"null" in text:
        # orjson writes NaN and the infinities as null; the standard library keeps them.
        return json.dumps(value, indent=2, ensure_ascii=False).encode()
    return text


def compact_json(value: object) -> bytes:
    """JSON in one line of any value `json` can write; NaN and the infinities become null."""
    try:
        return orjson.dumps(value)
    except TypeError:  # as above
        return json.dumps(value, separators=(",", ":")).encode("ascii")
