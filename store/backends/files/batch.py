"""Adding a batch to one issue: what is new is appended, what stands already is counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from store.backends.files.issue_records import IssueRecords, shelf_of
from store.errors import InvalidObservation
from store.model import Observation, Shelf
from store.records import to_record

_Key = tuple[Any, Any, Any]


class Standing:
    """What the files of an issue hold of a batch already: found while they are read, each record
    looked at once, since an issue may hold thousands.
    """

    def __init__(self, batch: Sequence[tuple[int, Observation]]) -> None:
        self._ids = {observation.id for _, observation in batch}
        self._contents = {observation.content for _, observation in batch}
        self._lengths = set(map(len, self._contents))
        self._found: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def see(self, name: str, values: list[Any]) -> None:
        """Look at records of a file. Lengths first: to look a text up is to read all of it."""
        for value in values:
            if type(value) is dict:
                identifier, content = value.get("id"), value.get("content")
                if (type(identifier) is str and identifier in self._ids) or (
                    type(content) is str
                    and len(content) in self._lengths
                    and content in self._contents
                ):
                    self._found[name].append(value)

    def known(self, records: IssueRecords) -> set[str]:
        """The ids of the batch that stand in the issue, archived or not."""
        found = [value.get("id") for name in records.files for value in self._found.get(name, ())]
        return self._ids.intersection(it for it in found if type(it) is str)

    def active(self, records: IssueRecords) -> dict[_Key, str]:
        """The ids of active records by what they say, of those that say what the batch says."""
        names = [name for name in records.files if shelf_of(name) is Shelf.ISSUE]
        found = (value for name in names for value in self._found.get(name, ()))
        return {_key(value): value["id"] for value in found if _is_active(value)}


def add_batch(
    records: IssueRecords,
    batch: Sequence[tuple[int, Observation]],
    standing: Standing,
    ids: list[str],
) -> set[int]:
    """Add observations, each with its place in the whole batch, to their issue.

    One with the agent, category and content of an active record raises that record's `seenCount`
    instead. Fills in `ids` and returns the places of those that were appended. Raises
    `InvalidObservation` for an id that stands already with other content.
    """
    known, active = standing.known(records), standing.active(records)
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


def _key(value: dict[str, Any]) -> _Key:
    return value.get("agent"), value.get("category"), value.get("content")


def _is_active(value: dict[str, Any]) -> bool:
    texts = all(type(value.get(key)) is str for key in ("id", "agent", "category", "content"))
    return texts and value.get("archived") is not True


def count_again(records: IssueRecords, identifier: str) -> None:
    """Raise the `seenCount` of a record of the issue, if it still stands there."""
    value = records.find(Shelf.ISSUE, identifier)
    if value is not None:
        seen = value.get("seenCount")
        count = seen if isinstance(seen, int) and not isinstance(seen, bool) else 1
        records.put(Shelf.ISSUE, {**value, "seenCount": count + 1})
