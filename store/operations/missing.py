"""Memories that were acknowledged and stand in no file: git, or another program, took the files
back to what they were before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from store.action import Action, ActionKind
from store.backends.protocol import Backend
from store.errors import NotFound, Unreadable
from store.model import Location
from store.operations.journal import operation_ids, operations, read_operation
from store.operations.plan import Change, Plan


def plan_bring_back(backend: Backend) -> Plan:
    """A plan that brings back what the journal says stands, and no file has; empty for nothing.

    What was removed, here or by a clone's tombstone, stays so. Raises `Unreadable`.
    """
    read = {records.issue: records for records in backend.read_each(sorted(backend.issues()))}
    held = {
        identifier
        for records in read.values()
        for location in Location
        for identifier in records.ids(location)
    }
    changes = tuple(
        change
        for change in _current(backend)
        if change.id not in held
        and (change.issue not in read or not read[change.issue].is_back(change.after))
    )
    return Plan(Action(ActionKind.RESTORE, {"memories": len(changes)}), changes)


def is_any_current(backend: Backend, identifiers: Collection[str]) -> bool:
    """Whether a memory of those ids stands by the last operation on it; others are passed over."""
    left = set(identifiers)
    for operation in operations(backend):
        named = {change.id for change in operation.plan.changes} & left
        if any(
            change.id in named and change.after is not None for change in operation.plan.changes
        ):
            return True
        left -= named
        if not left:
            break
    return False


def _current(backend: Backend) -> list[Change]:
    """Memories by the journal alone, each as its last operation left it."""
    states: dict[str, dict[tuple[Location, int], Mapping[str, Any] | None]] = {}
    for identifier in reversed(operation_ids(backend)):
        try:
            changes = read_operation(backend, identifier).plan.changes
        except (NotFound, Unreadable):
            continue
        for change in changes:
            states.setdefault(change.id, {})[change.location, change.issue] = change.after
    found = []
    for identifier, state in states.items():
        places = [(place, after) for place, after in state.items() if after is not None]
        if places:  # of one in both, the issue's counts
            (location, issue), after = max(places, key=lambda place: place[0][0] is Location.ISSUE)
            found.append(Change(location, issue, identifier, None, after))
    return found
