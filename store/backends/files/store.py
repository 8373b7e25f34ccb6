"""The store of observations in plain JSON files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from store.backends.files.activity import RecallLog, folded
from store.backends.files.batch import Standing, add_batch, count_again
from store.backends.files.issue_file import IssueFile, dump_issue_file
from store.backends.files.issue_records import (
    Held,
    IssueRecords,
    SeeFile,
    check_read,
    list_issues,
    read_issue,
    shelf_of,
)
from store.backends.files.layout import (
    ARCHIVE,
    GATE,
    GITIGNORE,
    GITIGNORE_TEXT,
    QUARANTINE,
    issue_name,
)
from store.backends.files.locks import StoreLock
from store.backends.files.totals import size_on_disk, stats_of
from store.backends.protocol import PartlyStored, StoreReport
from store.disk import make_folder, read_bytes, replace_durably, secure_name
from store.errors import NotFound, StoreError
from store.model import IndexEntry, Observation, Shelf, StoreStats
from store.raw_record import RawRecord, new_record
from store.records import entry_of, format_time, record_id, to_record

Clock = Callable[[], datetime]
NewId = Callable[[str, int, datetime], str]


class JsonObservationStore:
    """Observations in one readable JSON file per issue, in AgentX's format."""

    def __init__(
        self, folder: Path, *, clock: Clock | None = None, new_id: NewId | None = None
    ) -> None:
        self.folder = folder
        self._clock = clock or (lambda: datetime.now(UTC))
        self._new_id = new_id
        self._lock = StoreLock(folder)
        self._recalls = RecallLog(folder)

    def store(self, observations: Sequence[Observation]) -> StoreReport:
        """Keep observations; they are durable when this returns, issue by issue.

        Raises `InvalidObservation`, and `PartlyStored` where only some of the issues could be
        written.
        """
        from store.validation.prepare import make_id, prepare

        now, new_id = self._clock(), self._new_id or make_id
        prepared = [prepare(observation, now, new_id) for observation in observations]
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
            standing = Standing(batch)
            try:
                with self.changing(issue, standing.see) as records:
                    appended = add_batch(records, batch, standing, ids)
            except StoreError as error:
                failures.append(error)
                for at, _ in batch:
                    ids[at] = ""
                continue
            stored += [observation for at, observation in batch if at in appended]
            twins += [ids[at] for at, _ in batch if at not in appended]
        notices = tuple(notice for item in prepared for notice in item.notices)
        report = StoreReport(tuple(ids), tuple(stored), tuple(twins), notices)
        if failures:
            first, written = failures[0], sum(map(bool, ids))
            if not written:
                raise first
            raise PartlyStored(
                f"{written} of {len(ids)} observations were stored. {first.message}",
                first.hint,
                report,
            ) from first
        return report

    @contextmanager
    def changing(self, issue: int, see: SeeFile | None = None) -> Iterator[IssueRecords]:
        """Hold an issue under its lock, to be changed; what changed is written durably at the end.

        Where both the issue file and its archive change, the issue still changes in one instant,
        and a crash between the two writes loses nothing. `see` as for `read_issue`.
        """
        self._make_store()
        path = self.folder / issue_name(issue)
        with self._lock.marked(path):
            self._recalls.read_on()
            recalled: set[str] = set()
            look = None if see is None else partial(self._look, see, recalled)
            records = read_issue(self.folder, issue, look)
            yield records
            records.finish()
            changed = [name for name, file in records.files.items() if file.is_changed]
            if not changed:
                return
            for name in changed:
                if name in recalled or not records.files[name].is_whole:
                    self._fold_recalls(records.files[name])
            for name, file in _in_safe_order(records, changed):
                self._write(issue, name, file, path)

    def _write(self, issue: int, name: str, file: IssueFile, marked: Path) -> None:
        file.header.setdefault("version", 1)
        file.header.setdefault("issueNumber", issue)
        file.header["updatedAt"] = format_time(self._clock())
        if shelf_of(name) is Shelf.ARCHIVE:
            make_folder(self.folder / ARCHIVE)
        data = dump_issue_file(file)
        replace_durably(self.folder / name, data, self.folder, lambda: self._lock.check(marked))

    def write_merged(self, issue: int) -> list[tuple[str, str]]:
        """Write the files of an issue that a merge of lines broke as they are read: merged.

        What each was is kept in the quarantine. The moves that would have done the same, by names:
        the old file aside, the merged one in its place; taking those back brings the old file back.
        """
        path = self.folder / issue_name(issue)
        moves: list[tuple[str, str]] = []
        with self._lock.marked(path):
            records = read_issue(self.folder, issue)
            for problem in records.problems:
                if not problem.is_restored:
                    continue
                name = problem.path
                tail = f"{self._clock():%Y%m%dT%H%M%S}-{Path(name).name}"
                aside, merged = f"{QUARANTINE}/{tail}", f"{QUARANTINE}/{tail}.merged"
                make_folder(self.folder / QUARANTINE)
                old = read_bytes(self.folder / name, self.folder)
                replace_durably(self.folder / aside, old, self.folder)
                data = dump_issue_file(records.files[name])
                replace_durably(
                    self.folder / name, data, self.folder, lambda: self._lock.check(path)
                )
                moves += [(name, aside), (merged, name)]
        return moves

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store's gate, for a change to files other than an issue's."""
        self._make_store()
        with self._lock.hold():
            yield

    @contextmanager
    def marking(self, path: Path) -> Iterator[None]:
        """Hold the gate and the marker of one file."""
        with self._lock.marked(path):
            yield

    def by_issue(self, issue: int) -> list[Observation]:
        """The observations of an issue, in the order of its file."""
        return read_issue(self.folder, issue).observations()

    def get(self, identifier: str) -> Observation | None:
        """The observation with this very id, looked for in every file."""
        return next((item for item in self._all(archived=True) if item.id == identifier), None)

    def search_by_filters(
        self,
        *,
        agent: str | None = None,
        issue: int | None = None,
        category: str | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
    ) -> list[IndexEntry]:
        """The entries that fit every filter given, newest first; `before` is exclusive."""
        found = [
            entry_of(item)
            for item in (self._all() if issue is None else self.by_issue(issue))
            if (agent is None or item.agent == agent)
            and (category is None or item.category == category)
            and (after is None or item.timestamp >= after)
            and (before is None or item.timestamp < before)
        ]
        return sorted(found, key=lambda entry: entry.timestamp, reverse=True)

    def list_by_agent(self, agent: str) -> list[IndexEntry]:
        """The entries of an agent, newest first."""
        return self.search_by_filters(agent=agent)

    def list_by_category(self, category: str) -> list[IndexEntry]:
        """The entries of a category, newest first."""
        return self.search_by_filters(category=category)

    def update(self, identifier: str, fields: Mapping[str, Any]) -> Observation:
        """Change fields of an observation. Raises `NotFound`, `InvalidObservation`."""
        from store.validation.prepare import prepare_update

        issue, shelf = self.locate(identifier)
        with self.changing(issue) as records:
            held = _held(records, shelf, identifier)
            before = held.observation or _gone(identifier)
            done = prepare_update(before, fields).observation
            value = updated_record(held.record.exact(), before, done)
            records.put(shelf, value)
        return done

    def remove(self, identifier: str) -> bool:
        """Remove an observation; whether there was one."""
        try:
            issue, shelf = self.locate(identifier)
        except NotFound:
            return False
        with self.changing(issue) as records:
            found = records.find(shelf, identifier) is not None
            if not found:
                check_read(records, shelf)
            records.drop(shelf, identifier)
        return found

    def see_again(self, issue: int, identifiers: Iterable[str]) -> None:
        """Count that observations of an issue were seen once more; those gone are passed over."""
        with self.changing(issue) as records:
            for identifier in identifiers:
                count_again(records, identifier)

    def increment_recall_count(self, identifier: str) -> None:
        """Count one more recall in the record itself. Raises `NotFound`."""
        issue, shelf = self.locate(identifier)
        with self.changing(issue) as records:
            held = _held(records, shelf, identifier)
            count = (held.observation or _gone(identifier)).recall_count
            records.put(shelf, {**held.record.exact(), "recallCount": count + 1})

    def stats(self) -> StoreStats:
        """Totals over all issue files, reading each."""
        return stats_of(self._all(), self.archived_count(), size_on_disk(self.folder))

    def archived_count(self) -> int:
        """How many observations the archive holds."""
        names = list_issues(self.folder)
        issues = {issue for name, issue in names.items() if shelf_of(name) is Shelf.ARCHIVE}
        return sum(
            len(read_issue(self.folder, issue).observations(Shelf.ARCHIVE)) for issue in issues
        )

    def locate(self, identifier: str) -> tuple[int, Shelf]:
        """The issue and shelf of an id.

        Raises `NotFound`, or `Unreadable` where the issue that the id names can't be read.
        """
        issues = set(list_issues(self.folder).values())
        named = _issues_named(identifier) & issues
        for issue in [*sorted(named), *sorted(issues - named)]:
            records = read_issue(self.folder, issue)
            for held in records.held():
                if held.observation is not None and held.observation.id == identifier:
                    return issue, held.shelf
            if issue in named:
                check_read(records, *Shelf)
        raise NotFound(f"No observation has the id {identifier}.", "`memtui search` finds ids.")

    def _all(self, *, archived: bool = False) -> Iterator[Observation]:
        for issue in sorted(set(list_issues(self.folder).values())):
            for held in read_issue(self.folder, issue).held():
                if held.observation is not None and (archived or held.shelf is Shelf.ISSUE):
                    yield held.observation

    def _make_store(self) -> None:
        """Make the store where there is none, and complete one that a crash left half made."""
        if (self.folder / GATE).exists():
            return
        make_folder(self.folder)
        secure_name(self.folder)
        gitignore = self.folder / GITIGNORE
        if not gitignore.exists() and not list_issues(self.folder):
            replace_durably(gitignore, GITIGNORE_TEXT.encode(), self.folder)

    def _look(self, see: SeeFile, recalled: set[str], name: str, values: list[Any]) -> None:
        """Show `see` records of a file; one with recalls that it does not count is `recalled`."""
        see(name, values)
        if self._recalls.times() and any(map(self._recalls.uncounted, values)):
            recalled.add(name)

    def _fold_recalls(self, file: IssueFile) -> None:
        """Count the log's recalls into the records of a file that is written anyway."""
        for at, record in enumerate(file.records):
            if self._recalls.uncounted(record.value) is not None:
                counted = folded(record.exact(), self._recalls)
                if counted is not None:
                    file.records[at] = new_record(counted)


