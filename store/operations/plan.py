"""Plans: what an operation would change, as a plain value that touches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.disk.layout import Shelf as Shelf

Record = Mapping[str, Any]
"""An observation as it stands in a file: camelCase keys, unknown ones included."""

BOOKKEEPING = frozenset({"recallCount", "lastRecalled", "seenCount", "relevanceScore"})
"""Keys that count use, not content: they don't make a record count as changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """One record before and after; `None` where it does not exist yet, or any more."""

    shelf: Shelf
    issue: int
    id: str
    before: Record | None
    after: Record | None

    def inverse(self) -> Change:
        """The change that takes this one back."""
        return Change(self.shelf, self.issue, self.id, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Plan:
    """A named set of changes. `title` is a sentence for people; `notes` what they should know."""

    kind: str
    title: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether applying it would change nothing."""
        return not self.changes

    def inverse(self) -> Plan:
        """The plan that takes this one back, last change first."""
        changes = tuple(change.inverse() for change in reversed(self.changes))
        return Plan("undo", f"Undo: {self.title}", changes)


def same_content(one: Record | None, other: Record | None) -> bool:
    """Whether two records are equal but for the counters of their use."""
    if one is None or other is None:
        return one is other
    return {k: v for k, v in one.items() if k not in BOOKKEEPING} == {
        k: v for k, v in other.items() if k not in BOOKKEEPING
    }
