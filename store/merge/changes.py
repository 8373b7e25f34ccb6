"""Changes between two states of a memory, memory by memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from store.merge.versions import CONFLICT, EDITED, Record
from store.model import COUNTERS
from store.platform.json_fields import is_count


class What(StrEnum):
    ADDED = "added"
    EDITED = "edited"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    RESTORED = "restored"
    REMOVED = "removed"


class Standing(NamedTuple):
    """A memory and its place: its issue, whether in the archive, and its record."""

    issue: int
    archived: bool
    record: Record


Snapshot = Mapping[str, Standing]
"""All memories of one state, by their ids."""


class MemoryChange(NamedTuple):
    """One memory before and after; `by` is the id of the one that supersedes it."""

    what: What
    id: str
    before: Standing | None
    after: Standing | None
    by: str = ""

    @property
    def fields(self) -> dict[str, tuple[object, object]]:
        """The keys that an edit changed, counters of use left out: before and after."""
        old = self.before.record if self.before else {}
        new = self.after.record if self.after else {}
        quiet = COUNTERS | {EDITED, CONFLICT, "tokens"}
        return {
            key: (old.get(key), new.get(key))
            for key in {**old, **new}
            if key not in quiet and old.get(key) != new.get(key)
        }


@dataclass(frozen=True, slots=True)
class MemoryDiff:
    """All changes, by issue and kind; tokens of what is not archived, before and after.

    `unread` are issues of which a file can't be read now: what became of theirs is not known.
    """

    changes: tuple[MemoryChange, ...]
    tokens_before: int
    tokens_after: int
    unread: tuple[int, ...] = ()

    def counted(self) -> dict[What, int]:
        """Count the memories of each kind of change, kinds without any left out."""
        numbers = {what: sum(change.what is what for change in self.changes) for what in What}
        return {what: number for what, number in numbers.items() if number}


def compare(before: Snapshot, after: Snapshot) -> MemoryDiff:
    heirs = _heirs(before, after)
    found = []
    for identifier in {**before, **after}:
        old, new = before.get(identifier), after.get(identifier)
        what = _what(old, new, identifier in heirs)
        if what is not None:
            by = heirs.get(identifier, "") if what is What.SUPERSEDED else ""
            found.append(MemoryChange(what, identifier, old, new, by))
    order = list(What)
    found.sort(
        key=lambda change: (
            order.index(change.what),
            (change.after or change.before or _NONE).issue,
        )
    )
    return MemoryDiff(tuple(found), _tokens(before), _tokens(after))


def _what(old: Standing | None, new: Standing | None, superseded: bool) -> What | None:
    if new is None:
        gone = old is not None and not old.archived and superseded
        return What.SUPERSEDED if gone else What.REMOVED
    if old is None:
        return What.ARCHIVED if new.archived else What.ADDED
    if old.archived != new.archived:
        if old.archived:
            return What.RESTORED
        return What.SUPERSEDED if superseded else What.ARCHIVED
    change = MemoryChange(What.EDITED, "", old, new)
    return What.EDITED if change.fields else None


def _heirs(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """By the ids of memories that new ones name as their sources: the new one's id."""
    heirs: dict[str, str] = {}
    for identifier, state in after.items():
        sources = state.record.get("sources")
        if identifier not in before and isinstance(sources, list):
            heirs.update({source: identifier for source in sources if isinstance(source, str)})
    return heirs


def _tokens(snapshot: Snapshot) -> int:
    counts = (state.record.get("tokens") for state in snapshot.values() if not state.archived)
    return sum(count for count in counts if is_count(count))


_NONE = Standing(0, False, {})
