"""The files of a memory that hold records, by their names: what every start looks at."""

from __future__ import annotations

import os
from pathlib import Path

from store.backends.files.layout import ARCHIVE, PENDING, REMOVED, issue_of, issue_of_folder
from store.errors import Unreadable


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
