"""Memory in plain JSON files, one for each issue, in AgentX's format."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from store.backends.activity import RecallLog, note_counted
from store.backends.files import doctor
from store.backends.files.issue_reader import date_of, layout_to_read, read_issue, read_layout
from store.backends.files.issue_writer import (
    is_of_other_layout,
    merged_files,
    write_issue,
    write_layout,
)
from store.backends.files.layout import (
    GATE,
    GITIGNORE,
    GITIGNORE_TEXT,
    MANIFEST,
    QUARANTINE,
    archive_name,
    aside_name,
    issue_name,
    issue_of,
    list_issues,
    size_of,
)
from store.backends.files.locks import StoreLock, memory_is_gone
from store.backends.files.log import FileLog
from store.backends.files.manifest import settle_manifest
from store.backends.files.pending import complete
from store.backends.files.stamps import changes_since
from store.backends.files.texts import FileTexts
from store.backends.issue_records import Dating, IssueRecords, Lookup
from store.backends.protocol import Changes, Fact, Levels, Stamps
from store.backends.user_data import is_in_user_data, is_tracked, other_place
from store.errors import WriteFailed
from store.model import Layout
from store.platform.links import real_path
from store.platform.read import read_bytes
from store.platform.write import make_folder, replace_durably, secure_name
from store.records import format_time


class FilesBackend:
    """One readable JSON file for each issue, with its archive, its log and its texts."""

    finds_ids = False
    levels = Levels()

    def __init__(self, folder: Path, clock: Callable[[], datetime] | None = None) -> None:
        self._folder = folder
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lock = StoreLock(folder)
        self.log = FileLog(folder, clock)
        self.texts = FileTexts(folder, self._begin)
        self._recalls = RecallLog(self.log)
        self._is_begun = folder.is_dir()

    @property
    def files(self) -> FilesBackend:
        return self

    @property
    def identity(self) -> str:
        return str(real_path(self._folder))

    @property
    def folder(self) -> Path:
        return self._folder

    def issues(self) -> set[int]:
        return set(list_issues(self._folder).values())

    def read(self, issue: int) -> IssueRecords:
        return read_issue(self._folder, issue, layout_to_read(self._folder))

    def read_each(self, issues: Sequence[int]) -> Iterator[IssueRecords]:
        return map(self.read, issues)

    @contextmanager
    def changing(self, issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        """Hold an issue under its lock, to be changed; what changed is written durably at the end.

        Where both the issue file and its archive change, the issue still changes in one instant,
        and a crash between the two writes loses nothing.
        """
        self._make_store()
        path = self._folder / issue_name(issue)
        with self._lock.marked(path):
            complete(self._folder, issue)
            self._recalls.read_on()
            records = read_issue(self._folder, issue, self.layout)
            yield records
            changed = records.changed_parts()
            counted = self._recalls.fold(changed.values())
            write_issue(
                self._folder,
                records,
                changed,
                records.dating or Dating(format_time(self._clock())),
                lambda: self._lock.check(path),
            )
            note_counted(self.log, counted, format_time(self._clock()))

    @property
    def layout(self) -> Layout:
        return read_layout(self._folder)

    def set_layout(self, layout: Layout) -> None:
        with self.locked():
            write_layout(self._folder, layout)

    def other_layout(self) -> set[int]:
        """Return the issues with records in files, or folders of files, that are not of the layout.

        Also those whose files can't be opened just now: they may have some.
        """
        layout, names = self.layout, list_issues(self._folder).items()
        issues = {issue for name, issue in names if is_of_other_layout(name, layout)}
        read = (read_issue(self._folder, issue, layout) for issue in sorted(issues))
        return {records.issue for records in read if records.leaving or records.unopened}

    def dates(self, issues: Iterable[int]) -> dict[str, str]:
        names = (name for issue in issues for name in (issue_name(issue), archive_name(issue)))
        dates = ((name, date_of(self._folder, name)) for name in names)
        return {name: date for name, date in dates if date}

    def write_merged(self, issue: int) -> list[tuple[str, str]]:
        """Write the files of an issue that git left in conflict as they are read: merged.

        What each was is kept in the quarantine. The moves that would have done the same, by names:
        the old file aside, the merged one in its place; taking those back brings the old file back.
        """
        path = self._folder / issue_name(issue)
        moves: list[tuple[str, str]] = []
        with self._lock.marked(path):
            for name, mended in merged_files(self._folder, issue).items():
                aside = aside_name(name, f"{self._clock():%Y%m%dT%H%M%S}")
                merged = f"{aside}.merged"
                make_folder(self._folder / QUARANTINE)
                old = read_bytes(self._folder / name, self._folder)
                replace_durably(self._folder / aside, old, self._folder)
                replace_durably(
                    self._folder / name, mended, self._folder, lambda: self._lock.check(path)
                )
                moves += [(name, aside), (merged, name)]
        return moves

    def changes_since(self, known: Stamps) -> Changes:
        return changes_since(self._folder, known)

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._make_store()
        with self._lock.hold():
            yield

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def settle(self, issues: Collection[int]) -> bool:
        self._make_store()
        with self._lock.marked(self._folder / MANIFEST):
            return settle_manifest(self._folder, issues, format_time(self._clock()))

    def size(self) -> int:
        return size_of(self._folder)

    def release(self) -> None:
        """Do nothing: no file stays open between two calls."""

    def is_writable(self) -> bool:
        folder = self._folder if self._folder.is_dir() else self._folder.parent
        return os.access(folder, os.W_OK) or not folder.exists()

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        yield from doctor.leftovers(self._folder, stamp)
        yield from doctor.layout_facts(self._folder, stamp)
        yield from doctor.digest_facts(self._folder, stamp)
        yield from doctor.manifest_facts(self._folder, ids)
        yield from doctor.folder_facts(self._folder)
        yield from doctor.log_facts(self.log)

    def examine_issue(self, records: IssueRecords, stamp: str) -> Iterator[Fact]:
        return doctor.issue_facts(records, stamp)

    def move(self, source: str, target: str) -> bool:
        with self.locked():
            return doctor.move(self._folder, source, target)

    def issue_of(self, part: str) -> int | None:
        return issue_of(part)

    def set_aside(self) -> Iterator[tuple[str, bytes]]:
        return doctor.set_aside(self._folder)

    def _begin(self) -> None:
        """Make the folder where there is none.

        Raises `WriteFailed` where a memory is gone, or in the project's other place: what is
        written would begin another one here, which hides the one that was moved. What git tracks
        there is the team's, next to which the user's own may begin.
        """
        was_begun = self._is_begun  # looked at first: another thread may begin it meanwhile
        if self._folder.is_dir():
            return
        other = other_place(self._folder)
        if other and not (is_in_user_data(self._folder) and is_tracked(other)):
            raise WriteFailed(
                f"The memory of this project is in {other} now.",
                "Try again, or start the app again.",
            )
        if was_begun:
            raise memory_is_gone(self._folder)
        from store.backends.placement import prepare_to_begin  # a memory begins once

        make_folder(self._folder)
        prepare_to_begin(self._folder)
        self._is_begun = True

    def _make_store(self) -> None:
        """Make the store where there is none, and complete one that a crash left half made."""
        if (self._folder / GATE).exists():
            return
        self._begin()
        secure_name(self._folder)
        gitignore = self._folder / GITIGNORE
        if list_issues(self._folder):
            return
        if not gitignore.exists():
            replace_durably(gitignore, GITIGNORE_TEXT.encode(), self._folder)
        # From its beginning on a memory has a manifest, so that one that is missing was lost.
        with self._lock.marked(self._folder / MANIFEST):
            if not list_issues(self._folder):
                settle_manifest(self._folder, (), format_time(self._clock()))
