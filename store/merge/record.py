"""One memory merged: its texts kept side by side where both sides edited them.

A key in which both sides differ from the base and from each other keeps every value: the newest
text counts, the others are under `conflict` until someone chooses. That makes a merge the same
whichever side is ours, and whatever the order in which branches are merged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from store.merge.values import (
    canonical,
    instant,
    later,
    merge_counts,
    merge_flags,
    merge_lists,
    merge_sets,
)
from store.merge.versions import CONFLICT, EDITED, REMOVED, TEXT, Record, alternatives
from store.platform.json_fields import is_count
from store.records import DEFAULTS

_COUNTS = {"recallCount": 0, "seenCount": 1}
_FLAGS = ("archived", "pinned", "muted")
_LISTS = ("tags", "sources")
_LATEST = ("lastRecalled",)
_ABSENT: Any = object()
_KNOWN = (
    "id",
    "agent",
    "issueNumber",
    *TEXT,
    "timestamp",
    "sessionId",
    *_COUNTS,
    "relevanceScore",
    *_FLAGS,
    *_LISTS,
    *_LATEST,
    EDITED,
)
_ORDER = {key: at for at, key in enumerate(_KNOWN)}


class Times(NamedTuple):
    """When each side's file was last written: taken for an edit that has no time of its own."""

    ours: object = None
    theirs: object = None


def merge_records(
    base: Record | None,
    ours: Record,
    theirs: Record,
    times: Times = Times(),  # noqa: B008
) -> dict[str, Any]:
    """Return a memory that is on both sides, merged; `base` is what both started from.

    Recall counts add up, marks join, and where both edited the text the newer one counts and the
    other is kept under `conflict`.
    """
    newest, *conflicts = _merged_texts(base, ours, theirs, times)
    merged = dict(newest)
    before = base or {}
    for key in {**ours, **theirs}:
        if key not in TEXT and key not in (EDITED, CONFLICT):
            value, *others = _merged_values(key, base, ours, theirs)
            if value is not _ABSENT:
                merged[key] = value
            conflicts += [{key: other} for other in others]
    sides = (before, ours, theirs)
    if merge_flags(
        *(any(REMOVED in alternative for alternative in alternatives(side)) for side in sides)
    ):
        conflicts.append({REMOVED: True})
    if conflicts:
        merged[CONFLICT] = conflicts
    elif any(CONFLICT in side and not alternatives(side) for side in sides):
        value, *_ = _merged_values(CONFLICT, base, ours, theirs)
        if value is not _ABSENT:
            merged[CONFLICT] = value
    return _ordered(merged, before)


def _merged_values(key: str, base: Record | None, ours: Record, theirs: Record) -> list[Any]:
    """Return what counts for a key, then the other values that someone is to choose from."""
    values = [side.get(key, _ABSENT) for side in (base or {}, ours, theirs)]
    join = _joiner(key, values, base is None)
    if join is not None:
        return [join()]
    sides = [_values(side, key) for side in (base or {}, ours, theirs)]
    found = merge_sets(sides[0], sides[1], sides[2])
    if len(found) > 1:
        found.pop("", None)
    return [found[text] for text in sorted(found, reverse=True)]


def _joiner(key: str, values: list[Any], unknown_base: bool) -> Callable[[], Any] | None:
    """Find the function that joins a key without a choice; `None` for a key that needs one."""
    base, ours, theirs = values
    if key in _COUNTS:
        none = _COUNTS[key]
        counts = [none if value is _ABSENT else value for value in values]
        if all(map(is_count, counts)):
            start = None if unknown_base else counts[0]
            return lambda: _unless(key, merge_counts(start, counts[1], counts[2]), none)
    if key in _FLAGS:
        flags = (base is True, ours is True, theirs is True)
        return lambda: _unless(key, merge_flags(*flags), False)
    if key in _LISTS:
        lists = [[] if value is _ABSENT else value for value in values]
        if all(isinstance(item, list) for item in lists):
            return lambda: _unless(key, merge_lists(*lists), [])
    if key in _LATEST:
        return lambda: later(*(time for time in (ours, theirs) if time is not _ABSENT))
    if key == "relevanceScore":
        scores = [DEFAULTS[key] if value is _ABSENT else value for value in values]
        if all(isinstance(score, int | float) for score in scores):
            return lambda: _merged_score(*scores)
    return None


def _merged_score(base: float, ours: float, theirs: float) -> float:
    return ours if theirs == base else theirs if ours == base else max(ours, theirs)


def _unless(key: str, value: Any, default: Any) -> Any:  # noqa: ANN401 - any JSON value
    return _ABSENT if value == default and key not in DEFAULTS else value


def _values(side: Record, key: str) -> dict[str, Any]:
    """The values a side has for a key, the one that counts and the alternatives, by their text."""
    value = side.get(key, _ABSENT)
    found = {"" if value is _ABSENT else canonical(value): value}
    for item in alternatives(side):
        if key in item and key != "id":  # no version is of another memory
            found[canonical(item[key])] = item[key]
    return found


def _merged_texts(
    base: Record | None, ours: Record, theirs: Record, times: Times
) -> list[dict[str, Any]]:
    """Return the versions of a memory's text, the newest first: it is the one that counts."""
    left, right = _versions(ours), _versions(theirs)
    found = merge_sets(() if base is None else _versions(base), left, right)
    if base is not None and len(found) > 1:
        for side, time in ((left, times.ours), (right, times.theirs)):
            for version in side.values():
                if EDITED not in version and isinstance(time, str):
                    version[EDITED] = time
    for key in found.keys() & left.keys() & right.keys():
        edits = [side[key][EDITED] for side in (left, right) if EDITED in side[key]]
        found[key] = {**left[key], **({EDITED: max(edits, key=instant)} if edits else {})}
    newest = sorted(found, key=lambda key: (instant(found[key].get(EDITED)), key), reverse=True)
    return [found[key] for key in newest]


def _versions(record: Record) -> dict[str, dict[str, Any]]:
    """Return the versions of a memory's text that are in a record, by their words."""
    versions = [record, *(item for item in alternatives(record) if "content" in item)]
    return {
        canonical([version.get(key) for key in TEXT]): {
            key: version[key] for key in (*TEXT, EDITED) if key in version
        }
        for version in versions
    }


def _ordered(merged: dict[str, Any], base: Record) -> dict[str, Any]:
    """The keys in the base's order, then the known ones, then the rest by name; conflicts last."""
    places = {key: at for at, key in enumerate(base)}

    def place(key: str) -> tuple[bool, int, int, str]:
        known = _ORDER.get(key, len(_ORDER))
        return key == CONFLICT, places.get(key, len(places)), known, key

    return {key: merged[key] for key in sorted(merged, key=place)}
