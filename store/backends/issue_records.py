"""One issue, read whole: its records and those in its archive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

from store.backends.tombstones import Tombstone, text_of
from store.errors import Unreadable
from store.model import Level, Location, Observation, Problem
from store.records import (
    InvalidRecord,
    RawRecord,
    from_record,
    new_record,
    record_id,
    without_level,
)
from store.redaction.labels import public_id

OF_LEVEL = ":"
"""What is between a level and the name of a part of it, where parts are dated."""
_MOST_TOLD = 100
"""Records of a part that are named as not valid."""
_Place = tuple[str, int]
"""A record's part, and how many records are before it there."""


class RecordList:
    """Records to be changed in place; `before` are those that were read."""

    __slots__ = ("before", "records")

    def __init__(self, records: list[RawRecord] | None = None) -> None:
        self.records = [] if records is None else records
        self.before: list[RawRecord] = []

    @property
    def is_changed(self) -> bool:
        return self.records != self.before

    def values(self) -> list[Any]:
        return [record.value for record in self.records]

    def counted_places(self) -> Iterable[int]:
        """Places of records that recalls are counted into once this is written: all."""
        return range(len(self.records))

    def append(self, record: RawRecord) -> int:
        """Add a record at the end; how many are before it."""
        self.records.append(record)
        return len(self.records) - 1

    def as_read(self) -> Self:
        """This list, its records being what was there when it was read."""
        self.before = list(self.records)
        return self


def with_level(part: str, level: str) -> str:
    """Return the name of a part of another level than the first."""
    return f"{part} ({level})"


def split_level(name: str) -> tuple[str, str]:
    """Return the level of a part, empty for the first, and its name there."""
    level = next((one for one in Level if name.endswith(f" ({one})")), "")
    return level, name.removesuffix(f" ({level})") if level else name


class Lookup(NamedTuple):
    """Ids and contents that a writer looks for in an issue that it only adds to."""

    ids: Collection[str]
    contents: Collection[str]


class Dating(NamedTuple):
    """The dates that the parts of an issue get: `changed`, or of a part that is dated `taken_back`
    the one that it had in `before`, since it becomes what it was then.
    """

    changed: str
    taken_back: str = ""
    before: Mapping[str, str] = MappingProxyType({})

    def of(self, part: str, now: str) -> str:
        """Return the date of a part that is dated `now`."""
        return self.before.get(part, self.changed) if now == self.taken_back else self.changed


class Held(NamedTuple):
    """A record and its place; `observation` is `None` where the record is not valid."""

    part: str
    record: RawRecord
    observation: Observation | None

    @property
    def location(self) -> Location:
        return location_of(self.part)


