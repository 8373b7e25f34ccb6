"""Adding a batch to one issue: what is new is appended, what stands already is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from store.disk.issue_records import IssueRecords
from store.disk.layout import Shelf
from store.disk.records import to_record
from store.errors import InvalidObservation
from store.model import Observation

_Key = tuple[Any, Any, Any]


def add_batch(
    records: IssueRecords, batch: Sequence[tuple[int, Observation]], ids: list[str]
) -> set[int]:
    """Add observations, each with its place in the whole batch, to their issue.

    One with the agent, category and content of an active record raises that record's `seenCount`
    instead. Fills in `ids` and returns the places of those that were appended. Raises
    `InvalidObservation` for an id that stands already with other content.
    """
    known, active = _standing_already(records, [observation for _, observation in batch])
    appended: set[int] = set()
    for at, observation in batch:
        value = to_record(observation)
        twin = active.get(_key(value))
        if twin is not None:
            count_again(records, twin)
            ids[at] = twin
            continue
        if observation.id in known:
            raise InvalidObservation(
                f"The id {observation.id} stands already in issue {records.issue}.",
                "Leave the id out, or use `memtui edit` to change what is there.",
            )
        records.append(Shelf.ISSUE, value)
        known.add(observation.id)
        active[_key(value)] = observation.id
        ids[at] = observation.id
        appended.add(at)
    return appended


def _standing_already(
    records: IssueRecords, batch: Sequence[Observation]
) -> tuple[set[str], dict[_Key, str]]:
    """The ids of a batch that the issue has, and its active records that say what the batch says.

    One look at each record, since an issue may hold thousands; lengths first, since to look a text
    up is to read all of it.
    """
    ids = {observation.id for observation in batch}
    contents = {observation.content for observation in batch}
    lengths = set(map(len, contents))
    known: set[str] = set()
    active: dict[_Key, str] = {}
    for shelf in Shelf:
        for value in records.values(shelf):
            identifier, content = value.get("id"), value.get("content")
            if type(identifier) is str and identifier in ids:
                known.add(identifier)
            alike = type(content) is str and len(content) in lengths
            if alike and content in contents and shelf is Shelf.ISSUE and _is_active(value):
                active[_key(value)] = value["id"]
    return known, active


def _key(value: dict[str, Any]) -> _Key:
    return value.get("agent"), value.get("category"), value.get("content")


def _is_active(value: dict[str, Any]) -> bool:
    texts = all(type(value.get(key)) is str for key in ("id", "agent", "category"))
    return texts and value.get("archived") is not True


def count_again(records: IssueRecords, identifier: str) -> None:
    """Raise the `seenCount` of a record of the issue, if it still stands there."""
    value = records.find(Shelf.ISSUE, identifier)
    if value is not None:
        seen = value.get("seenCount")
        count = seen if isinstance(seen, int) and not isinstance(seen, bool) else 1
        records.put(Shelf.ISSUE, {**value, "seenCount": count + 1})
