"""The rules for each field of an observation.

Written out, since a library that checks types takes longer to load than all else that storing
something needs: 14 ms for the core of pydantic alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Container, Mapping
from datetime import datetime

from store.errors import InvalidObservation, refuse
from store.model import MAX_ISSUE, Level, Observation
from store.platform.json_fields import is_count
from store.records import FIELD_OF, format_time

AGENT_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
"""What an agent is called once it is stored: nothing in it means anything to a shell."""
_CATEGORY = re.compile(r"(?=.{1,64}\Z)[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_QUOTED = 80
"""Characters of a value that an error quotes: more than any valid name has."""
_TIME_RULE = "a date and time with a zone"
_COUNT_RULE = "0 or a positive integer"
_TEXTS_RULE = "a list of strings"
_FLAG_RULE = "true or false"


def is_agent(value: object) -> bool:
    """Return whether a value can be an agent's name once `agent_name` made its blanks dashes."""
    return isinstance(value, str) and AGENT_NAME.fullmatch("-".join(value.split())) is not None


def _is_category(value: object) -> bool:
    return isinstance(value, str) and _CATEGORY.fullmatch(value) is not None


def _is_text(value: object) -> bool:
    """Any string, one with lone surrogates too: records may hold them."""
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    if not isinstance(value, tuple | list | set | frozenset):
        return False
    return all(map(_is_text, value))


def _is_issue(value: object) -> bool:
    return is_count(value) and value <= MAX_ISSUE


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _is_time(value: object) -> bool:
    """Return whether a time with a zone that its year in UTC has a place for."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        return False
    try:
        format_time(value)
    except OverflowError:
        return False
    return True


def _is_time_or_none(value: object) -> bool:
    return value is None or _is_time(value)


def _is_unknown_json(value: object) -> bool:
    if not isinstance(value, dict | Mapping) or not all(map(_is_text, value)):
        return False
    if not value:
        return True
    if not value.keys().isdisjoint(FIELD_OF):
        return False
    try:
        json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _is_level(value: object) -> bool:
    return value in ("", *Level)


_RULES: tuple[tuple[str, Callable[[object], bool], str], ...] = (
    ("agent", is_agent, "1 to 64 letters, digits, `.`, `_` or `-`"),
    ("issue_number", _is_issue, "0 or a positive integer of at most 9 digits"),
    ("category", _is_category, "a lowercase word, its parts joined by `-`"),
    ("timestamp", _is_time, _TIME_RULE),
    ("content", _is_text, "a string"),
    ("summary", _is_text, "a string"),
    ("id", _is_text, "a string"),
    ("session_id", _is_text, "a string"),
    ("recall_count", is_count, _COUNT_RULE),
    ("relevance_score", _is_number, "a number"),
    ("archived", _is_flag, _FLAG_RULE),
    ("tags", _are_texts, _TEXTS_RULE),
    ("pinned", _is_flag, _FLAG_RULE),
    ("muted", _is_flag, _FLAG_RULE),
    ("last_recalled", _is_time_or_none, _TIME_RULE),
    ("sources", _are_texts, _TEXTS_RULE),
    ("seen_count", is_count, _COUNT_RULE),
    ("extra", _is_unknown_json, "JSON"),
    ("level", _is_level, f"one of {', '.join(Level)}"),
)
FIELDS = frozenset(field for field, _, _ in _RULES)
"""The fields there is a rule for: all that may be set."""


def _quoted(value: object) -> str:
    """Return a value as a sentence quotes it: of a long one its beginning."""
    try:
        shown = repr(value)
    except ValueError:  # Python writes out no integer of more than 4,300 digits
        return "of too many digits"
    return shown if len(shown) <= _QUOTED else f"{shown[:_QUOTED]}…"


def check_fields(observation: Observation, only: Container[str] = FIELDS) -> None:
    """Raise `InvalidObservation`, naming each field, for what can't be stored in some fields."""
    mistakes = []
    for name, is_valid, rule in _RULES:
        if name in only and not is_valid(value := getattr(observation, name)):
            what = name.replace("_", " ")
            message = f"{what} {_quoted(value)} is not valid."
            mistakes.append(InvalidObservation(message, f"{what} must be {rule}."))
    content = observation.content
    if "content" in only and isinstance(content, str) and not content.strip():
        mistakes.append(InvalidObservation("The content is empty.", "Write what was learned."))
    refuse(mistakes)