@dataclass(slots=True)
class IssueRecords(ABC):
    """The records of one issue in the parts they are kept in, to be read or changed.

    A part is a file, a table or a list: what a backend reads and writes at once. Its name begins
    with `archive` where it is the issue's archive. `unreadable` names the parts that can't be
    read, and `unopened` those of them that the system did not let us read just now. `elsewhere` are
    ids of a lookup that are in another issue, where the backend finds them. `tombstones`, by the
    digests of texts, are of what was removed from the issue: what a merge brought back all the same
    does not count as there. `dating` is set by who changes it, else the parts are dated by the
    clock. `away` are levels that do not answer, whose records are not among these.
    """

    has_levels: ClassVar[bool] = False
    """Its records are of several levels, and have a key for that; in others it means nothing."""

    issue: int
    parts: Mapping[str, RecordList] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)
    unopened: set[str] = field(default_factory=set)
    elsewhere: Mapping[str, int] = field(default_factory=dict)
    tombstones: Mapping[str, Sequence[Tombstone]] = field(default_factory=dict)
    dating: Dating | None = None
    away: Collection[str] = ()
    _places: dict[Location, dict[str, list[_Place]]] = field(default_factory=dict)
    _gone: set[_Place] = field(default_factory=set)
    _returning: dict[_Place, int] = field(default_factory=dict)

    def changed_parts(self) -> dict[str, RecordList]:
        """Return the parts to be written, once all that was dropped or returns is in its place."""
        self.finish()
        return {name: part for name, part in self.parts.items() if part.is_changed}

    def is_by_hand(self, value: Mapping[str, Any]) -> bool:
        """Return whether a record changes only where a person asks for it."""
        return False

    def matches_level(self, identifier: str, value: Mapping[str, Any]) -> bool:
        """Return whether a record that is there counts as one of the same words to be added."""
        return True

    def level_of(self, part: str) -> str:
        return ""

    def is_doubled(self, identifier: str) -> bool:
        """Return whether an id is in several levels, as where a move broke off."""
        return False

    @abstractmethod
    def part_for_new(self, location: Location) -> str:
        """Return the name of the part that takes a new record; it is in `parts` afterwards."""

    def distinct(self) -> Iterator[tuple[str, RawRecord]]:
        """Yield every record once, with its part: where an id is in both, the issue wins.

        Without those that were removed here, and that a merge brought back.
        """
        self.finish()
        seen: set[str] = set()
        for name, file in self.parts.items():
            ids: set[str] = set()
            for record in file.records:
                identifier = record_id(record.value)
                if identifier is not None:
                    if identifier in seen:
                        continue
                    ids.add(identifier)
                if not self.is_back(record.value):
                    yield name, record
            seen |= ids

    def is_back(self, value: object) -> bool:
        """The record was removed from this issue, and came back by a merge of files."""
        if not self.tombstones or not isinstance(value, dict):
            return False
        return any(item.is_back_as(value) for item in self.tombstones.get(text_of(value), ()))

    def held(self) -> Iterator[Held]:
        for name, record in self.distinct():
            yield Held(name, record, self.observation(name, record))

    def observation(self, name: str, record: RawRecord) -> Observation | None:
        """The observation a record holds; `None`, and a problem noted, where it is not valid."""
        try:
            observation = from_record(record.value, self.issue)
        except InvalidRecord as error:
            self._report(name, record_id(record.value), error)
            return None
        return observation if self.has_levels else observation._replace(level="")

    def observations(self, location: Location = Location.ISSUE) -> list[Observation]:
        return [
            held.observation
            for held in self.held()
            if held.location is location and held.observation is not None
        ]

    def ids(self, location: Location) -> Iterable[str]:
        return self._places_in(location)

    def find(self, location: Location, identifier: str) -> dict[str, Any] | None:
        """Return the exact record with this id in a location, or `None`; the first of several."""
        places = self._places_in(location).get(identifier)
        if not places:
            return None
        name, at = places[0]
        exact = self.parts[name].records[at].exact()
        return exact if isinstance(exact, dict) else None

    def place_of(self, location: Location, identifier: str) -> int | None:
        places = self._places_in(location).get(identifier)
        return places[0][1] if places else None

    def unread(self, location: Location) -> Problem | None:
        """Return the unreadable part of a location: a record missing there may be in it."""
        hidden = (problem for problem in self.problems if problem.path in self.unreadable)
        return next((problem for problem in hidden if location_of(problem.path) is location), None)

    def put(self, location: Location, value: dict[str, Any], place: int | None = None) -> None:
        """Replace the record with the same id in the location, or add it.

        A new one is appended, or with `place` put back where it was once.
        """
        places = self._places_in(location).get(public_id(value["id"]))
        if places:
            name, at = places[0]
            self.parts[name].records[at] = new_record(self._as_kept(value))
        else:
            self.append(location, value, place)

    def append(self, location: Location, value: dict[str, Any], place: int | None = None) -> None:
        """Add a record whose id is nowhere yet; `place` as for `put`."""
        kept = self._as_kept(value)
        name = self._part_for(location, kept)
        added = (name, self.parts[name].append(new_record(kept)))
        if location in self._places:
            self._places[location].setdefault(public_id(value["id"]), []).append(added)
        if place is not None:
            self._returning[added] = place

    def values(self) -> Iterator[dict[str, Any]]:
        """Yield the values of all records that are objects, archive included."""
        self.finish()
        for file in self.parts.values():
            yield from (value for value in file.values() if isinstance(value, dict))

    def drop(self, location: Location, identifier: str) -> None:
        """Take the first record with this id out of the location; a second one of that id stays."""
        places = self._places_in(location).get(identifier)
        if places:
            self._gone.add(places.pop(0))

    def finish(self) -> None:
        """Bring `parts` in step with what was dropped and what returns to its place."""
        moving = self._gone | self._returning.keys()
        for name in {name for name, _ in moving}:
            records = self.parts[name].records
            kept = [one for at, one in enumerate(records) if (name, at) not in moving]
            back = sorted(
                (place, at)
                for (where, at), place in self._returning.items()
                if where == name and (name, at) not in self._gone
            )
            for place, at in back:
                kept.insert(place, records[at])
            self.parts[name].records = kept
        if moving:
            self._places.clear()
            self._gone.clear()
            self._returning.clear()

    def _as_kept(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return a record as it is written: without its level, which its files are of."""
        return without_level(value)

    def _part_for(self, location: Location, value: dict[str, Any]) -> str:
        return self.part_for_new(location)

    def _places_in(self, location: Location) -> dict[str, list[_Place]]:
        """Return the place of each id in a location, looked up once: a plan may name thousands."""
        if location not in self._places:
            places = self._places[location] = {}
            for name, part in self.parts.items():
                for at, value in enumerate(part.values() if location_of(name) is location else ()):
                    identifier = record_id(value)
                    if identifier is not None:
                        places.setdefault(identifier, []).append((name, at))
        return self._places[location]

    def _report(self, name: str, identifier: object, error: InvalidRecord) -> None:
        which = f"the record {identifier!r}" if identifier else "a record"
        named = sum(problem.path == name for problem in self.problems)
        if named < _MOST_TOLD:
            message = f"{self._shown(name)}: {which} can't be shown: {error}. It is kept."
            self.problems.append(Problem(name, message))
        elif named == _MOST_TOLD:
            message = f"{self._shown(name)}: more records can't be shown; these are the first."
            self.problems.append(Problem(name, message))

    def _shown(self, part: str) -> str:
        return part


@dataclass(slots=True)
class ListedRecords(IssueRecords):
    """The records of one issue in two lists, named by their locations."""

    parts: dict[str, RecordList] = field(default_factory=dict)

    def part_for_new(self, location: Location) -> str:
        self.parts.setdefault(str(location), RecordList())
        return str(location)

    def _shown(self, part: str) -> str:
        """Return the list with its issue: all issues have lists of one name."""
        return f"{part} {self.issue}"


def check_read(records: IssueRecords, *locations: Location) -> None:
    """Raise `Unreadable` where a part of a location can't be read, and hides what is there."""
    for location in locations:
        if problem := records.unread(location):
            raise Unreadable(problem.message, "Run `memtui doctor` for details.")


@lru_cache(maxsize=64)
def location_of(name: str) -> Location:
    return Location.ARCHIVE if name.startswith("archive") else Location.ISSUE
