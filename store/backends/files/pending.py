"""A change to several files of one issue, made in one instant.

What each file is to hold is first written durably to one file, and from then on it holds: whoever
reads the issue reads it over the others. Then each file is written, and it is removed. A crash in
between loses nothing: the next who changes the issue goes on where it ended.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from store.backends.files.layout import (
    GITIGNORE,
    IGNORE_ALL,
    issue_of,
    issue_of_folder,
    pending_name,
)
from store.backends.files.memory_files import FileChanges
from store.errors import StoreError, Unreadable
from store.platform.read import read_bytes
from store.platform.write import (
    make_folder,
    remove_file,
    replace_derived,
    replace_durably,
    replace_several,
    sync_folder,
    write_error,
)


def read_pending(folder: Path, issue: int) -> dict[str, bytes | None]:
    """Return the change to an issue that is not written to its files yet; empty where there is
    none.

    Raises `Unreadable`.
    """
    name = pending_name(issue)
    try:
        value = json.loads(read_bytes(folder / name, folder))
        files = {
            str(file): None if text is None else str(text).encode("utf-8", "surrogatepass")
            for file, text in value["files"].items()
        }
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unreadable(f"{name} is damaged.", "Run `memtui doctor --repair`.") from error
    if any(issue_of(file) != issue or file == name for file in files):
        raise Unreadable(f"{name} names files of another issue.", "Run `memtui doctor --repair`.")
    return files


def make_changes(folder: Path, issue: int, changes: FileChanges) -> None:
    """Change several files of an issue in one instant, durably once this returns.

    Raises `ReadOnly` and `WriteFailed`; then nothing is changed.
    """
    path = folder / pending_name(issue)
    make_folder(path.parent)
    ignore = path.with_name(GITIGNORE)
    if not ignore.exists():
        replace_derived(ignore, IGNORE_ALL, folder)
    texts = {
        name: None if data is None else data.decode("utf-8", "surrogatepass")
        for name, data in changes.items()
    }
    replace_durably(path, json.dumps({"version": 1, "files": texts}).encode("ascii"), folder)
    # It holds by now. Where a file can't be written, the next change of the issue goes on.
    with suppress(StoreError):
        _write(folder, issue, changes)


def complete(folder: Path, issue: int) -> None:
    """Write what an interrupted change left to be written. Raises as writing does."""
    place = (folder / pending_name(issue)).parent
    if not place.is_dir():
        return
    if changes := read_pending(folder, issue):
        _write(folder, issue, changes)
        return
    try:
        # One that was removed shortly before a crash must not come back over what follows.
        sync_folder(place)
    except OSError as error:
        raise write_error(place, error) from error


def remove_empty(folder: Path, changes: FileChanges) -> None:
    """Remove the folders of memories that changes left empty."""
    for place in {name.rpartition("/")[0] for name, data in changes.items() if data is None}:
        if issue_of_folder(place) is not None:
            with suppress(OSError):  # it holds others still
                os.rmdir(folder / place)


def _write(folder: Path, issue: int, changes: FileChanges) -> None:
    for place in dict.fromkeys((folder / name).parent for name in changes):
        make_folder(place)
    replace_several({folder / name: data for name, data in changes.items()}, folder)
    remove_file(folder / pending_name(issue), folder)
    remove_empty(folder, changes)
