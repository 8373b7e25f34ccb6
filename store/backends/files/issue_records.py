"""What the files of one issue hold, read together: its own, the recovered one and the archive."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from store.backends.files.issue_file import IssueFile, parse_issue_file
from store.backends.files.layout import ARCHIVE, archive_name, issue_name, issue_of, recovered_name
from store.disk import read_bytes
from store.errors import Unopened, Unreadable
from store.merge.signs import may_be_fused, may_be_merged
from store.model import Observation, Problem, Shelf
from store.raw_record import RawRecord, new_record
from store.records import InvalidRecord, from_record, record_id


@dataclass(frozen=True, slots=True)
class Held:
    """A record where it stands; `observation` is `None` where the record is not valid."""

    shelf: Shelf
    record: RawRecord
    observation: Observation | None


_MOST_TOLD = 100
"""Records of a file that are named as not valid."""
SeeFile = Callable[[str, list[Any]], None]
"""Is shown the values of the records of a file, by its name, some at a time."""
_Place = tuple[str, int]
"""A record's file, and how many records stand before it there."""


@dataclass(slots=True)
class IssueRecords:
    """The files of one issue, taken apart, ready to be read or changed.

    `files` holds what could be read, by name relative to the store; `unreadable` names what could
    not, and `unopened` those of them that the system did not let us read just now.
    """

    issue: int
    files: dict[str, IssueFile] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)
    unopened: set[str] = field(default_factory=set)
    _places: dict[Shelf, dict[str, list[_Place]]] = field(default_factory=dict)
    _gone: set[_Place] = field(default_factory=set)
    _returning: dict[_Place, int] = field(default_factory=dict)

    def standing(self) -> Iterator[tuple[str, RawRecord]]:
        """Every record once, with its file: where an id is in both, the issue file wins."""
        self.finish()
        seen: set[str] = set()
        for name, file in self.files.items():
            ids: set[str] = set()
            for record in file.records:
                identifier = record_id(record.value)
                if identifier is not None:
                    if identifier in seen:
                        continue
                    ids.add(identifier)
                yield name, record
            seen |= ids

    def held(self) -> Iterator[Held]:
        """Every record once, with the observation it holds."""
        for name, record in self.standing():
            yield Held(shelf_of(name), record, self.observation(name, record))

    def observation(self, name: str, record: RawRecord) -> Observation | None:
        """The observation a record holds; `None`, and a problem noted, where it is not valid."""
        try:
            return from_record(record.value, self.issue)
        except InvalidRecord as error:
            self._report(name, record_id(record.value), error)
            return None

    def observations(self, shelf: Shelf = Shelf.ISSUE) -> list[Observation]:
        """The valid observations on one shelf, in the order of the file."""
        return [
            held.observation
            for held in self.held()
            if held.shelf is shelf and held.observation is not None
        ]

    def find(self, shelf: Shelf, identifier: str) -> dict[str, Any] | None:
        """The exact record with this id on a shelf, or `None`; the first, where several have it."""
        places = self._places_on(shelf).get(identifier)
        if not places:
            return None
        name, at = places[0]
        exact = self.files[name].records[at].exact()
        return exact if isinstance(exact, dict) else None

    def place_of(self, shelf: Shelf, identifier: str) -> int | None:
        """How many records stand before this one in its file."""
        places = self._places_on(shelf).get(identifier)
        return places[0][1] if places else None

    def unread(self, shelf: Shelf) -> Problem | None:
        """What can't be read on a shelf, so that a record missing there may stand all the same."""
        hidden = (problem for problem in self.problems if problem.path in self.unreadable)
        return next((problem for problem in hidden if shelf_of(problem.path) is shelf), None)

    def put(self, shelf: Shelf, value: dict[str, Any], place: int | None = None) -> None:
        """Replace the record with the same id on the shelf, or add it.

        A new one is appended, or with `place` put back where it stood once.
        """
        places = self._places_on(shelf).get(value["id"])
        if places:
            name, at = places[0]
            self.files[name].records[at] = new_record(value)
        else:
            self.append(shelf, value, place)

    def append(self, shelf: Shelf, value: dict[str, Any], place: int | None = None) -> None:
        """Add a record whose id stands nowhere yet; `place` as for `put`."""
        name = self._file_for_new(shelf)
        added = (name, self.files[name].append(new_record(value)))
        if shelf in self._places:
            self._places[shelf].setdefault(value["id"], []).append(added)
        if place is not None:
            self._returning[added] = place

    def values(self) -> Iterator[dict[str, Any]]:
        """The values of all records that are objects, archive included."""
        self.finish()
        for file in self.files.values():
            yield from (value for value in file.values() if isinstance(value, dict))

    def drop(self, shelf: Shelf, identifier: str) -> None:
        """Take the first record with this id off the shelf; a second one of that id stays."""
        places = self._places_on(shelf).get(identifier)
        if places:
            self._gone.add(places.pop(0))

    def finish(self) -> None:
        """Bring `files` in step with what was dropped and what returns to its place."""
        moving = self._gone | self._returning.keys()
        for name in {name for name, _ in moving}:
            records = self.files[name].records
            kept = [one for at, one in enumerate(records) if (name, at) not in moving]
            back = sorted(
                (place, at)
                for (where, at), place in self._returning.items()
                if where == name and (name, at) not in self._gone
            )
            for place, at in back:
                kept.insert(place, records[at])
            self.files[name].records = kept
        if moving:
            self._places.clear()
            self._gone.clear()
            self._returning.clear()

    def _places_on(self, shelf: Shelf) -> dict[str, list[_Place]]:
        """Where each id stands on a shelf, looked up once: a plan may name thousands."""
        if shelf not in self._places:
            places = self._places[shelf] = {}
            for name in self._names(shelf):
                for at, value in enumerate(self.files[name].values()):
                    identifier = record_id(value)
                    if identifier is not None and (name, at) not in self._gone:
                        places.setdefault(identifier, []).append((name, at))
        return self._places[shelf]

    def _names(self, shelf: Shelf) -> list[str]:
        return [name for name in self.files if shelf_of(name) is shelf]

    def _file_for_new(self, shelf: Shelf) -> str:
        """The name of the file that takes a new record; an unreadable one is never written over."""
        name = archive_name(self.issue)
        if shelf is Shelf.ISSUE:
            name = issue_name(self.issue)
            if name in self.unreadable:
                name = recovered_name(self.issue)
        if name in self.unreadable:
            check_read(self, shelf)
        self.files.setdefault(name, IssueFile({"version": 1, "issueNumber": self.issue}))
        return name

    def _report(self, name: str, identifier: object, error: InvalidRecord) -> None:
        which = f"the record {identifier!r}" if identifier else "a record"
        told = sum(problem.path == name for problem in self.problems)
        if told < _MOST_TOLD:
            said = f"{name}: {which} is kept but not shown: {error}."
            self.problems.append(Problem(name, said))
        elif told == _MOST_TOLD:
            said = f"{name}: more records are kept but not shown; these are the first of them."
            self.problems.append(Problem(name, said))


