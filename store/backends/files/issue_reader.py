"""What the files of one issue hold, read together: its own, the recovered one and the archive.

Records are in one file for each issue, or in one for each memory. Both are read wherever they
are; what is in files of the layout that does not hold joins the others when it is read, and
leaves its file with the next write of the issue.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep

from store.backends.files.issue_file import IssueFile, dump_issue_file, parse_issue_file
from store.backends.files.layout import (
    ARCHIVE,
    LAYOUT,
    archive_name,
    issue_name,
    memories_name,
    pending_name,
    recovered_name,
    tombstones_name,
)
from store.backends.files.memory_files import MemoryFiles, dump_memory, note_unread, read_memories
from store.backends.files.pending import read_pending
from store.backends.issue_records import IssueRecords, check_read
from store.backends.pending import FileChanges
from store.backends.tombstones import Tombstone, by_text, parse_tombstones
from store.errors import Unreadable
from store.merge.bounds import bounded
from store.merge.markers import check_not_fused
from store.merge.record import merge_records
from store.model import Layout, Location, Problem
from store.platform.file_stamp import stamp_of
from store.platform.read import open_to_read, read_bytes
from store.records import RawRecord, new_record, record_id

_PAUSES = *[0.0] * 4, *[0.002 * 2**doubled for doubled in range(8)], 0.0
"""Seconds after each reading of an issue that was written meanwhile, half a second together."""
_STARTS = {Location.ISSUE: "issue-", Location.ARCHIVE: f"{ARCHIVE}/issue-"}
"""How the folders of memories begin: asked for with every issue, so without making paths."""
_BEGINNING = 4_096
"""Bytes of an issue file that its date is looked for in: it is written first."""
_DATE = re.compile(rb'"updatedAt": "([0-9A-Za-z:.+-]{1,40})"')


@dataclass(slots=True)
class FileRecords(IssueRecords):
    """The files of one issue, taken apart, by their names relative to the store.

    `leaving` are files of another layout than the one that holds: their records are in `parts`.
    """

    parts: dict[str, IssueFile | MemoryFiles] = field(default_factory=dict)
    layout: Layout = Layout.PER_ISSUE
    leaving: dict[str, IssueFile | MemoryFiles] = field(default_factory=dict)

    def part_for_new(self, location: Location) -> str:
        """Return the name of what takes a new record; an unreadable file is never written over."""
        if self.layout is Layout.EACH:
            name = memories_name(self.issue, location)
            self.parts.setdefault(name, MemoryFiles(name, taken=self.unreadable))
            return name
        name = archive_name(self.issue)
        if location is Location.ISSUE:
            name = issue_name(self.issue)
            if name in self.unreadable:
                name = recovered_name(self.issue)
        if name in self.unreadable:
            check_read(self, location)
        self.parts.setdefault(name, IssueFile({"version": 1, "issueNumber": self.issue}))
        return name

    def restored(self, name: str) -> bytes:
        part = self.parts.get(name) or self.leaving.get(name)
        if isinstance(part, IssueFile):
            return dump_issue_file(part)
        folders = (item for item in (*self.parts.values(), *self.leaving.values()))
        found = (
            folder for folder in folders if isinstance(folder, MemoryFiles) and name in folder.files
        )
        return dump_memory(next(found).read_from(name))


def read_layout(folder: Path) -> Layout:
    """Return the layout that holds in a memory: that of AgentX, unless a file names another.

    Raises `Unreadable`: what is to be written waits for it, what is read does not.
    """
    if not os.path.lexists(f"{folder}/{LAYOUT}"):
        return Layout.PER_ISSUE
    try:
        return Layout(json.loads(read_bytes(folder / LAYOUT, folder))["layout"])
    except FileNotFoundError:
        return Layout.PER_ISSUE
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = f"Write one of {', '.join(Layout)} into it, or `memtui doctor --repair`."
        raise Unreadable(f"{LAYOUT} does not name a layout.", hint) from error


def layout_to_read(folder: Path) -> Layout:
    """Return the layout by which records are put together where nothing is written."""
    try:
        return read_layout(folder)
    except Unreadable:
        return Layout.PER_ISSUE


def read_issue(folder: Path, issue: int, layout: Layout | None = None) -> FileRecords:
    """Read all files of an issue. Never raises for what is in them: that becomes `problems`.

    `layout` is the one that holds; where it is not given, it is asked for only if it matters.
    """
    records = _read_files(folder, issue, layout)
    records.tombstones = _tombstones(folder, issue)
    return records


def _tombstones(folder: Path, issue: int) -> dict[str, list[Tombstone]]:
    """Read the tombstones of an issue; none where they can't be read."""
    path = folder / tombstones_name(issue)
    try:
        return by_text(parse_tombstones(read_bytes(path, folder)))
    except (FileNotFoundError, Unreadable):
        return {}


def _read_files(folder: Path, issue: int, layout: Layout | None) -> FileRecords:
    folders = _folders(folder, issue)
    waits = os.path.lexists(folder / pending_name(issue))
    if not (folders or waits or layout is Layout.EACH):
        found = _read(FileRecords(issue), folder, {}, folders)
        if found.parts:
            return found
    held = layout or layout_to_read(folder)
    for pause in _PAUSES:
        before = _mark(folder, issue)
        records = FileRecords(issue, layout=held)
        pending = _pending(records, folder)
        # Folders come and go while nobody holds the lock, and a pending change names some.
        found = _read(records, folder, pending, set(Location))
        if _mark(folder, issue) == before:
            break
        sleep(pause)
    return found


