"""The fields of a record as a person writes them: `commit 5a6d12f`, `edited today 14:02`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from memtui.formatting import moment
from store.records import LEVEL, time_or_none

_NAMES: Mapping[str, str] = MappingProxyType(
    {"editedAt": "edited", "anchor": "compared with", LEVEL: "level"}
)
"""Keys that have another name on screen."""
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", re.ASCII)
_SHORT_COMMIT = 7
"""Digits of a commit, as git shows it."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d\S*", re.ASCII)


def field_name(key: str) -> str:
    return _NAMES.get(key, key)


def field_in_words(value: object, now: datetime | None = None) -> str:
    """Return a field's value: a time in the zone of `now`, a short commit, a list with commas.

    Without `now` a time is in the zone of this machine. An object is written as JSON, or as Python
    writes it where JSON can't.
    """
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return _text(value, now)
        case list() if not any(isinstance(item, list | dict) for item in value):
            return ", ".join(field_in_words(item, now) for item in value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)


def _text(text: str, now: datetime | None) -> str:
    if _COMMIT.fullmatch(text):
        return text[:_SHORT_COMMIT]
    time = time_or_none(text) if _TIME.fullmatch(text) else None
    return text if time is None else moment(time, now or datetime.now(UTC).astimezone())
