"""What each field of an observation must be to be stored.

The rules are made for pydantic's core itself: all of pydantic takes as long to import as the rest
of what a command needs to store something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from datetime import datetime
from typing import Any

from pydantic_core import CoreSchema, SchemaValidator, ValidationError
from pydantic_core import core_schema as schema

from store.errors import InvalidObservation, refuse
from store.model import MAX_ISSUE, Observation
from store.records import FIELD_OF, format_time


def _in_calendar(time: datetime) -> datetime:
    try:
        format_time(time)
    except OverflowError as error:
        raise ValueError("its time in UTC is out of range") from error
    return time


def _unknown_json(extra: dict[str, Any]) -> dict[str, Any]:
    if known := extra.keys() & FIELD_OF.keys():
        raise ValueError(f"{', '.join(sorted(known))} has its own field")
    if not extra:
        return extra
    try:
        json.dumps(extra, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError("it is not all JSON") from error
    return extra


AGENT_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
"""What an agent may be called: nothing in it means anything to a shell."""
_TEXT = schema.is_instance_schema(str)
"""Any string: pydantic's own refuses lone surrogates, which records may hold."""
_TEXTS = schema.tuple_schema([_TEXT], variadic_item_index=0)
_TIME = schema.no_info_after_validator_function(
    _in_calendar, schema.datetime_schema(strict=True, tz_constraint="aware")
)
_COUNT = schema.int_schema(strict=True, ge=0)
_FLAG = schema.bool_schema(strict=True)
_TIME_RULE = "a date and time with a zone"
_COUNT_RULE = "0 or a positive integer"
_TEXTS_RULE = "a list of strings"
_FLAG_RULE = "true or false"

_RULES: tuple[tuple[str, CoreSchema, str], ...] = (
    (
        "agent",
        schema.str_schema(strict=True, pattern=rf"\A{AGENT_NAME.pattern}\z"),
        "1 to 64 letters, digits, `.`, `_` or `-`",
    ),
    (
        "issue_number",
        schema.int_schema(strict=True, ge=0, le=MAX_ISSUE),
        "0 or a positive integer of at most 9 digits",
    ),
    (
        "category",
        schema.str_schema(strict=True, max_length=64, pattern=r"\A[a-z][a-z0-9]*(?:-[a-z0-9]+)*\z"),
        "a lowercase word, its parts joined by `-`",
    ),
    ("timestamp", _TIME, _TIME_RULE),
    ("content", _TEXT, "a string"),
    ("summary", _TEXT, "a string"),
    ("id", _TEXT, "a string"),
    ("session_id", _TEXT, "a string"),
    ("recall_count", _COUNT, _COUNT_RULE),
    ("relevance_score", schema.float_schema(strict=True, allow_inf_nan=False), "a number"),
    ("archived", _FLAG, _FLAG_RULE),
    ("tags", _TEXTS, _TEXTS_RULE),
    ("pinned", _FLAG, _FLAG_RULE),
    ("muted", _FLAG, _FLAG_RULE),
    ("last_recalled", schema.nullable_schema(_TIME), _TIME_RULE),
    ("sources", _TEXTS, _TEXTS_RULE),
    ("seen_count", _COUNT, _COUNT_RULE),
    (
        "extra",
        schema.no_info_after_validator_function(
            _unknown_json, schema.dict_schema(_TEXT, schema.any_schema())
        ),
        "JSON",
    ),
)
_CHECKS = tuple((field, SchemaValidator(kind), rule) for field, kind, rule in _RULES)
FIELDS = frozenset(field for field, _, _ in _RULES)
"""The fields there is a rule for: all that may be set."""


def check_fields(observation: Observation, only: Container[str] = FIELDS) -> None:
    """Raise `InvalidObservation`, naming each field, for what can't be stored in some fields."""
    mistakes = []
    for name, validator, rule in _CHECKS:
        if name not in only:
            continue
        value = getattr(observation, name)
        try:
            validator.validate_python(value)
        except ValidationError:
            what = name.replace("_", " ")
            mistakes.append(
                InvalidObservation(f"{what} {value!r} is not valid.", f"{what} must be {rule}.")
            )
    content = observation.content
    if "content" in only and isinstance(content, str) and not content.strip():
        mistakes.append(InvalidObservation("The content is empty.", "Write what was learned."))
    refuse(mistakes)
