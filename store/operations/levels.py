"""Plans that move or copy memories to another level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from store.action import Action, ActionKind
from store.errors import Conflict
from store.model import Level, Location
from store.notice import Notice
from store.operations.changes import Located, Where, locate
from store.operations.plan import Change, Plan
from store.records import LEVEL, from_record

_NAMED = 3
"""Memories that an error names."""
_NEVER_COPIED = frozenset({"recallCount", "lastRecalled", "seenCount"})


def plan_level(
    where: Where,
    identifiers: Sequence[str],
    level: str,
    new_id: Callable[[Mapping[str, Any]], str] | None = None,
) -> Plan:
    """Return a plan that moves memories to a level; with `new_id`, that copies them there.

    What holds something of one person or machine is not given to the team, and named. Raises
    `Conflict` where that is all, and `NotFound`.
    """
    changes: list[Change] = []
    left: list[Notice] = []
    for found in locate(where, identifiers):
        if found.record.get(LEVEL) == level:
            continue
        if level == Level.TEAM and (unshared := next(_unshared(found), None)):
            left.append(unshared)
            continue
        changes.append(_moved(found, level) if new_id is None else _copied(found, level, new_id))
    if left and not changes:
        hint = "Edit what is not for others, then try again."
        raise Conflict("Nothing was given to the team.", hint, tuple(left[:_NAMED]))
    kind = ActionKind.MOVE if new_id is None else ActionKind.COPY
    action = Action(kind, {"memories": len(changes), level: len(changes)})
    return Plan(action, tuple(changes), tuple(left))


def _moved(found: Located, level: str) -> Change:
    after = {**found.record, LEVEL: level}
    return Change(found.location, found.records.issue, found.id, found.record, after)


def _copied(found: Located, level: str, new_id: Callable[[Mapping[str, Any]], str]) -> Change:
    record = {key: value for key, value in found.record.items() if key not in _NEVER_COPIED}
    after = {**record, "id": new_id(found.record), LEVEL: level}
    return Change(Location.ISSUE, found.records.issue, after["id"], None, after)


def _unshared(found: Located) -> Iterator[Notice]:
    from store.redaction.sharing import unshared_notices  # few plans give anything to the team

    return unshared_notices(from_record(found.record, found.records.issue))
