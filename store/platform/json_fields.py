"""Fields of JSON that anybody may have written: each as the type asked for, else empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeGuard


def object_in(data: bytes) -> dict[str, Any]:
    """Return the object that a text of JSON is; an empty one for anything else."""
    try:
        value = json.loads(data)
    except (RecursionError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def string(value: object) -> str:
    """Return the value where it is text, else empty."""
    return value if isinstance(value, str) else ""


def items(value: object) -> list[Any]:
    """Return the value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def strings(value: object) -> tuple[str, ...]:
    """The texts of a list; what else is in it is left out, and what is no list has none."""
    return tuple(item for item in items(value) if isinstance(item, str))


def integer(value: object, default: int = 0) -> int:
    return value if is_integer(value) else default


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether the value is an integer: `true` is none, though Python takes it for one."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    return is_integer(value) or isinstance(value, float)


def is_count(value: object) -> TypeGuard[int]:
    return is_integer(value) and value >= 0
