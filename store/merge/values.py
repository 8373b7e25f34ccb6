"""Values merged: of a count, a flag, a set or a list, what both sides made of it since the base."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_NEVER = datetime.min.replace(tzinfo=UTC)


def canonical(value: object) -> str:
    """One text for each JSON value, whatever the order of its keys: to compare and to sort by."""
    return json.dumps(value, sort_keys=True)


def instant(value: object) -> tuple[datetime, str]:
    """Return a timestamp as something that sorts by time; what is no timestamp comes first."""
    if not isinstance(value, str):
        return _NEVER, canonical(value)
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC), value
    except (ValueError, OverflowError):
        return _NEVER, value


def later(*times: object) -> object:
    return max(times, key=instant)


def merge_counts(base: int | None, ours: int, theirs: int) -> int:
    """Add up the counts of both sides since the base; without one, take the larger."""
    if base is None:
        return max(ours, theirs)
    return max(ours + theirs - base, 0)


def merge_flags(base: bool, ours: bool, theirs: bool) -> bool:
    """Return whether the side that changed a flag wins; two that did agree."""
    return ours if theirs == base else theirs


def merge_sets(base: Iterable[K], ours: Mapping[K, V], theirs: Mapping[K, V]) -> dict[K, V]:
    """Return the members of two sets, known by their keys: what either added is in, what either
    removed is out.

    Where that leaves none because each removed the other's, all of them stay.
    """
    known = set(base)
    merged = {
        key: value
        for side, other in ((ours, theirs), (theirs, ours))
        for key, value in side.items()
        if key in other or key not in known
    }
    return merged or {**ours, **theirs}


def merge_lists(base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
    """Lists that are meant as sets (tags, sources): survivors in the base's order, then what was
    added, sorted.
    """
    by_text = [{canonical(item): item for item in side} for side in (base, ours, theirs)]
    known, left, right = by_text
    members = {
        key for key in {**left, **right} if (key in left and key in right) or key not in known
    }
    kept = [key for key in known if key in members]
    added = sorted(members - known.keys())
    return [{**left, **right}[key] for key in (*kept, *added)]
