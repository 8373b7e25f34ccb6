"""One memory merged: its texts kept side by side where both sides edited them.

A key in which both sides differ from the base and from each other keeps every value: the newest
text counts, the others are under `conflict` until someone chooses. That makes a merge the same
whichever side is ours, and whatever the order in which branches are merged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from store.errors import Unreadable
from store.platform.bounds import excess_of
from store.platform.json_fields import is_count
from store.records import RawRecord, estimate_tokens, first_line

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
    took out is out.

    Where that leaves none because each took out the other's, all of them stay.
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


MAX_VERSIONS = 50
"""Versions of one memory in one file: joining them compares each with all others."""
_KEPT = "It is kept unchanged."


def bounded(record: RawRecord) -> dict[str, Any]:
    """The exact value of a record that is to be joined. Raises `Unreadable` for what is beyond."""
    value: dict[str, Any] = record.exact()
    check_bounds(value)
    return value


def check_bounds(*values: Mapping[str, Any]) -> None:
    """Raise `Unreadable` where a record, or the other keys of a file, has too much in it."""
    for value in values:
        if excess := excess_of(dict(value)):
            raise Unreadable(f"A record can't be merged: {excess}.", _KEPT)


def check_versions(identifiers: Iterable[Hashable]) -> None:
    """Raise `Unreadable` where one memory is there more often than versions are joined."""
    ((_, most),) = Counter(identifiers).most_common(1) or [(None, 0)]
    if most > MAX_VERSIONS:
        raise Unreadable(f"One memory appears {most:,} times; that can't be merged.", _KEPT)


Record = Mapping[str, Any]
"""A memory as it is in a file: camelCase keys, unknown ones included."""

CONFLICT = "conflict"
"""The key of a record for what another branch made of it: a list of objects, each with the keys in
which that version differs; `{"removed": true}` where it was removed there."""
EDITED = "editedAt"
"""The key for the time at which a memory's text was last edited."""
TEXT = ("category", "content", "summary", "tokens")
"""The text of a memory: keys that are edited, and merged, together."""
REMOVED = "removed"
PROPOSED = "proposedBy"
"""The key of a version that no branch made: an agent proposes it."""

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
    merged: dict[str, Any] = {}
    conflicts: list[dict[str, Any]] = []
    _merge_text(base, ours, theirs, times, merged, conflicts)
    before = base or {}
    for key in {**ours, **theirs}:
        if key not in TEXT and key not in (EDITED, CONFLICT):
            _merge_key(key, before, (base is None), ours, theirs, merged, conflicts)
    sides = (before, ours, theirs)
    if merge_flags(
        *(any(REMOVED in alternative for alternative in alternatives(side)) for side in sides)
    ):
        conflicts.append({REMOVED: True})
    if conflicts:
        merged[CONFLICT] = conflicts
    elif any(CONFLICT in side and not alternatives(side) for side in sides):
        _merge_key(CONFLICT, before, (base is None), ours, theirs, merged, conflicts)
    return _ordered(merged, before)


def keep_removed(record: Record) -> dict[str, Any]:
    """Return a memory that one side edited and the other removed: kept, and flagged."""
    others = [alternative for alternative in alternatives(record) if REMOVED not in alternative]
    kept = {key: value for key, value in record.items() if key != CONFLICT}
    return {**kept, CONFLICT: [*others, {REMOVED: True}]}


def alternatives(record: Record) -> list[dict[str, Any]]:
    """Versions of a memory from other branches, newest first; empty where all is resolved."""
    found = record.get(CONFLICT)
    if isinstance(found, list) and all(isinstance(item, dict) and item for item in found):
        return found
    return []


def version_text(version: Record) -> str:
    """Summarise a version for a list."""
    if PROPOSED in version:
        rest = {key: value for key, value in version.items() if key != PROPOSED}
        said = "removing it" if REMOVED in version else version_text(rest)
        return f"{version[PROPOSED]} proposes: {said}"
    if REMOVED in version:
        return "removed on another branch"
    if "content" in version:
        return str(version["content"])
    return ", ".join(f"{key}: {value}" for key, value in version.items())