def read_issue(folder: Path, issue: int, see: SeeFile | None = None) -> IssueRecords:
    """Read all files of an issue. Never raises for what is in them: that becomes `problems`.

    With `see`, which is shown each file's records as `parse_issue_file` does, a file may stay in
    one piece until they are wanted: to add to it.
    """
    result = IssueRecords(issue)
    for name in (issue_name(issue), recovered_name(issue), archive_name(issue)):
        try:
            result.files[name], problem = _read_file(folder, name, see)
            result.problems += problem
        except FileNotFoundError:
            continue
        except Unreadable as error:
            result.unreadable.add(name)
            if isinstance(error, Unopened):
                result.unopened.add(name)
            result.problems.append(Problem(name, error.message))
    return result


def _read_file(folder: Path, name: str, see: SeeFile | None) -> tuple[IssueFile, list[Problem]]:
    """Read one file, restored where a merge of lines broke it; that is a problem, and said."""
    data = read_bytes(folder / name, folder)
    shown = None if see is None else partial(see, name)
    broken = may_be_fused(data)
    if not broken:
        try:
            return parse_issue_file(data, name, shown), []
        except Unreadable:
            if not may_be_merged(data):
                raise
    from store.backends.files.conflicted import restore

    restored = restore(folder / name, data)
    if restored is None:
        return parse_issue_file(data, name, shown), []
    if shown is not None:
        shown(restored.file.values())
    return restored.file, [Problem(name, restored.message, is_restored=True)]


def list_issues(folder: Path) -> dict[str, int]:
    """The record files in the store: name relative to it, and the issue it belongs to.

    Raises `Unreadable` where a folder can't be listed.
    """
    found: dict[str, int] = {}
    for prefix, place in (("", folder), (f"{ARCHIVE}/", folder / ARCHIVE)):
        try:
            names = os.listdir(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise Unreadable(
                f"The folder {place} can't be listed: {error.strerror}.", "Check its permissions."
            ) from error
        for name in names:
            issue = issue_of(prefix + name)
            if issue is not None:
                found[prefix + name] = issue
    return found


def check_read(records: IssueRecords, *shelves: Shelf) -> None:
    """Raise `Unreadable` where a file of the shelves can't be read, and hides what stands there."""
    for shelf in shelves:
        if problem := records.unread(shelf):
            raise Unreadable(problem.message, "Run `memtui doctor` to see what can be done.")


def shelf_of(name: str) -> Shelf:
    """The shelf a record file stands for."""
    return Shelf.ARCHIVE if name.startswith(f"{ARCHIVE}/") else Shelf.ISSUE
