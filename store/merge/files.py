"""Two versions of a file of memories, and what both started from, merged memory by memory.

What one side alone touched keeps its very bytes, so a merge changes no line of any other memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from store.merge.bounds import bounded, check_bounds
from store.merge.record import Times, merge_records
from store.merge.values import canonical, instant, later, merge_sets
from store.merge.versions import alternatives, keep_removed
from store.model import COUNTERS
from store.records import RawRecord, new_record

Key = tuple[str, int]
"""A record's id, or its text where it has none, and which of those it is in its file."""


class Side(NamedTuple):
    """One version of a file: its keys but for the records, and the records in order."""

    header: Mapping[str, Any]
    records: Sequence[RawRecord]


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged file, and what became of its memories.

    `ours` and `theirs` are the ids that this side alone added, `removed` those that a side took
    out, `joined` those that both changed, and `conflicts` those of them that keep two versions.
    """

    header: dict[str, Any]
    records: list[RawRecord]
    ours: list[str] = field(default_factory=list)
    theirs: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    joined: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def merge_files(base: Side | None, ours: Side, theirs: Side) -> Merged:
    """Merge two versions of a file; `base` is what both started from, where that is known.

    The same, byte for byte, whichever side is ours. Without a base nothing is taken to be removed.
    Raises `Unreadable` where what is to be joined is beyond the bounds of a record.
    """
    start = base or Side({}, ())
    check_bounds(start.header, ours.header, theirs.header)
    before, left, right = (_by_key(side.records) for side in (start, ours, theirs))
    times = Times(ours.header.get("updatedAt"), theirs.header.get("updatedAt"))
    merged = Merged(merge_headers(base and base.header, ours.header, theirs.header), [])
    found: dict[Key, RawRecord] = {}
    for key in {**before, **left, **right}:
        one = _merge_one(key[0], before.get(key), left.get(key), right.get(key), times, merged)
        if one is not None:
            found[key] = one
    merged.records.extend(found[key] for key in _in_order(found, before, left, right))
    return merged


def merge_headers(
    base: Mapping[str, Any] | None, ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the other keys of a file: `updatedAt` is the later one, of others a change wins."""
    before = base or {}
    merged: dict[str, Any] = {}
    for key in _header_keys(before, ours, theirs):
        if key == "updatedAt":
            merged[key] = later(*(side[key] for side in (ours, theirs) if key in side))
            continue
        sides = [
            {canonical(side[key]): side[key]} if key in side else {}
            for side in (before, ours, theirs)
        ]
        gone = not all(sides[1:])
        members = merge_sets(sides[0], sides[1], sides[2])
        if gone and members.keys() <= sides[0].keys():
            continue
        merged[key] = members[max(members)]
    return merged


def _merge_one(
    identifier: str,
    base: RawRecord | None,
    ours: RawRecord | None,
    theirs: RawRecord | None,
    times: Times,
    merged: Merged,
) -> RawRecord | None:
    """One record merged, and noted in `merged`; `None` where it is gone."""
    if ours is None or theirs is None:
        return _merge_lone(identifier, base, ours, theirs, merged)
    if base is None:
        if ours.text == theirs.text:
            return ours
    elif base.text == theirs.text:
        return ours
    elif base.text == ours.text:
        return theirs
    merged.joined.append(identifier)
    left, right = bounded(ours), bounded(theirs)
    value = merge_records(None if base is None else bounded(base), left, right, times)
    if alternatives(value):
        merged.conflicts.append(identifier)
    same = sorted(text for text, of in ((ours.text, left), (theirs.text, right)) if of == value)
    return RawRecord(same[0], value) if same else new_record(value)


def _merge_lone(
    identifier: str,
    base: RawRecord | None,
    ours: RawRecord | None,
    theirs: RawRecord | None,
    merged: Merged,
) -> RawRecord | None:
    """Return a record that is not on both sides: added by one, or removed by the other."""
    survivor = theirs if ours is None else ours
    if survivor is None:
        return None
    if base is None:
        (merged.theirs if ours is None else merged.ours).append(identifier)
        return survivor
    if base.text == survivor.text or _is_untouched(base, survivor):
        merged.removed.append(identifier)
        return None
    merged.joined.append(identifier)
    merged.conflicts.append(identifier)
    return new_record(keep_removed(bounded(survivor)))


def _is_untouched(base: RawRecord, survivor: RawRecord) -> bool:
    """Compare two records of one id, but for the counters of their use."""
    one, other = (
        {key: value for key, value in bounded(entry).items() if key not in COUNTERS}
        for entry in (base, survivor)
    )
    return one == other


def _by_key(records: Iterable[RawRecord]) -> dict[Key, RawRecord]:
    """Records by their key; those of one id are kept apart by their number."""
    found: dict[Key, RawRecord] = {}
    counts: defaultdict[str, int] = defaultdict(int)
    for entry in records:
        value = entry[1]
        identifier = value.get("id") if type(value) is dict else None
        if type(identifier) is not str:
            identifier = f"\0{entry[0]!r}"
        found[identifier, counts[identifier]] = entry
        counts[identifier] += 1
    return found


def _in_order(
    found: Mapping[Key, RawRecord],
    before: Mapping[Key, RawRecord],
    left: Mapping[Key, RawRecord],
    right: Mapping[Key, RawRecord],
) -> Iterable[Key]:
    """The base's order; what was added follows the memory it was added after, oldest first."""
    places = {key: at for at, key in enumerate(key for key in before if key in found)}
    after: dict[Key, int] = {}
    for side in (left, right):
        at = -1
        for key in side:
            if key in places:
                at = places[key]
            elif key in found:
                after[key] = max(at, after.get(key, -1))

    def place(key: Key) -> tuple[int, bool, Any, Key]:
        if key in places:
            return places[key], False, 0, key
        value = found[key][1]
        time = value.get("timestamp") if isinstance(value, dict) else None
        return after[key], True, instant(time), key

    return sorted(found, key=place)


def _header_keys(*headers: Mapping[str, Any]) -> list[str]:
    """Return the keys of all, in the base's order, then AgentX's, then by name."""
    usual = ("version", "issueNumber", "updatedAt")
    base, *sides = headers
    rest = {key for side in sides for key in side if key not in base}
    added = sorted(rest, key=lambda key: (usual.index(key) if key in usual else len(usual), key))
    return [*(key for key in base if any(key in side for side in sides)), *added]
