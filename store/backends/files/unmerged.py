"""Files that git holds in conflict although no marker stands in them: they have one side alone.

So `git checkout --ours` leaves them, and an attribute that has git merge no lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from store.backends.files.conflicted import read_version
from store.backends.files.issue_file import IssueFile, dump_issue_file
from store.backends.files.layout import is_memory, issue_of
from store.backends.files.memory_files import dump_memory
from store.disk.read import read_bytes
from store.errors import Unreadable
from store.git_command import ask_git, find_repository, unmerged_versions
from store.merge.files import Side, merge_files
from store.merge.signs import has_markers


def one_sided(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Such files by their names relative to the memory, each with what it holds once it is merged.

    What was changed in one since stays. Asks git.
    """
    if find_repository(folder) is None:
        return
    said = ask_git(folder, ["ls-files", "-uz", "--", "."]) or b""
    names = {line.rpartition(b"\t")[2].decode("utf-8", "replace") for line in said.split(b"\0")}
    for name in sorted(names):
        if issue_of(name) is not None and (merged := _merged(folder, name)) is not None:
            yield name, merged


def _merged(folder: Path, name: str) -> bytes | None:
    """What a file holds once it is merged; `None` where it does already, or has two sides."""
    try:
        data = read_bytes(folder / name, folder)
        versions = None if has_markers(data) else unmerged_versions(folder / name)
        if versions is None or versions[1] is None or versions[2] is None:
            return None
        base = None if versions[0] is None else read_version(versions[0], name)
        ours, theirs = (read_version(it, name) for it in versions[1:] if it is not None)
        merged = merge_files(base, ours, theirs)
        here = read_version(data, name)
        whole = merge_files(ours, Side(merged.header, merged.records), here)
    except (FileNotFoundError, Unreadable):
        return None
    if {it.text for it in whole.records} <= {it.text for it in here.records}:
        return None
    if not is_memory(name):
        return dump_issue_file(IssueFile(whole.header, whole.records))
    return dump_memory(whole.records[0]) if len(whole.records) == 1 else None
