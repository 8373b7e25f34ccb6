"""One issue of several levels, read whole: each record with its level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from store.backends.issue_records import OF_LEVEL, IssueRecords, RecordList, location_of, with_level
from store.errors import StoreError
from store.model import Level, Location, Problem
from store.records import LEVEL, RawRecord, new_record, of_level, record_id, without_level
from store.redaction.labels import public_id


@dataclass(slots=True)
class LevelRecords(IssueRecords):
    """The records of one issue in the parts of all levels, the first level's first.

    The parts of other levels than the first have its name after theirs. `own` are the records as
    each level has them; `opened` gives those of one that takes its first record of this issue.
    `closed` are levels that can be read at most, and why.
    """

    has_levels: ClassVar[bool] = True

    parts: dict[str, RecordList] = field(default_factory=dict)
    own: dict[str, IssueRecords] = field(default_factory=dict)
    levels: Sequence[str] = ()
    default: str = ""
    opened: Callable[[str], IssueRecords] | None = None
    closed: dict[str, StoreError] = field(default_factory=dict)
    _part_of: dict[str, tuple[str, str]] = field(default_factory=dict)
    _as_kept_there: dict[int, RawRecord] = field(default_factory=dict)
    """The records of the levels, by the identity of those here."""

    def take(self, level: str, own: IssueRecords) -> None:
        self.own[level] = own
        for name, part in own.parts.items():
            here = self._name(level, name)
            self.parts[here] = RecordList([self._tagged(one, level) for one in part.records])
            self.parts[here].as_read()
        for problem in own.problems:
            self.problems.append(problem._replace(path=self._name(level, problem.path)))
        self.unreadable |= {self._name(level, name) for name in own.unreadable}
        self.unopened |= {self._name(level, name) for name in own.unopened}
        self.elsewhere = {**own.elsewhere, **self.elsewhere}
        self.tombstones = {**self.tombstones, **own.tombstones}

    def in_order(self) -> LevelRecords:
        """Return these, the issue's parts before those of the archive: a record of both is shown
        once.
        """
        names = sorted(self.parts, key=lambda name: location_of(name) is Location.ARCHIVE)
        self.parts = {name: self.parts[name] for name in names}
        return self

    def is_doubled(self, identifier: str) -> bool:
        places = (self._places_in(location).get(identifier, ()) for location in Location)
        return any(len({self._part_of[name][0] for name, _ in found}) > 1 for found in places)

    def unread(self, location: Location) -> Problem | None:
        """As of any issue's; what a level has that does not answer may be anywhere."""
        found = IssueRecords.unread(self, location)
        absent = next((Problem(one, self.closed[one].message) for one in self.away), None)
        return found or absent

    def is_by_hand(self, value: Mapping[str, Any]) -> bool:
        return value.get(LEVEL) == Level.TEAM != self.default

    def matches_level(self, identifier: str, value: Mapping[str, Any]) -> bool:
        found = self.find(Location.ISSUE, identifier) or {}
        return value.get(LEVEL) in (self.default, found.get(LEVEL))

    def level_of(self, part: str) -> str:
        return self._part_of[part][0] if part in self._part_of else ""

    def _name(self, level: str, part: str) -> str:
        here = part if level == self.levels[0] else with_level(part, level)
        self._part_of[here] = (level, part)
        return here

    def _tagged(self, record: RawRecord, level: str) -> RawRecord:
        tagged = of_level(record, level)
        self._as_kept_there[id(tagged)] = record
        return tagged

    def is_back(self, value: object) -> bool:
        own = self.own.get(value.get(LEVEL, "")) if isinstance(value, dict) else None
        return own is not None and own.is_back(value)

    def put(self, location: Location, value: dict[str, Any], place: int | None = None) -> None:
        """As of any issue's; a record that was of another level moves."""
        kept = self._as_kept(value)
        places = self._places_in(location).get(public_id(value["id"]), [])
        leaving = [found for found in places if self._part_of[found[0]][0] != kept[LEVEL]]
        for found in leaving:
            places.remove(found)
        self._gone.update(leaving)
        IssueRecords.put(self, location, kept, place)

    def _as_kept(self, value: dict[str, Any]) -> dict[str, Any]:
        level = value.get(LEVEL)
        if level not in self.levels:
            held = (self.find(location, str(value["id"])) for location in Location)
            level = next((one[LEVEL] for one in held if one is not None), self.default)
        return {**value, LEVEL: level}

    def _part_for(self, location: Location, value: dict[str, Any]) -> str:
        level = value[LEVEL]
        if level not in self.own:
            assert self.opened is not None
            own = self.opened(level)
            self.closed.pop(level, None)  # it answers again
            self.take(level, own)
        own = self.own[level]
        here = self._name(level, own.part_for_new(location))
        if here not in self.parts:
            self.parts[here] = RecordList()
        return here

    def part_for_new(self, location: Location) -> str:
        return self._part_for(location, {LEVEL: self.default})

    def parts_elsewhere(self) -> list[RecordList]:
        """Return the parts to be written of other levels than the first."""
        changed = self.changed_parts().items()
        return [part for name, part in changed if self._part_of[name][0] != self.levels[0]]

    def write_back(self) -> list[str]:
        """Give each level its own part of what changed; the levels that changed, in the order to
        write them in: what goes from one to another is written there before it is taken away here.

        Raises the error of a level that is closed.
        """
        changed = self.changed_parts()
        levels = {self._part_of[name][0] for name in changed}
        for level in levels & self.closed.keys():
            raise self.closed[level]
        losing = set()
        for name, part in changed.items():
            level, own_name = self._part_of[name]
            self.own[level].parts[own_name].records = list(map(self._untagged, part.records))
            if not _ids(part.before) <= _ids(part.records):
                losing.add(level)
        for level, own in self.own.items():
            own.dating = self.dating and self.dating._replace(before=self._dates_of(level))
        return sorted(levels, key=lambda level: level in losing)

    def _dates_of(self, level: str) -> dict[str, str]:
        """Return the dates that the parts of a level had before what is taken back."""
        mark = f"{level}{OF_LEVEL}"
        before = {} if self.dating is None else self.dating.before
        return {
            name.removeprefix(mark): date for name, date in before.items() if name.startswith(mark)
        }

    def _untagged(self, record: RawRecord) -> RawRecord:
        own = self._as_kept_there.get(id(record))
        return own or new_record(without_level(record.value))


def _ids(records: Iterable[RawRecord]) -> set[str | None]:
    return {record_id(record.value) for record in records}
