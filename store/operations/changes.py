"""The plain changes people and programs ask for, as plans: add, edit, remove, archive, restore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from store.action import Action, ActionKind
from store.backends.issue_records import IssueRecords, check_read
from store.errors import InvalidObservation, NotFound
from store.merge.versions import EDITED, TEXT, alternatives, resolved
from store.model import Level, Location, Observation
from store.notice import Notice
from store.operations.plan import Change, Plan
from store.records import LEVEL, format_time, from_record, to_record, updated_record
from store.validation.prepare import Prepared, prepare_update

Prepare = Callable[[Observation], Prepared]
"""Checks, cleans and completes an observation."""
Where = Mapping[int, IssueRecords]
"""The records of the issues that a plan is about."""


Fields = Mapping[str, Any] | Callable[[Observation], Mapping[str, Any]]
"""What is set, perhaps by what a memory holds."""


class Located(NamedTuple):
    """An observation's id, its issue's records, and its location and exact record there."""

    id: str
    records: IssueRecords
    location: Location
    record: dict[str, Any]


def plan_add(
    observations: Sequence[Observation], prepare: Prepare, kind: str = ActionKind.ADD
) -> Plan:
    """Return a plan that stores new observations. Raises `InvalidObservation`."""
    prepared = [prepare(observation) for observation in observations]
    notes = tuple(notice for item in prepared for notice in item.notices)
    return replace(added([item.observation for item in prepared], kind), notes=notes)


def added(observations: Sequence[Observation], kind: str) -> Plan:
    """Return the plan that would have stored what was stored just now."""
    changes = tuple(
        Change(Location.ISSUE, item.issue_number, item.id, None, to_record(item))
        for item in observations
    )
    return Plan(action_on(kind, changes), changes)


def plan_edit(
    where: Where,
    identifiers: Sequence[str],
    fields: Fields,
    kind: str = ActionKind.EDIT,
    now: datetime | None = None,
) -> Plan:
    """Return a plan that sets fields of observations. Raises `NotFound`, `InvalidObservation`.

    What is set may depend on what each holds. With `now`, a text that changes notes when: of two
    branches' edits the newer one counts.
    """
    fields_for = fields if callable(fields) else lambda _: fields
    return _edited(locate(where, identifiers), fields_for, kind, now)


def _edited(
    found: Iterable[Located],
    fields_for: Callable[[Observation], Mapping[str, Any]],
    kind: str,
    now: datetime | None = None,
) -> Plan:
    changes = []
    notes: list[Notice] = []
    for one in found:
        before, issue = one.record, one.records.issue
        old = from_record(before, issue)
        amended = prepare_update(old, fields_for(old))
        after = updated_record(before, old, amended.observation)
        if after != before:
            if now is not None and any(after.get(key) != before.get(key) for key in TEXT):
                after[EDITED] = format_time(now)
            changes.append(Change(one.location, issue, one.id, before, after))
            notes += amended.notices
    return Plan(action_on(kind, changes), tuple(changes), tuple(notes))


def plan_tag(
    where: Where,
    identifiers: Sequence[str],
    add: Sequence[str] = (),
    remove: Collection[str] = (),
    kind: str = ActionKind.TAG,
) -> Plan:
    """Return a plan that gives observations tags and takes tags from them, each keeping its others.

    Raises `NotFound`, `InvalidObservation`.
    """

    def tagged(old: Observation) -> Mapping[str, Any]:
        tags = dict.fromkeys((*old.tags, *add))
        return {"tags": tuple(tag for tag in tags if tag not in remove)}

    return _edited(locate(where, identifiers), tagged, kind)


def plan_resolve(where: Where, identifier: str, choice: int) -> Plan:
    """Return a plan that keeps one version of a memory that branches edited: 0 the one that counts.

    Raises `NotFound`, and `InvalidObservation` where there is no such version.
    """
    ((_, records, location, before),) = locate(where, [identifier])
    others = len(alternatives(before))
    if not 0 <= choice <= others:
        raise InvalidObservation(
            f"{identifier} has no version {choice}.", f"Use a number from 0 to {others}."
        )
    after = resolved(before, choice)
    place = records.place_of(location, identifier) if after is None else None
    change = Change(location, records.issue, identifier, before, after, place)
    changes = (change,) if after != before else ()
    return Plan(action_on(ActionKind.EDIT, changes), changes)


def plan_remove(where: Where, identifiers: Sequence[str]) -> Plan:
    changes = tuple(map(_removal, locate(where, identifiers)))
    return Plan(action_on(ActionKind.REMOVE, changes), changes)


def _removal(found: Located) -> Change:
    """Return the change that takes a record out of its location, to which undo puts it back."""
    place = found.records.place_of(found.location, found.id)
    return Change(found.location, found.records.issue, found.id, found.record, None, place)


def plan_archive(where: Where, identifiers: Sequence[str]) -> Plan:
    """Return a plan that moves observations to the archive. Raises `NotFound`."""
    changes: list[Change] = []
    active = [found for found in locate(where, identifiers) if found.location is Location.ISSUE]
    for found in active:
        issue, before = found.records.issue, found.records.find(Location.ARCHIVE, found.id)
        copy = {**found.record, "archived": True}
        changes.append(Change(Location.ARCHIVE, issue, found.id, before, copy))
        changes.append(_removal(found))
    return Plan(action_on(ActionKind.ARCHIVE, changes), tuple(changes))


def plan_restore(where: Where, identifiers: Sequence[str]) -> Plan:
    """Return a plan that takes observations out of the archive. Raises `NotFound`."""
    changes: list[Change] = []
    for found in locate(where, identifiers):
        issue, back = found.records.issue, {**found.record, "archived": False}
        if found.location is Location.ARCHIVE:
            changes.append(Change(Location.ISSUE, issue, found.id, None, back))
            changes.append(_removal(found))
        elif found.record.get("archived", False) is not False:
            changes.append(Change(found.location, issue, found.id, found.record, back))
    return Plan(action_on(ActionKind.RESTORE, changes), tuple(changes))


def locate(where: Where, identifiers: Iterable[str]) -> Iterator[Located]:
    """Observations and their places, in the order asked: of several with one id, the first.

    Raises `NotFound`, or `Unreadable` where one may be in a file that can't be read.
    """
    places: dict[str, tuple[IssueRecords, Location]] = {}
    for records in where.values():
        for location in (Location.ISSUE, Location.ARCHIVE):
            for identifier in records.ids(location):
                places.setdefault(identifier, (records, location))
    for identifier in identifiers:
        place = places.get(identifier)
        record = place and place[0].find(place[1], identifier)
        if place is None or record is None:
            for records in where.values():
                check_read(records, *Location)
            raise NotFound(
                f"No memory has the id {identifier}.", "It may have been deleted; search again."
            )
        yield Located(identifier, *place, record)


def action_on(kind: str, changes: Sequence[Change]) -> Action:
    """Return an action with the number of memories that it changes, and how many of them are of a
    level other than the project's own.
    """
    levels = {change.id: (change.after or change.before or {}).get(LEVEL) for change in changes}
    counts = Counter(level for level in levels.values() if level in (Level.MINE, Level.TEAM))
    return Action(kind, {"memories": len(levels), **counts})
