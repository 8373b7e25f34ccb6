"""Reading a file that git left in conflict: the memories of both sides, from git or the markers.

A healthy file never comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from store.backends.files.issue_file import IssueFile, decode, parse_issue_file
from store.backends.files.layout import is_memory_path
from store.errors import Unreadable
from store.merge.bounds import bounded, check_versions
from store.merge.files import Side, merge_files
from store.merge.markers import check_not_fused, has_markers, is_marker, split_markers
from store.merge.record import merge_records
from store.platform.git_command import unmerged_versions
from store.records import RawRecord, new_record


def restore(path: Path, data: bytes) -> IssueFile | None:
    """Return the memories of both sides of a file that git left in conflict; else `None`.

    Raises `Unreadable` where that is more than is merged.
    """
    file = _of_conflict(path, data, _read) if has_markers(data) else None
    return file and file.as_read()


def restore_memory(path: Path, data: bytes) -> RawRecord | None:
    """Return the memory of a file of its own that two branches edited; `None` where there is none.

    Raises `Unreadable` where that is more than is merged.
    """
    try:
        laid = as_issue_file(data, path.name)
    except Unreadable:
        return None
    file = _of_conflict(path, laid, _read_memory) if has_markers(data) else None
    if file is None or not file.records:
        return None
    check_versions("" for _ in file.records)
    merged, *others = file.records
    for record in others:
        merged = new_record(merge_records(None, bounded(merged), bounded(record)))
    return merged


def as_issue_file(data: bytes, name: str) -> bytes:
    """Return a memory's own file, in conflict or not, as an issue file that holds it alone."""
    lines = decode(data, name).strip().splitlines(keepends=True)
    shifted = (line if is_marker(line) else f"    {line}" for line in lines)
    text = '{\n  "version": 1,\n  "observations": [\n' + "".join(shifted) + "\n  ]\n}\n"
    return text.encode("utf-8", "surrogatepass")


def read_version(data: bytes, name: str) -> Side:
    """One version of a file, merged where it is in conflict; of a memory's own file, that memory.

    Raises `Unreadable`.
    """
    return (_read_memory if is_memory_path(name) else _read)(data, name)


def _read(data: bytes, name: str) -> Side:
    if has_markers(data) and (file := _of_markers(data, name)) is not None:
        return Side(file.header, file.records)
    check_not_fused(data, name)
    file = parse_issue_file(data, name)
    return Side(file.header, file.records)


def _read_memory(data: bytes, name: str) -> Side:
    check_not_fused(data, name)
    return _read(as_issue_file(data, name), name)


def _of_conflict(path: Path, data: bytes, read: Callable[[bytes, str], Side]) -> IssueFile | None:
    """Return the versions as git keeps them, merged, and what else is in the file.

    `read` makes a version of what git keeps.
    """
    here = _of_markers(data, path.name)
    versions = unmerged_versions(path)
    if versions is None:
        return here
    try:
        base, ours, theirs = (
            None if version is None else read(version, path.name) for version in versions
        )
    except Unreadable:
        return here
    sides = [side for side in (ours, theirs) if side is not None]
    merged = merge_files(base, sides[0], sides[-1])
    known = {_id(record) for side in (base, *sides) if side for record in side.records}
    added = [one for one in (here.records if here else ()) if _id(one) not in known]
    return IssueFile(merged.header, [*merged.records, *added])


def _of_markers(data: bytes, name: str) -> IssueFile | None:
    try:
        versions = split_markers(decode(data, name))
        if versions is None:
            return None
        ours, theirs = (
            _read(text.encode("utf-8", "surrogatepass"), name)
            for text in (versions.ours, versions.theirs)
        )
    except Unreadable:
        return None
    base = None
    if versions.base is not None:
        try:
            base = _read(versions.base.encode("utf-8", "surrogatepass"), name)
        except Unreadable:
            base = None
    merged = merge_files(base, ours, theirs)
    return IssueFile(merged.header, _once(merged.records))


def _once(records: Iterable[RawRecord]) -> list[RawRecord]:
    """Each memory once: a merge of lines may leave one in two places. Raises `Unreadable`."""
    found: dict[object, RawRecord] = {}
    records = list(records)
    check_versions(map(_id, records))
    for record in records:
        key = _id(record)
        twin = found.get(key)
        if twin is not None and twin.text != record.text:
            found[key] = new_record(merge_records(None, bounded(twin), bounded(record)))
        else:
            found[key] = record
    return list(found.values())


def _id(record: RawRecord) -> object:
    value = record.value
    identifier = value.get("id") if isinstance(value, dict) else None
    return identifier if isinstance(identifier, str) else record.text
