"""Several memories as one: records of all levels, each written where it belongs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from store.backends.activity import RecallLog, note_counted
from store.backends.issue_records import IssueRecords, Lookup
from store.backends.levels.absence import Absence
from store.backends.levels.files import LevelFiles
from store.backends.levels.records import LevelRecords
from store.backends.protocol import Backend, Changes, Fact, Levels, Log, Stamps, Texts
from store.backends.text_kinds import TextKind
from store.errors import Away, NotFound, NotReached, ReadOnly, StoreError, WriteFailed
from store.model import Level, Location, check_issue
from store.records import format_time

T = TypeVar("T")
Ask = Callable[[Callable[[Texts], Any]], Any]
_END, _IS = "\x1f", "="
"""What ends the stamp of a level, and what is between its name and the stamp."""


class LevelsBackend:
    """The levels of one project. The first of them has the log and the texts.

    A level that is still to begin takes part with nothing in it, until something is written there.
    """

    finds_ids = False
    default: str = Level.PROJECT
    """The level of what is added without one, until the settings name another."""

    def __init__(
        self, levels: Mapping[str, Backend], clock: Callable[[], datetime] | None = None
    ) -> None:
        self.levels = Levels(levels)
        self._clock = clock or (lambda: datetime.now(UTC))
        self.levels.default = self.default
        self._home = next(iter(levels.values()))
        self._recalls = RecallLog(self._home.log)
        self._guard = threading.Lock()
        self._written: dict[str, set[int]] = {level: set() for level in levels}
        team = levels.get(Level.TEAM)
        earlier = None if team is self._home else team
        self.texts = LevelTexts(self._home.texts, self._ask_team if earlier else None)
        if earlier and earlier.files:  # a database's is of all its users
            self._home.log.earlier = earlier.log
        self._absences = {
            level: Absence(backend.identity, clock)
            for level, backend in levels.items()
            if backend.files is None and backend is not self._home
        }

    @property
    def log(self) -> Log:
        return self._home.log

    @property
    def files(self) -> LevelFiles | None:
        levels = {
            level: backend.files
            for level, backend in self.levels.items()
            if backend.files is not None and _has_begun(backend)
        }
        home = self._home.files
        return None if home is None else LevelFiles(next(iter(self.levels)), home, levels)

    @property
    def identity(self) -> str:
        return f"{self._home.identity}\nlevels"

    @property
    def folder(self) -> Path:
        return self._home.folder

    def issues(self) -> set[int]:
        return set().union(*(backend.issues() for backend in self.levels.values()))

    def read(self, issue: int) -> IssueRecords:
        check_issue(issue)
        return self._joined(issue, *self._of_each(lambda backend: backend.read(issue)))

    def read_each(self, issues: Sequence[int]) -> Iterator[IssueRecords]:
        found, closed = self._of_each(lambda backend: backend.issues())
        reading = {
            level: self.levels[level].read_each([issue for issue in issues if issue in held])
            for level, held in found.items()
        }
        for issue in issues:
            own = {level: next(reading[level]) for level, held in found.items() if issue in held}
            yield self._joined(issue, own, closed)

    def _joined(
        self, issue: int, own: Mapping[str, IssueRecords], closed: dict[str, Any]
    ) -> LevelRecords:
        records = LevelRecords(issue, levels=list(self.levels), default=self.levels.default)
        for level in self.levels:
            if level in own:
                records.take(level, own[level])
        records.closed = closed
        records.away = closed.keys() & self.levels.away.keys() - own.keys()
        return records.in_order()

    def _of_each(self, question: Callable[[Backend], T]) -> tuple[dict[str, T], dict[str, Away]]:
        """Return the answers of the levels, and why others give none."""
        answers: dict[str, T] = {}
        silent: dict[str, Away] = {}
        for level in self.levels:
            try:
                answers[level] = self._answer(level, question)
            except Away as error:
                silent[level] = error
        return answers, silent

    def _answer(self, level: str, question: Callable[[Backend], T]) -> T:
        """Return the answer of a level. Raises `Away`, also where it did not answer just now."""
        absence = self._absences.get(level)
        if absence is None:
            return question(self.levels[level])
        try:
            absence.check()
            answer = question(self.levels[level])
        except (Away, NotReached) as error:
            absence.begin(error.message)
            self.levels.away[level] = absence.since
            raise
        absence.end()
        self.levels.away.pop(level, None)
        return answer

    @contextmanager
    def changing(self, issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        """As of any backend. A level that can't be written refuses only what changes its own part,
        and one that is still to begin does so with its first record; the first level with the
        first change, as it does with the journal's entry.
        """
        check_issue(issue)
        own: dict[str, IssueRecords] = {}
        closed: dict[str, StoreError] = {}
        with ExitStack() as all_held:
            held: dict[str, ExitStack] = {}

            def opened(level: str) -> IssueRecords:
                held[level] = all_held.enter_context(ExitStack())
                return held[level].enter_context(self.levels[level].changing(issue, lookup))

            for level in self._to_lock():
                try:
                    own[level] = self._answer(level, partial(_of_level, opened, level))
                except (ReadOnly, Away, WriteFailed) as error:
                    closed[level] = error
                    with suppress(Away):
                        own[level] = self._answer(level, lambda backend: backend.read(issue))
            records = self._joined(issue, own, closed)
            records.opened = opened
            yield records
            counted = self._count_recalls(records)
            for level in records.write_back():
                held[level].close()
                self._written[level].add(issue)
            note_counted(self.log, counted, format_time(self._clock()))

    def _count_recalls(self, records: LevelRecords) -> dict[str, str]:
        """Count recalls of the log into what is written in other levels than the log's own; as
        `RecallLog.fold`.
        """
        if parts := records.parts_elsewhere():
            with self._guard:
                self._recalls.read_on()
                return self._recalls.fold(parts)
        return {}

    def _ask_team(self, question: Callable[[Texts], T]) -> T:
        return self._answer(Level.TEAM, lambda team: question(team.texts))

    def changes_since(self, known: Stamps) -> Changes:
        known_of: dict[str, dict[int, str]] = {level: {} for level in self.levels}
        changed: set[int] = set()
        for issue, joined in known.items():
            for one in joined.split(_END):
                level, _, stamp = one.partition(_IS)
                if level in known_of:
                    known_of[level][issue] = stamp
                else:
                    changed.add(issue)
        stamps: dict[int, list[str]] = {}
        sizes: dict[int, int] = {}
        for level, known_here in known_of.items():
            try:
                found = self._answer(level, partial(_changes_since, known_here))
            except Away:
                found = Changes(frozenset(), known_here, {})  # it has what it had
            changed |= found.issues
            for issue, stamp in found.stamps.items():
                stamps.setdefault(issue, []).append(f"{level}{_IS}{stamp}")
            for issue, size in found.sizes.items():
                sizes[issue] = sizes.get(issue, 0) + size
        return Changes(
            frozenset(changed), {issue: _END.join(each) for issue, each in stamps.items()}, sizes
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """As of any backend. What changes records within holds all levels: in the order of
        `changing`, or each of two could wait for the other.
        """
        with ExitStack() as held:
            for level in self._to_lock():
                try:
                    self._answer(level, lambda one: held.enter_context(one.locked()))
                except (ReadOnly, Away, WriteFailed):
                    if self.levels[level] is self._home:
                        raise
            yield

    def _to_lock(self) -> list[str]:
        """Return the levels that are there, in the one order to lock them in: the first of them,
        which has the log, is another for who opened memory before it began.
        """
        return [
            level
            for level, backend in sorted(self.levels.items(), reverse=True)
            if backend is self._home or _has_begun(backend)
        ]

    def together(self) -> AbstractContextManager[None]:
        return self._home.together()

    def release(self) -> None:
        for backend in self.levels.values():
            backend.release()

    def size(self) -> int:
        sizes, _ = self._of_each(lambda one: one.size() if _has_begun(one) else 0)
        return sum(sizes.values())

    def is_writable(self) -> bool:
        return self.levels[self.levels.default].is_writable() or self._home.is_writable()

    def settle(self, issues: Collection[int]) -> bool:
        was_damaged = False
        for level, backend in self.levels.items():
            written, self._written[level] = self._written[level], set()
            if written or (backend is self._home and _has_begun(backend)):
                was_damaged |= backend.settle(written)
        return was_damaged

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        known, files = set(ids), self.files
        for level, backend in self.levels.items():
            if not _has_begun(backend) or level in self.levels.away:
                continue
            its_own = {
                identifier
                for records in backend.read_each(sorted(backend.issues()))
                for identifier in records.ids(Location.ISSUE)
            }
            for fact in backend.examine([one for one in known if one in its_own], stamp):
                yield files.named(fact, level) if files else fact._replace(level=level)


class LevelTexts:
    """The texts of the first level. What was kept with the team's before it began is read, too,
    by `ask`, which raises `Away` where that does not answer.
    """

    def __init__(self, home: Texts, ask: Ask | None) -> None:
        self._home = home
        self._ask = ask
        self.keep = home.keep
        self.expire = home.expire

    def read(self, kind: TextKind, name: str) -> bytes:
        try:
            return self._home.read(kind, name)
        except NotFound:
            with suppress(Away):
                if self._ask is not None:
                    found: bytes = self._ask(lambda earlier: earlier.read(kind, name))
                    return found
            raise

    def names(self, kind: TextKind) -> list[str]:
        return list(self.stamps(kind)) if self._ask else self._home.names(kind)

    def stamps(self, kind: TextKind) -> Mapping[str, str]:
        found = dict(self._home.stamps(kind))
        with suppress(Away):
            if self._ask is not None:
                return {**self._ask(lambda earlier: earlier.stamps(kind)), **found}
        return found

    def remove(self, kind: TextKind, name: str) -> None:
        self._home.remove(kind, name)
        if self._ask is not None:
            self._ask(lambda earlier: earlier.remove(kind, name))


def _of_level(opened: Callable[[str], T], level: str, _: Backend) -> T:
    return opened(level)


def _changes_since(known: Stamps, backend: Backend) -> Changes:
    return backend.changes_since(known)


def _has_begun(backend: Backend) -> bool:
    return backend.files is None or backend.folder.is_dir()
