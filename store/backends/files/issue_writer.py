"""Writing an issue: which of its files change, and that they do in one instant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from store.backends.files.issue_file import IssueFile, dump_issue_file
from store.backends.files.issue_reader import FileRecords, has_own_keys, read_issue
from store.backends.files.layout import ARCHIVE, LAYOUT, PENDING, issue_of_folder
from store.backends.files.memory_files import MemoryFiles
from store.backends.files.pending import make_changes, remove_empty
from store.backends.issue_records import Dating, location_of
from store.model import Layout, Location
from store.platform.write import make_folder, remove_file, replace_durably, replace_several
from store.records import RawRecord, as_json, record_id

Check = Callable[[], None]
"""Raises where the lock was lost."""


def write_issue(
    folder: Path, records: FileRecords, changed: Iterable[str], dating: Dating, check: Check
) -> None:
    """Write the parts of an issue that changed, durably, so that it changes in one instant.

    What is in another layout is written in the one that holds. Raises `ReadOnly`,
    `WriteFailed`.
    """
    parts = {name: records.parts[name] for name in changed}
    files = {name: file for name, file in parts.items() if isinstance(file, IssueFile)}
    for name, file in files.items():
        _date(file, name, records.issue, dating)
        if location_of(name) is Location.ARCHIVE:
            make_folder(folder / ARCHIVE)
    if not records.leaving and len(files) == len(parts):
        for name, file in in_safe_order(files):
            if _is_needless(name, file):
                check()
                remove_file(folder / name, folder)
            else:
                replace_durably(folder / name, dump_issue_file(file), folder, check)
        return
    changes = _changes(records, parts)
    check()
    if len(changes) == 1:
        ((name, data),) = changes.items()
        make_folder((folder / name).parent)
        replace_several({folder / name: data}, folder)
        remove_empty(folder, changes)
    elif changes:
        make_changes(folder, records.issue, changes)


def _changes(
    records: FileRecords, parts: Mapping[str, IssueFile | MemoryFiles]
) -> dict[str, bytes | None]:
    """Return the files that change; the archive's before those of the issue."""
    changes: dict[str, bytes | None] = {}
    for name, part in parts.items():
        if isinstance(part, MemoryFiles):
            changes |= part.changes()
        else:
            changes[name] = dump_issue_file(part)
    for name, file in records.leaving.items():
        if isinstance(file, MemoryFiles):
            changes |= dict.fromkeys(file.files)
        else:
            # The keys of the issue itself have no other place.
            changes[name] = dump_issue_file(IssueFile(file.header)) if has_own_keys(file) else None
    return changes


def _is_needless(name: str, file: IssueFile) -> bool:
    """Return whether a file is an archive with nothing in it, which would only be noise in git."""
    is_archive = location_of(name) is Location.ARCHIVE
    return is_archive and not file.records and not has_own_keys(file)


def _date(file: IssueFile, name: str, issue: int, dating: Dating) -> None:
    file.header.setdefault("version", 1)
    file.header.setdefault("issueNumber", issue)
    file.header["updatedAt"] = dating.of(name, str(file.header.get("updatedAt", "")))


def merged_files(folder: Path, issue: int) -> dict[str, bytes]:
    """The files of an issue that git left in conflict, and what each holds once it is merged."""
    records = read_issue(folder, issue)
    names = (problem.path for problem in records.problems if problem.is_restored)
    return {name: records.restored(name) for name in names}


def is_of_other_layout(name: str, layout: Layout) -> bool:
    if name.startswith(f"{PENDING}/"):
        return False
    return (issue_of_folder(name) is None) == (layout is Layout.EACH)


def write_layout(folder: Path, layout: Layout) -> None:
    """Write down how a memory is divided into files; AgentX's own layout needs no file."""
    if layout is Layout.PER_ISSUE:
        remove_file(folder / LAYOUT, folder)
        return
    value = {"version": 1, "layout": str(layout)}
    replace_durably(folder / LAYOUT, as_json(value) + b"\n", folder)


def in_safe_order(new: Mapping[str, IssueFile]) -> Iterator[tuple[str, IssueFile]]:
    """Order the files to write so that an issue changes in one instant.

    Where an id is in both, the issue file wins. So the archive first takes what it gains and
    keeps what it loses, then the issue file changes, then the archive loses the rest.
    """
    lost = {name: _lost(file) for name, file in new.items()}
    archives = [name for name in new if location_of(name) is Location.ARCHIVE]
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
    kept = set(map(id, file.records))
    gone = [record for record in file.before if id(record) not in kept]
    ids = {record_id(record.value) for record in file.records} if gone else set()
    return [record for record in gone if record_id(record.value) not in ids]
