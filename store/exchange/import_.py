"""From what a source holds to a plan: what is new comes in, what is here already stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from store.action import Action, ActionKind
from store.backends.protocol import Backend
from store.errors import InvalidObservation
from store.exchange.values import Progress, Reading
from store.model import Location, Observation
from store.notice import notice
from store.operations.plan import Change, Plan
from store.records import record_id, to_record
from store.validation.prepare import Prepared

Prepare = Callable[[Observation], Prepared]
"""Checks, cleans and completes an observation."""

_STEP = 100


def plan_import(
    reading: Reading,
    held: Mapping[str, str],
    prepare: Prepare,
    progress: Progress | None = None,
    *,
    is_removed: Callable[[Observation], bool] = lambda _: False,
) -> Plan:
    """A plan that stores what is new. `held` is the content of each id that stands already, and
    what `is_removed` was taken away here and stays out.

    Ids and timestamps are kept, and what is archived goes to the archive. What could not be taken
    as it is, is said in the plan's notes.
    """
    known = dict(held)
    changes: list[Change] = []
    notes = list(reading.problems)
    already = removed = 0
    for number, item in enumerate(reading.incoming):
        if progress is not None and number % _STEP == 0:
            progress(number, len(reading.incoming))
        identifier, content = item.observation.id, item.observation.content
        if known.get(identifier) == content:
            already += 1
            continue
        try:
            prepared = prepare(item.observation)
        except InvalidObservation as error:
            said = error.told
            notes.append(notice("skipped", text=said).at(item.place))
            continue
        observation = prepared.observation
        if identifier in known:
            if known[identifier] == observation.content:
                already += 1
            else:
                notes.append(notice("exists", id=identifier).at(item.place))
            continue
        if is_removed(observation):
            removed += 1
            continue
        notes += (told.at(item.place) for told in prepared.notices)
        known[observation.id] = observation.content
        location = Location.ARCHIVE if observation.archived else Location.ISSUE
        issue = observation.issue_number
        changes.append(Change(location, issue, observation.id, None, to_record(observation)))
    if progress is not None:
        progress(len(reading.incoming), len(reading.incoming))
    if removed:
        notes.insert(0, notice("removed-here", memories=removed, of=len(reading.incoming)))
    if already:
        notes.insert(0, notice("already-stored", memories=already, of=len(reading.incoming)))
    action = Action(ActionKind.IMPORT, {"memories": len(changes)})
    return Plan(action, tuple(changes), tuple(notes))


def held_contents(backend: Backend) -> dict[str, str]:
    """The content of each id that stands anywhere in a store, archive included."""
    held: dict[str, str] = {}
    for records in backend.read_each(sorted(backend.issues())):
        for value in records.values():
            identifier, content = record_id(value), value.get("content")
            if identifier is not None:
                held.setdefault(identifier, content if isinstance(content, str) else "")
    return held