def resolved(record: Record, choice: int) -> dict[str, Any] | None:
    """Return a memory with one version chosen: 0 is the one that counts, the others follow in
    order.

    `None` where the chosen one was removed. Raises `IndexError` where there is no such version.
    """
    kept = {key: value for key, value in record.items() if key != CONFLICT}
    if choice == 0:
        return kept
    chosen = alternatives(record)[choice - 1]
    if REMOVED in chosen:
        return None
    return {**kept, **{key: value for key, value in chosen.items() if key != PROPOSED}}


def version_of(content: str) -> dict[str, Any]:
    """Return the version of a memory that has another text."""
    return {"content": content, "summary": first_line(content), "tokens": estimate_tokens(content)}


def proposed(record: Record, version: Record, agent: str) -> list[dict[str, Any]]:
    """The versions of a memory with one that an agent proposes, in place of its earlier one."""
    others = [
        alternative for alternative in alternatives(record) if alternative.get(PROPOSED) != agent
    ]
    return [*others, {**version, PROPOSED: agent}]


def _merge_key(
    key: str,
    base: Record,
    unknown_base: bool,
    ours: Record,
    theirs: Record,
    merged: dict[str, Any],
    conflicts: list[dict[str, Any]],
) -> None:
    """Merge one key into `merged`, what it leaves open into `conflicts`."""
    values = [side.get(key, _ABSENT) for side in (base, ours, theirs)]
    join = _joiner(key, values, unknown_base)
    if join is not None:
        joined = join()
        if joined is not _ABSENT:
            merged[key] = joined
        return
    sides = [_values(side, key) for side in (base, ours, theirs)]
    found = merge_sets(sides[0], sides[1], sides[2])
    if len(found) > 1:
        found.pop("", None)
    ranked = sorted(found, reverse=True)
    if found[ranked[0]] is not _ABSENT:
        merged[key] = found[ranked[0]]
    conflicts += [{key: found[one]} for one in ranked[1:]]


def _joiner(key: str, values: list[Any], unknown_base: bool) -> Callable[[], Any] | None:
    """Find the function that joins a key without a choice; `None` for a key that needs one."""
    base, ours, theirs = values
    if key in _COUNTS:
        none = _COUNTS[key]
        counts = [none if value is _ABSENT else value for value in values]
        if all(map(is_count, counts)):
            start = None if unknown_base else counts[0]
            return lambda: _unless(merge_counts(start, counts[1], counts[2]), none)
    if key in _FLAGS:
        return lambda: _unless(merge_flags(base is True, ours is True, theirs is True), False)
    if key in _LISTS:
        lists = [[] if value is _ABSENT else value for value in values]
        if all(isinstance(item, list) for item in lists):
            return lambda: _unless(merge_lists(*lists), [])
    if key in _LATEST:
        return lambda: later(*(time for time in (ours, theirs) if time is not _ABSENT))
    if key == "relevanceScore" and all(isinstance(score, int | float) for score in (ours, theirs)):
        return lambda: ours if theirs == base else theirs if ours == base else max(ours, theirs)
    return None


def _unless(value: Any, default: Any) -> Any:  # noqa: ANN401 - any JSON value
    return _ABSENT if value == default else value


def _values(side: Record, key: str) -> dict[str, Any]:
    """The values a side has for a key, the one that counts and the alternatives, by their text."""
    value = side.get(key, _ABSENT)
    found = {"" if value is _ABSENT else canonical(value): value}
    for item in alternatives(side):
        if key in item:
            found[canonical(item[key])] = item[key]
    return found


def _merge_text(
    base: Record | None,
    ours: Record,
    theirs: Record,
    times: Times,
    merged: dict[str, Any],
    conflicts: list[dict[str, Any]],
) -> None:
    """Merge the text of a memory: the newest version counts, the others are kept."""
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
    merged.update(found[newest[0]])
    conflicts += [found[key] for key in newest[1:]]


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
