"""Two machines' memories and what both started from, merged memory by memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from store.backends.tombstones import Tombstone, by_text, text_of
from store.merge.bounds import check_bounds
from store.merge.changes import Snapshot, Standing
from store.merge.files import merge_headers
from store.merge.record import merge_records
from store.merge.values import instant, merge_flags, merge_lists
from store.merge.versions import alternatives, keep_removed
from store.model import COUNTERS
from store.platform.json_fields import items
from store.sync.content import Content, Contents

Removed = frozenset[tuple[int, Tombstone]]
"""Tombstones, each with its issue."""
USE = COUNTERS - {"relevanceScore"}
"""Keys that count the use of a memory on one machine: they are not synced once it is there."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What all machines are to have; `conflicts` are ids of memories that keep two versions now."""

    contents: Contents
    conflicts: Mapping[str, tuple[str, ...]]


def merge_all(base: Contents, ours: Contents, theirs: Contents) -> Merged:
    """Merge all memories. One that a side has not at all is that of the other.

    Without a base nothing is taken to be removed, but for what a tombstone names. Raises
    `Unreadable` for a record that is beyond the bounds.
    """
    merged: dict[str, Content] = {}
    conflicts: dict[str, tuple[str, ...]] = {}
    for folder in sorted({**ours, **theirs}):
        if folder in ours and folder in theirs:
            merged[folder] = merge_contents(base.get(folder), ours[folder], theirs[folder])
            known = {*_conflicts(ours[folder]), *_conflicts(theirs[folder])}
            new = tuple(one for one in _conflicts(merged[folder]) if one not in known)
            conflicts |= {folder: new} if new else {}
        else:
            merged[folder] = ours.get(folder) or theirs[folder]
    return Merged(merged, conflicts)


def merge_contents(base: Content | None, ours: Content, theirs: Content) -> Content:
    """Merge one memory; the same whichever side is ours."""
    start = base or Content()
    both, either = ours.removed & theirs.removed, ours.removed | theirs.removed
    removed = both | (either - start.removed)
    found = _merged_memories(base, ours, theirs, removed)
    # What is kept under its own id is wanted, whoever removed it meanwhile.
    kept_texts = {(identifier, text_of(one.record)) for identifier, one in found.items()}
    removed = frozenset(pair for pair in removed if (pair[1].id, pair[1].text) not in kept_texts)
    return replace(
        ours,
        memories=_joined(
            _without_removed(found, removed), start.memories, ours.memories, theirs.memories
        ),
        removed=removed,
        sessions=_merged_sessions(start, ours, theirs),
        project=ours.project | theirs.project,
    )


def _merged_memories(
    base: Content | None, ours: Content, theirs: Content, removed: Removed
) -> dict[str, Standing]:
    """Merge memories by their ids; whatever became elsewhere of one that was forgotten, it is gone.

    Without a base, a tombstone names the text that one side has still.
    """
    old_texts = {(stone.id, stone.text) for _, stone in removed}
    found: dict[str, Standing] = {}
    start = base.memories if base else {}
    for identifier in {**start, **ours.memories, **theirs.memories}:
        sides = [side.memories.get(identifier) for side in (ours, theirs)]
        before = start.get(identifier)
        if base is None:
            still = (one for one in sides if one)
            before = next(
                (one for one in still if (identifier, text_of(one.record)) in old_texts), None
            )
        if (one := _merge_one(before, *sides)) is not None:
            found[identifier] = one
    for _, stone in removed:
        if stone.is_forgotten:
            found.pop(stone.id, None)
    return found


def _without_removed(found: Snapshot, removed: Removed) -> dict[str, Standing]:
    """Return the memories that are not back with the words of one that was removed."""
    texts = {
        issue: by_text([stone for of, stone in removed if of == issue]) for issue, _ in removed
    }
    return {
        identifier: one
        for identifier, one in found.items()
        if not any(
            stone.is_back_as(one.record)
            for stone in texts.get(one.issue, {}).get(text_of(one.record), ())
        )
    }


def without_use(record: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the counters of use that it is known by on all machines."""
    use = {key: value for key, value in known.items() if key in USE}
    kept = {
        key: use.get(key, value) for key, value in record.items() if key not in USE - use.keys()
    }
    return {**kept, **use}


def _merge_one(
    base: Standing | None, ours: Standing | None, theirs: Standing | None
) -> Standing | None:
    """Merge one memory; `None` where it is gone. What one side edited and the other removed stays,
    flagged.
    """
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if ours is None or theirs is None:
        survivor = ours or theirs
        return survivor and survivor._replace(record=keep_removed(survivor.record))
    check_bounds(ours.record, theirs.record)
    record = merge_records(base and base.record, ours.record, theirs.record)
    is_archived = merge_flags(base is not None and base.archived, ours.archived, theirs.archived)
    was_at = base.issue if base else ours.issue
    return Standing(ours.issue if theirs.issue == was_at else theirs.issue, is_archived, record)


def _joined(
    found: Snapshot, base: Snapshot, ours: Snapshot, theirs: Snapshot
) -> dict[str, Standing]:
    """Keep once what both sides added with the same words under two ids: the older one, with the
    tags and sources of both.
    """
    kept = dict(found)
    twins: dict[tuple[object, ...], str] = {}
    for identifier, one in found.items():
        if identifier in ours and identifier not in theirs and identifier not in base:
            twins.setdefault(_words(one), identifier)
    for identifier in found:
        if identifier not in theirs or identifier in ours or identifier in base:
            continue
        twin = twins.pop(_words(found[identifier]), None)
        if twin is not None and not found[identifier].archived:
            pair = sorted((identifier, twin), key=lambda name: _age(name, found[name]))
            older, newer = (found[name] for name in pair)
            lists = {
                key: merge_lists([], items(older.record.get(key)), items(newer.record.get(key)))
                for key in ("tags", "sources")
            }
            joined = {key: value for key, value in lists.items() if value}
            kept[pair[0]] = older._replace(record={**older.record, **joined})
            del kept[pair[1]]
    return kept


def _words(one: Standing) -> tuple[object, ...]:
    texts = (one.record.get(key) for key in ("agent", "category", "content"))
    return (one.issue, one.archived, *map(str, texts))


def _age(identifier: str, one: Standing) -> tuple[object, ...]:
    return instant(one.record.get("timestamp")), identifier


def _conflicts(content: Content) -> Iterable[str]:
    return (name for name, one in content.memories.items() if alternatives(one.record))


def _merged_sessions(base: Content, ours: Content, theirs: Content) -> dict[str, Mapping[str, Any]]:
    merged: dict[str, Mapping[str, Any]] = {}
    for name in sorted({**ours.sessions, **theirs.sessions}):
        start, left, right = (side.sessions.get(name) for side in (base, ours, theirs))
        if left is not None and right is not None:
            merged[name] = left if left == right else merge_headers(start, left, right)
        elif start is None or (left or right) != start:
            merged[name] = left or right or {}
    return merged
