"""Values as text, every field of them, for files that people read and compare."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any


def as_text(value: object) -> str:
    """A value with all that is in it, one field a line."""
    return json.dumps(_plain(value), indent=1, ensure_ascii=False)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (it for it in dataclasses.fields(value) if it.compare)
        return _fields({it.name: getattr(value, it.name) for it in fields})
    if hasattr(value, "_asdict"):
        return _fields(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return round(value, 6)
    if value is None or isinstance(value, str | int):
        return str(value) if isinstance(value, str) else value
    return None if callable(value) else str(value)


def _fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    found = {name: _plain(value) for name, value in values.items()}
    return {name: value for name, value in found.items() if value not in (None, "", [], {}, False)}
