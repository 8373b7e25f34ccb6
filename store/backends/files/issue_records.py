"""What the files of one issue hold, read together: its own, the recovered one and the archive."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from store.backends.files.issue_file import IssueFile, parse_issue_file
from store.backends.files.layout import (
    ARCHIVE,
    archive_name,
    issue_name,
    issue_of,
    recovered_name,
)
from store.backends.issue_records import IssueRecords, See, check_read
from store.disk import read_bytes
from store.errors import Unopened, Unreadable
from store.merge.signs import may_be_fused, may_be_merged
from store.model import Problem, Shelf


@dataclass(slots=True)
class FileRecords(IssueRecords):
    """The files of one issue, taken apart, by their names relative to the store."""

    parts: dict[str, IssueFile] = field(default_factory=dict)

    def part_for_new(self, shelf: Shelf) -> str:
        """The name of the file that takes a new record; an unreadable one is never written over."""
        name = archive_name(self.issue)
        if shelf is Shelf.ISSUE:
            name = issue_name(self.issue)
            if name in self.unreadable:
                name = recovered_name(self.issue)
        if name in self.unreadable:
            check_read(self, shelf)
        self.parts.setdefault(name, IssueFile({"version": 1, "issueNumber": self.issue}))
        return name


def read_issue(folder: Path, issue: int, see: See | None = None) -> FileRecords:
    """Read all files of an issue. Never raises for what is in them: that becomes `problems`.

    With `see`, which is shown each file's records as `parse_issue_file` does, a file may stay in
    one piece until they are wanted: to add to it.
    """
    result = FileRecords(issue)
    for name in (issue_name(issue), recovered_name(issue), archive_name(issue)):
        try:
            result.parts[name], problem = _read_file(folder, name, see)
            result.problems += problem
        except FileNotFoundError:
            continue
        except Unreadable as error:
            result.unreadable.add(name)
            if isinstance(error, Unopened):
                result.unopened.add(name)
            result.problems.append(Problem(name, error.message))
    return result


def _read_file(folder: Path, name: str, see: See | None) -> tuple[IssueFile, list[Problem]]:
    """Read one file, restored where a merge of lines broke it; that is a problem, and said."""
    data = read_bytes(folder / name, folder)
    shown = None if see is None else partial(see, name)
    broken = may_be_fused(data)
    if not broken:
        try:
            return parse_issue_file(data, name, shown), []
        except Unreadable:
            if not may_be_merged(data):
                raise
    from store.backends.files.conflicted import restore

    restored = restore(folder / name, data)
    if restored is None:
        return parse_issue_file(data, name, shown), []
    if shown is not None:
        shown(restored.file.values())
    return restored.file, [Problem(name, restored.message, is_restored=True)]


def list_issues(folder: Path) -> dict[str, int]:
    """The record files in the store: name relative to it, and the issue it belongs to.

    Raises `Unreadable` where a folder can't be listed.
    """
    found: dict[str, int] = {}
    for prefix, place in (("", folder), (f"{ARCHIVE}/", folder / ARCHIVE)):
        try:
            names = os.listdir(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise Unreadable(
                f"The folder {place} can't be listed: {error.strerror}.", "Check its permissions."
            ) from error
        for name in names:
            issue = issue_of(prefix + name)
            if issue is not None:
                found[prefix + name] = issue
    return found
