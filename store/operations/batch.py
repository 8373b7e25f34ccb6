"""Storing a batch: what is new is appended, what is there already is counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from store.backends.issue_records import IssueRecords, Lookup, location_of
from store.backends.protocol import Backend
from store.errors import InvalidObservation, NotSynced, StoreError
from store.model import Location, Observation
from store.notice import Notice
from store.operations.changes import Prepare
from store.platform.json_fields import integer
from store.records import to_record
from store.redaction.labels import public_id

NOT_SHARED = "not-shared-"
"""How the kinds of notices begin that name why something is not given to the team."""
_Key = tuple[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class StoreReport:
    """The result of a batch. `ids` follow the batch's order.

    `twins` are those ids that were there already: same agent, issue, category and content, now seen
    once more. `notices` name what was cut or cleaned on the way in; `operation_id` names the
    operation that takes it back, where there is one. `refused` are the places in the batch of what
    was removed here once, and was not stored: their ids are empty. `waiting` are those
    ids that are of the inbox: what has them is to be approved first.
    """

    ids: tuple[str, ...]
    stored: tuple[Observation, ...]
    twins: tuple[str, ...]
    notices: tuple[Notice, ...]
    operation_id: str = ""
    refused: tuple[int, ...] = ()
    waiting: tuple[str, ...] = ()

    def among(self, refused: Collection[int]) -> StoreReport:
        """Return the report of the batch that this one was without the places that were refused."""
        ids = iter(self.ids)
        count = len(self.ids) + len(refused)
        all_ids = tuple("" if at in refused else next(ids) for at in range(count))
        return replace(self, ids=all_ids, refused=tuple(sorted(refused)))


def kept_back(report: StoreReport) -> set[str]:
    """Return the ids of what a rule was to give to the team, and stayed the user's."""
    notices = (one for one in report.notices if one.kind.startswith(NOT_SHARED))
    return {str(one.values["id"]) for one in notices}


class IdTaken(InvalidObservation):
    """An id that is to be stored is in another issue."""

    def __init__(self, identifier: str, issue: int) -> None:
        super().__init__(
            f"The id {identifier} already exists in issue {issue}.",
            "Omit the id, or change the memory with `memtui edit`.",
        )


class PartlyStored(StoreError):
    """Some issues of a batch could not be written, or not for sure; `report` has what was."""

    def __init__(self, message: str, hint: str, report: StoreReport) -> None:
        super().__init__(message, hint)
        self.report = report

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(filter(None, self.report.ids))


def store_batch(
    backend: Backend, observations: Sequence[Observation], prepare: Prepare
) -> StoreReport:
    """Keep observations; they are durable when this returns, issue by issue.

    Raises `InvalidObservation`, of an id elsewhere `IdTaken`, and `PartlyStored` where only some of
    the issues could be written, or the disk did not confirm it.
    """
    prepared = [prepare(observation) for observation in observations]
    ids: list[str] = [""] * len(prepared)
    stored: list[Observation] = []
    twins: list[str] = []
    failures: list[StoreError] = []
    for issue in sorted({item.observation.issue_number for item in prepared}):
        batch = [
            (at, item.observation)
            for at, item in enumerate(prepared)
            if item.observation.issue_number == issue
        ]
        lookup = Lookup(
            {observation.id for _, observation in batch},
            {observation.content for _, observation in batch},
        )
        appended: set[int] | None = None
        try:
            with backend.changing(issue, lookup) as records:
                appended = add_batch(records, batch, lookup, ids)
        except IdTaken:
            raise
        except StoreError as error:
            failures.append(error)
            if appended is None or not isinstance(error, NotSynced):
                for at, _ in batch:
                    ids[at] = ""
                continue
        stored += [observation for at, observation in batch if at in appended]
        twins += [ids[at] for at, _ in batch if at not in appended]
    notices = tuple(notice for item in prepared for notice in item.notices)
    report = StoreReport(tuple(ids), tuple(stored), tuple(twins), notices)
    if failures:
        raise _failure(failures[0], report)
    return report