def _folders(folder: Path, issue: int) -> set[Location]:
    """Return the locations of an issue that have a folder of memories; nearly always none."""
    return {
        location
        for location, start in _STARTS.items()
        if os.access(path := f"{folder}/{start}{issue}", os.F_OK) and os.path.isdir(path)
    }


def _mark(folder: Path, issue: int) -> list[object]:
    """A mark that differs once several files of an issue change, or one of them is written."""
    files = [pending_name(issue), *(name for names in _names(issue).values() for name in names)]
    places = [folder / memories_name(issue, location) for location in Location]
    stamps = [stamp_of(path) for path in (*places, *(folder / name for name in files))]
    return [*(stamp and stamp[1:] for stamp in stamps), *map(_entries, places)]


def _entries(place: Path) -> dict[str, int] | None:
    """Return the names in a folder and their inodes: its times may be 10 ms late."""
    try:
        with os.scandir(place) as found:
            return {entry.name: entry.inode() for entry in found}
    except OSError:
        return None


def _pending(records: FileRecords, folder: Path) -> FileChanges:
    try:
        return read_pending(folder, records.issue)
    except Unreadable as error:
        note_unread(records, pending_name(records.issue), error)
        return {}


def _read(
    records: FileRecords, folder: Path, pending: FileChanges, folders: set[Location]
) -> FileRecords:
    for location, names in _names(records.issue).items():
        joins = location in folders or records.layout is Layout.EACH
        files: dict[str, IssueFile] = {}
        for name in names:
            file = _read_named(records, folder, name, pending)
            if file is not None:
                files[name] = file
        if not joins:
            records.parts |= files
            continue
        place = memories_name(records.issue, location)
        _join(records, location, files, read_memories(records, folder, place, pending))
    return records


def _names(issue: int) -> Mapping[Location, tuple[str, ...]]:
    return {
        Location.ISSUE: (issue_name(issue), recovered_name(issue)),
        Location.ARCHIVE: (archive_name(issue),),
    }


def _read_named(
    records: FileRecords, folder: Path, name: str, pending: FileChanges
) -> IssueFile | None:
    """Return an issue's file as the pending change leaves it; what is wrong with it is noted."""
    try:
        if name in pending:
            data = pending[name]
            return None if data is None else parse_issue_file(data, name)
        return _read_file(records, folder, name)
    except FileNotFoundError:
        return None
    except Unreadable as error:
        note_unread(records, name, error)
        return None


def _join(
    records: FileRecords, location: Location, files: Mapping[str, IssueFile], memories: MemoryFiles
) -> None:
    if records.layout is Layout.EACH:
        for name, file in files.items():
            if file.records or not has_own_keys(file):
                _add(memories, file.records)
                records.leaving[name] = file
        if memories.files or memories.records:
            records.parts[memories.place] = memories
        return
    records.parts |= files
    if not memories.files:
        return
    try:
        name = records.part_for_new(location)
    except Unreadable:
        # The archive can't be read, and so not be written: its other memories stay where they are.
        records.parts[memories.place] = memories
        return
    _add(records.parts[name], memories.records)
    records.leaving[memories.place] = memories


def date_of(folder: Path, name: str) -> str:
    """Return the time of change that a file gives; empty where its beginning gives none."""
    try:
        handle = open_to_read(folder / name, folder)
    except (FileNotFoundError, Unreadable):
        return ""
    try:
        found = _DATE.search(os.read(handle, _BEGINNING).partition(b"observations")[0])
    finally:
        os.close(handle)
    return found[1].decode() if found else ""


def has_own_keys(file: IssueFile) -> bool:
    """Return whether an issue's file has keys that not every one has."""
    return not file.header.keys() <= {"version", "issueNumber", "updatedAt"}


def _add(part: IssueFile | MemoryFiles, records: Iterable[RawRecord]) -> None:
    """Add records to a part. One that is there already is one memory, which both may know.

    A change of layout that was interrupted leaves it twice, and so does a merge of branches.
    """
    places = {record_id(record.value): at for at, record in enumerate(part.records)}
    places.pop(None, None)
    for record in records:
        at = places.get(record_id(record.value))
        if at is None:
            part.append(record)
        elif part.records[at].text != record.text:
            try:
                merged = merge_records(None, bounded(part.records[at]), bounded(record))
            except Unreadable:
                part.append(record)  # it is kept twice, and named by the doctor
                continue
            part.records[at] = new_record(merged)


def _read_file(records: FileRecords, folder: Path, name: str) -> IssueFile:
    """Read one file; of one that git left in conflict both sides, which is noted as a problem."""
    data = read_bytes(folder / name, folder)
    check_not_fused(data, name)
    try:
        return parse_issue_file(data, name)
    except Unreadable:
        from store.backends.files.conflicted import restore  # a healthy file never comes here

        restored = restore(folder / name, data)
        if restored is None:
            raise
    short = name.rpartition("/")[2]
    message = f"{short} has merge conflicts; memories of both sides are shown."
    records.problems.append(Problem(name, message, is_restored=True))
    return restored
