"""Missing memories: the journal has them, but no file any more, as after a reset of git."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from store.action import Action, ActionKind
from store.backends.protocol import Backend
from store.errors import NotFound, Unreadable
from store.model import Location
from store.operations.journal import operation_ids, operations, read_operation
from store.operations.plan import Change, Plan


def count_missing(backend: Backend, vanished: Collection[str]) -> int:
    """Count the memories in no file, where some that vanished were not removed by an operation."""
    if not any(left_by_last(backend, vanished)):
        return 0
    return len(plan_bring_back(backend).changes)


def plan_bring_back(backend: Backend) -> Plan:
    """Return a plan that brings back what is there by the journal, and in no file; empty for
    nothing.

    What was removed, here or by a clone's tombstone, stays so. Raises `Unreadable`.
    """
    changes = _current(backend)
    issues = set(backend.issues())
    # Nearly all are where the journal left them: only what is not there is looked for elsewhere.
    for looked_at in (issues.intersection(change.issue for change in changes), issues):
        if not changes:
            break
        read = {records.issue: records for records in backend.read_each(sorted(looked_at))}
        held = {
            identifier
            for records in read.values()
            for location in Location
            for identifier in records.ids(location)
        }
        changes = [
            change
            for change in changes
            if change.id not in held
            and (change.issue not in read or not read[change.issue].is_back(change.after))
        ]
    return Plan(Action(ActionKind.RESTORE, {"memories": len(changes)}), tuple(changes))


def left_by_last(backend: Backend, identifiers: Collection[str]) -> Iterator[Change]:
    """Yield what the last operation on each of some memories left there; others are passed over."""
    left = set(identifiers)
    for operation in operations(backend):
        if not left:
            return
        found = [change for change in operation.plan.changes if change.id in left]
        yield from (change for change in found if change.after is not None)
        left -= {change.id for change in found}


def _current(backend: Backend) -> list[Change]:
    """Return the memories by the journal alone, each as its last operation left it."""
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
