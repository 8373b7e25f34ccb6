"""The files of several levels as those of one memory: their names have the level's after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from store.backends.issue_records import IssueRecords, split_level, with_level
from store.backends.levels.records import LevelRecords
from store.backends.protocol import Fact, Files
from store.errors import InvalidObservation
from store.model import Layout
from store.records import LEVEL


class LevelFiles:
    """The files of all levels that are kept in some. How new ones are divided is the first's."""

    def __init__(self, first: str, home: Files, levels: Mapping[str, Files]) -> None:
        """`levels` are those that have begun; the `first` may be still to begin."""
        self._first = first
        self._home = home
        self._levels = levels
        self.set_layout = home.set_layout
        self.other_layout = home.other_layout
        self.dates = home.dates

    @property
    def layout(self) -> Layout:
        return self._home.layout

    def examine_issue(self, records: IssueRecords, stamp: str) -> Iterator[Fact]:
        own = records.own if isinstance(records, LevelRecords) else {}
        for level in filter(own.__contains__, self._levels):
            for fact in self._levels[level].examine_issue(own[level], stamp):
                yield self.named(fact, level)

    def named(self, fact: Fact, level: str) -> Fact:
        """Return a fact of a level as one of all: by the names that its files have here."""
        return fact._replace(
            path=self._here(level, fact.path) if fact.path else "",
            moves=self._moves(level, fact.moves),
            adopt={name: {**record, LEVEL: level} for name, record in fact.adopt.items()},
            level=level,
        )

    def _moves(self, level: str, moves: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((self._here(level, old), self._here(level, new)) for old, new in moves)

    def _here(self, level: str, name: str) -> str:
        return name if level == self._first else with_level(name, level)

    def move(self, source: str, target: str) -> bool:
        (level, old), (other, new) = split_level(source), split_level(target)
        if level != other:
            raise InvalidObservation(f"{source!r} does not move to another level.", "")
        return self._of(level).move(old, new)

    def issue_of(self, part: str) -> int | None:
        level, name = split_level(part)
        return self._of(level).issue_of(name)

    def write_merged(self, issue: int) -> list[tuple[str, str]]:
        levels = self._levels.items()
        return [
            move
            for level, files in levels
            for move in self._moves(level, files.write_merged(issue))
        ]

    def set_aside(self) -> Iterator[tuple[str, bytes]]:
        for level, files in self._levels.items():
            for name, data in files.set_aside():
                yield self._here(level, name), data

    def _of(self, level: str) -> Files:
        files = self._levels.get(level) if level else self._home
        if files is None:
            raise InvalidObservation(f"The level {level!r} has no files here.", "")
        return files