def _failure(first: StoreError, report: StoreReport) -> StoreError:
    """Return the error of a batch that was not stored, or in part only."""
    written, wanted = sum(map(bool, report.ids)), len(report.ids)
    if not written:
        return first
    of_all = f"{written} of {wanted} memories were stored. " if written < wanted else ""
    message = f"{of_all}{first.message}"
    partly = PartlyStored(message, first.hint, report)
    partly.__cause__ = first
    return partly


def see_again(backend: Backend, issue: int, identifiers: Iterable[str]) -> None:
    """Count that observations of an issue were seen once more; those gone are passed over."""
    with backend.changing(issue) as records:
        for identifier in identifiers:
            count_again(records, identifier)


def held_twins(backend: Backend, observations: Sequence[Observation]) -> dict[int, str]:
    """Return the ids of active memories that are the same as some of a batch, by its places."""
    twins: dict[int, str] = {}
    for issue in {observation.issue_number for observation in observations}:
        contents = {one.content for one in observations if one.issue_number == issue}
        records = backend.read(issue)
        _, active = _already_there(records, Lookup(set(), contents))
        for at, observation in enumerate(observations):
            value = to_record(observation)
            twin = active.get(_key(value)) if observation.issue_number == issue else None
            if twin is not None and records.matches_level(twin, value):
                twins[at] = twin
    return twins


def _already_there(records: IssueRecords, lookup: Lookup) -> tuple[set[str], dict[_Key, str]]:
    """Return the ids of a lookup that an issue has, archived or not, and the ids of active records
    with one of its contents, by agent, category and content.
    """
    known: set[str] = set()
    active: dict[_Key, str] = {}
    for name, part in records.parts.items():
        for value in part.values():
            if not isinstance(value, dict):
                continue
            identifier, content = value.get("id"), value.get("content")
            if isinstance(identifier, str) and identifier in lookup.ids:
                known.add(identifier)
            is_same = isinstance(content, str) and content in lookup.contents
            if is_same and location_of(name) is Location.ISSUE and _is_active(value):
                active[_key(value)] = public_id(value["id"])
    return known, active


def add_batch(
    records: IssueRecords, batch: Sequence[tuple[int, Observation]], lookup: Lookup, ids: list[str]
) -> set[int]:
    """Add observations, each with its place in the whole batch, to their issue.

    One with the agent, category and content of an active record raises that record's `seenCount`
    instead. Fills in `ids` and returns the places of those that were appended. Raises
    `InvalidObservation` for an id that is there already with other content, `IdTaken` for one of
    another issue.
    """
    for _, observation in batch:
        if observation.id in records.elsewhere:
            raise IdTaken(observation.id, records.elsewhere[observation.id])
    known, active = _already_there(records, lookup)
    appended: set[int] = set()
    for at, observation in batch:
        value = to_record(observation)
        twin = active.get(_key(value))
        if twin is not None and records.matches_level(twin, value):
            count_again(records, twin)
            ids[at] = twin
            continue
        if observation.id in known:
            raise InvalidObservation(
                f"The id {observation.id} already exists in issue {records.issue}.",
                "Omit the id, or change the memory with `memtui edit`.",
            )
        records.append(Location.ISSUE, value)
        known.add(observation.id)
        active[_key(value)] = observation.id
        ids[at] = observation.id
        appended.add(at)
    return appended


def _key(value: dict[str, Any]) -> _Key:
    return value.get("agent"), value.get("category"), value.get("content")


def _is_active(value: dict[str, Any]) -> bool:
    texts = all(type(value.get(key)) is str for key in ("id", "agent", "category", "content"))
    return texts and value.get("archived") is not True


def count_again(records: IssueRecords, identifier: str) -> None:
    """Raise the `seenCount` of a record of the issue, if it is still there, and not the team's
    next to one's own: that changes by hand.
    """
    value = records.find(Location.ISSUE, identifier)
    if value is not None and not records.is_by_hand(value):
        count = integer(value.get("seenCount"), 1)
        records.put(Location.ISSUE, {**value, "seenCount": count + 1})
