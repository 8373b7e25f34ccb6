"""The door: what an observation must be to be stored, and what it gets when it comes in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    Field,
    FiniteFloat,
    InstanceOf,
    Strict,
    StrictBool,
    StrictInt,
    TypeAdapter,
    ValidationError,
)

from store.disk.layout import MAX_ISSUE
from store.disk.records import FIELD_OF, estimate_tokens, first_line, format_time
from store.errors import InvalidObservation
from store.model import MAX_CONTENT, UNDATED, Observation
from store.text.sanitizer import clean_observation

NewId = Callable[[str, int, datetime], str]
"""Makes an id from agent, issue and time."""

CUT_MARK = "… [cut at 2,000 characters]"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+", re.ASCII)


def _in_calendar(time: datetime) -> datetime:
    try:
        format_time(time)
    except OverflowError as error:
        raise ValueError("its time in UTC is beyond the calendar") from error
    return time


def _unknown_json(extra: dict[str, Any]) -> dict[str, Any]:
    if known := extra.keys() & FIELD_OF.keys():
        raise ValueError(f"{', '.join(sorted(known))} has a field of its own")
    try:
        json.dumps(extra)
    except (TypeError, RecursionError) as error:
        raise ValueError("not everything in it is JSON") from error
    return extra


_Text = InstanceOf[str]
"""Any string: pydantic's own `str` refuses lone surrogates, which records may hold."""
_Time = Annotated[AwareDatetime, Strict(), AfterValidator(_in_calendar)]
_Count = Annotated[StrictInt, Field(ge=0)]
_TIME_RULE = "a date and time with a zone"
_COUNT_RULE = "0 or a positive integer"
_TEXTS_RULE = "a list of texts"
_FLAG_RULE = "true or false"

_RULES: tuple[tuple[str, Any, str], ...] = (
    (
        "agent",
        Annotated[str, Strict(), Field(pattern=r"\A[A-Za-z0-9._-]{1,64}\z")],
        "letters, digits, `.`, `_` and `-`, 1 to 64 of them",
    ),
    (
        "issue_number",
        Annotated[StrictInt, Field(ge=0, le=MAX_ISSUE)],
        "0 or a positive integer of at most 9 digits",
    ),
    (
        "category",
        Annotated[
            str, Strict(), Field(pattern=r"\A[a-z][a-z0-9]*(?:-[a-z0-9]+)*\z", max_length=64)
        ],
        "a lowercase word, its parts joined by `-`",
    ),
    ("timestamp", _Time, _TIME_RULE),
    ("content", _Text, "a text"),
    ("summary", _Text, "a text"),
    ("id", _Text, "a text"),
    ("session_id", _Text, "a text"),
    ("recall_count", _Count, _COUNT_RULE),
    ("relevance_score", Annotated[FiniteFloat, Strict()], "a number"),
    ("archived", StrictBool, _FLAG_RULE),
    ("tags", tuple[_Text, ...], _TEXTS_RULE),
    ("pinned", StrictBool, _FLAG_RULE),
    ("muted", StrictBool, _FLAG_RULE),
    ("last_recalled", _Time | None, _TIME_RULE),
    ("sources", tuple[_Text, ...], _TEXTS_RULE),
    ("seen_count", _Count, _COUNT_RULE),
    (
        "extra",
        Annotated[dict[_Text, Any], AfterValidator(_unknown_json)],
        "JSON under keys that memtui does not know",
    ),
)
_CHECKS = tuple((field, TypeAdapter[Any](kind), rule) for field, kind, rule in _RULES)


@dataclass(frozen=True, slots=True)
class Admitted:
    """An observation ready to be stored, and what was changed on the way in, in words."""

    observation: Observation
    notices: tuple[str, ...] = ()


def admit(observation: Observation, now: datetime, new_id: NewId) -> Admitted:
    """Check, clean and complete an observation. Raises `InvalidObservation`.

    Secrets and private passages are taken out first (SPEC-29 §6.1), then the content is cut at
    2,000 characters with a visible mark, and id, summary, tokens and timestamp are filled in.
    """
    check(observation)
    cleaned, redactions = clean_observation(observation)
    notices = []
    if redactions:
        noun = "passage was" if len(redactions) == 1 else "passages were"
        notices.append(f"{len(redactions)} secret or private {noun} taken out.")
    content = cleaned.content.strip("\n")
    if not content.strip():
        raise InvalidObservation(
            "Nothing is left of the content once its private parts are taken out.",
            "Say something that may be remembered.",
        )
    if len(content) > MAX_CONTENT:
        notices.append(f"The content had {len(content):,} characters and was cut at 2,000.")
        content = content[: MAX_CONTENT - len(CUT_MARK)].rstrip() + CUT_MARK
    timestamp = now if cleaned.timestamp == UNDATED else cleaned.timestamp
    summary = first_line(cleaned.summary) or first_line(content)
    timestamp = timestamp.replace(microsecond=timestamp.microsecond // 1000 * 1000)
    identifier = cleaned.id or new_id(cleaned.agent, cleaned.issue_number, timestamp)
    admitted = replace(
        cleaned,
        id=identifier,
        content=content,
        summary=summary,
        tokens=estimate_tokens(content),
        timestamp=timestamp,
    )
    return Admitted(admitted, tuple(notices))


def check(observation: Observation) -> None:
    """Raise `InvalidObservation`, naming the field, for what can't be stored."""
    for name, adapter, rule in _CHECKS:
        value = getattr(observation, name)
        try:
            adapter.validate_python(value)
        except ValidationError as error:
            raise InvalidObservation(
                f"{name.replace('_', ' ')} {value!r} is not valid.", f"It must be {rule}."
            ) from error
    if not observation.content.strip():
        raise InvalidObservation("The content is empty.", "Say what was learned.")


def make_id(agent: str, issue: int, when: datetime) -> str:
    """`obs-{agent}-{issue}-{unix ms}-{6 of a-z0-9}` (SPEC-29 §4.3)."""
    name = _NOT_ALPHANUMERIC.sub("", agent.lower())[:20] or "agent"
    suffix = "".join(_ALPHABET[byte % 36] for byte in os.urandom(6))
    return f"obs-{name}-{issue}-{round(when.timestamp() * 1000)}-{suffix}"
