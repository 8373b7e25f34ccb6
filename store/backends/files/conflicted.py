"""Reading an issue file that a merge of lines broke: in conflict, or with memories fused.

Looked at only where a file can't be read as it is, or says its header twice: a healthy file never
comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from store.backends.files.issue_file import IssueFile, decode, parse_issue_file
from store.backends.files.layout import names_memory
from store.errors import Unreadable
from store.git_command import merged_versions, unmerged_versions
from store.merge.bounds import MAX_LINES, bounded, check_versions
from store.merge.files import Side, merge_files
from store.merge.fused import Pair, from_history, is_fused, read_lines, take_apart
from store.merge.markers import is_marker, split_markers
from store.merge.record import merge_records
from store.merge.signs import has_markers, may_be_fused, may_be_fused_memory
from store.raw_record import RawRecord, new_record

_Versions = list[dict[str, dict[str, Any]]]
"""The memories of the base, ours and theirs, by their ids."""


class Restored(NamedTuple):
    """What a broken file holds once it is merged, and a sentence on what it is."""

    file: IssueFile
    message: str


def restore(path: Path, data: bytes) -> Restored | None:
    """The memories of all sides of a file that git left in conflict, or fused; else `None`.

    Raises `Unreadable` where that is more than is merged.
    """
    if has_markers(data):
        file = _of_conflict(path, data, _read)
        what = "has merge conflicts; memories of both sides are shown"
    else:
        file = _of_lines(data, history=lambda: _history(path, _read))
        what = "was merged line by line; merged memories are shown separately"
    if file is None:
        return None
    return Restored(file.as_read(), f"{path.name} {what}.")


class RestoredMemory(NamedTuple):
    """What a memory's own file holds once it is merged, and a sentence on what it was."""

    record: RawRecord
    message: str


def restore_memory(path: Path, data: bytes) -> RestoredMemory | None:
    """The memory of a file of its own that two branches edited; `None` where there is none.

    Raises `Unreadable` where that is more than is merged.
    """
    try:
        laid = as_issue_file(data, path.name)
    except Unreadable:
        return None
    if has_markers(data):
        file = _of_conflict(path, laid, _read_memory)
    else:
        file = _of_lines(laid, broken=True, history=lambda: _history(path, _read_memory))
    if file is None or not file.records:
        return None
    check_versions("" for _ in file.records)
    merged, *others = file.records
    for record in others:
        merged = new_record(merge_records(None, bounded(merged), bounded(record)))
    return RestoredMemory(merged, f"{path.name} was edited on two branches; both texts are kept.")


def as_issue_file(data: bytes, name: str) -> bytes:
    """A memory's own file, in conflict or not, as an issue file that holds it alone."""
    lines = decode(data, name).strip().splitlines(keepends=True)
    shifted = (line if is_marker(line) else f"    {line}" for line in lines)
    text = '{\n  "version": 1,\n  "observations": [\n' + "".join(shifted) + "\n  ]\n}\n"
    return text.encode("utf-8", "surrogatepass")


def read_version(data: bytes, name: str) -> Side:
    """One version of a file, mended where it has to be; of a memory's own file, that memory alone.

    Raises `Unreadable`.
    """
    if names_memory(name):
        return _read_memory(data, name)
    return _read(data, name)


def _read(data: bytes, name: str, *, is_broken: bool = False) -> Side:
    """A version of an issue file; one that `is_broken` by what is known of it says keys twice."""
    file = _of_lines(data, broken=is_broken)
    if file is None:
        try:
            file = parse_issue_file(data, name)
        except Unreadable:
            file = _of_markers(data, name) if has_markers(data) else _of_lines(data, broken=True)
            if file is None:
                raise
    return Side(file.header, file.records)


def _read_memory(data: bytes, name: str) -> Side:
    return _read(as_issue_file(data, name), name, is_broken=may_be_fused_memory(data))


def _of_conflict(path: Path, data: bytes, read: Callable[[bytes, str], Side]) -> IssueFile | None:
    """The versions as git keeps them, merged, and what else stands in the file.

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
    """The versions that the markers hold, merged."""
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


def _history(path: Path, read: Callable[[bytes, str], Side]) -> _Versions | None:
    """The memories of the versions that the last merge of a file was made from, by their ids."""
    versions = merged_versions(path)
    try:
        sides = [
            Side({}, ()) if version is None else read(version, path.name)
            for version in versions or ()
        ]
        return [{str(_id(it)): bounded(it) for it in side.records} for side in sides] or None
    except Unreadable:
        return None


def _of_lines(
    data: bytes, *, broken: bool = False, history: Callable[[], _Versions | None] | None = None
) -> IssueFile | None:
    """A file that a merge of lines made, its fused memories told apart; `None` for any other.

    `broken`: it is one by what is known of it already, and no JSON. `history` gives the versions
    that were merged, where git still has them: from the values alone it can't be told which of two
    memories a key was of that stands once.
    """
    if not broken and not may_be_fused(data):
        return None
    try:
        read = read_lines(decode(data, ""))
    except Unreadable:
        return None
    if read is None:
        return None
    header, objects = read
    return IssueFile(header, _once(map(new_record, _told_apart(objects, history))))


def _told_apart(
    objects: Iterable[Sequence[Pair]], history: Callable[[], _Versions | None] | None
) -> Iterator[dict[str, Any]]:
    """The memories of a file's objects, the fused ones apart. Raises `Unreadable` for too much."""
    keys = 0
    versions: _Versions | None = None
    for pairs in objects:
        fused = is_fused(pairs)
        if fused and history is not None:
            versions, history = history(), None
        known = from_history(pairs, versions) if fused and versions else None
        for one in known or (take_apart(pairs) if fused else [dict(pairs)]):
            keys += len(one)
            if keys > MAX_LINES:  # a key that stands once is each memory's of those fused
                raise Unreadable("The merged file is too large to tell its two sides apart.")
            yield one


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
    """What tells a record from others: its id, or its text."""
    value = record.value
    identifier = value.get("id") if isinstance(value, dict) else None
    return identifier if isinstance(identifier, str) else record.text
