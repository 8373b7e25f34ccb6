"""The files of a memory that hold records, by their names: what every start looks at."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from store.backends.files.layout import ARCHIVE, LAYOUT, PENDING, REMOVED, issue_of, issue_of_folder
from store.errors import Unreadable

_RECORDS = frozenset({ARCHIVE, PENDING, REMOVED})
"""The folders of which only records are in."""


def list_issues(folder: Path) -> dict[str, int]:
    """The record files in the store, and the folders of memories that have a file each: the name
    relative to it, and the issue it belongs to. Raises `Unreadable` where a folder can't be listed.
    """
    found: dict[str, int] = {}
    for prefix in ("", f"{ARCHIVE}/", f"{PENDING}/"):
        place = folder / prefix
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
            if issue is None and name[-5:] != ".json":
                issue = issue_of_folder(prefix + name)
            if issue is not None:
                found[prefix + name] = issue
    return found


def list_removed(folder: Path) -> dict[str, int]:
    """The files that say what was removed from an issue, and the issue of each."""
    try:
        names = os.listdir(folder / REMOVED)
    except OSError:
        return {}
    issues = ((name, issue_of(name[:-1])) for name in names if name.endswith(".jsonl"))
    return {f"{REMOVED}/{name}": issue for name, issue in issues if issue is not None}


def other_size(folder: Path) -> int:
    """Bytes of what is kept beside the records: manifest, log, sessions, texts, journal."""
    total, places = 0, [str(folder)]
    while places:
        place = places.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue
        for entry in entries:
            name = entry.path[len(str(folder)) + 1 :]
            if entry.is_dir(follow_symlinks=False):
                places += (
                    [] if name in _RECORDS or issue_of_folder(name) is not None else [entry.path]
                )
            elif issue_of(name) is None and name != LAYOUT and not entry.name.startswith("."):
                with suppress(OSError):  # gone meanwhile
                    total += entry.stat(follow_symlinks=False).st_size
    return total
