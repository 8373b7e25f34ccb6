"""Three versions of one file of the store, as git hands them to a merge driver, made into one."""

from __future__ import annotations

from typing import NamedTuple

from store.backends.files.conflicted import read_version
from store.backends.files.issue_file import IssueFile, dump_issue_file
from store.backends.files.layout import MANIFEST, is_memory_path
from store.backends.files.memory_files import dump_memory
from store.errors import Unreadable
from store.merge.files import Merged, Side, merge_files, merge_headers
from store.platform.json_fields import object_in
from store.records import as_json


class MergedVersions(NamedTuple):
    """The bytes of a merged file; `merged` has what became of the memories of an issue file."""

    data: bytes
    merged: Merged | None = None


def merge_versions(base: bytes, ours: bytes, theirs: bytes, name: str) -> MergedVersions:
    """Merge three versions of an issue file, its archive or a session; an empty base is none.

    Of the manifest, which is derived, ours stays; it is built anew when it is next used. Raises
    `Unreadable` where a version is none of these.
    """
    if name.rpartition("/")[2] == MANIFEST:
        return MergedVersions(ours)
    try:
        sides = [None if not data.strip() else read_version(data, name) for data in (base, ours)]
        merged = merge_files(sides[0], sides[1] or Side({}, ()), read_version(theirs, name))
    except Unreadable:
        objects = [object_in(data) for data in (base.strip() or b"{}", ours, theirs)]
        if not all(objects[1:]) or not _are_sessions(objects):
            raise
        return MergedVersions(as_json(merge_headers(*objects)) + b"\n")
    if is_memory_path(name) and len(merged.records) == 1:
        return MergedVersions(dump_memory(merged.records[0]), merged)
    if is_memory_path(name):
        raise Unreadable(f"{name} is a different memory on each side.")
    return MergedVersions(dump_issue_file(IssueFile(merged.header, merged.records)), merged)


def _are_sessions(objects: list[dict[str, object]]) -> bool:
    return not any("observations" in value for value in objects)