def updated_record(
    record: Mapping[str, Any], before: Observation, after: Observation
) -> dict[str, Any]:
    """A record with only those keys changed in which two observations differ."""
    old, new = to_record(before), to_record(after)
    changed = {key: value for key, value in new.items() if old.get(key) != value}
    gone = {key for key in old if key not in new}
    return {key: value for key, value in {**record, **changed}.items() if key not in gone}


def _held(records: IssueRecords, shelf: Shelf, identifier: str) -> Held:
    for held in records.held():
        if held.shelf is shelf and held.observation and held.observation.id == identifier:
            return held
    return _gone(identifier)


def _gone(identifier: str) -> NoReturn:
    raise NotFound(f"The observation {identifier} is gone.", "Someone else removed it just now.")


def _in_safe_order(
    records: IssueRecords, changed: Iterable[str]
) -> Iterator[tuple[str, IssueFile]]:
    """What to write, one file after the other, so that an issue changes in one instant.

    Where an id stands in both, the issue file wins. So the archive first takes what it gains and
    keeps what it loses, then the issue file turns, then the archive lets go.
    """
    new = {name: records.files[name] for name in changed}
    lost = {name: _lost(file) for name, file in new.items()}
    archives = [name for name in new if shelf_of(name) is Shelf.ARCHIVE]
    for name in archives:
        file = new[name]
        known = {id(record) for record in file.before}
        if any(id(record) not in known for record in file.records):
            yield name, IssueFile(file.header, [*lost[name], *file.records])
    for name in sorted(new.keys() - set(archives), key=lambda name: (bool(lost[name]), name)):
        yield name, new[name]
    for name in archives:
        if lost[name]:
            yield name, new[name]


def _lost(file: IssueFile) -> list[RawRecord]:
    """The records that were read and whose id stands in the file no more."""
    if file.is_whole:
        return []
    kept = set(map(id, file.records))
    gone = [record for record in file.before if id(record) not in kept]
    ids = {record_id(record.value) for record in file.records} if gone else set()
    return [record for record in gone if record_id(record.value) not in ids]


def _issues_named(identifier: str) -> set[int]:
    """The issues that an id may name itself."""
    parts = identifier.split("-")
    return {int(part) for part in parts if part.isascii() and part.isdigit() and len(part) <= 9}
