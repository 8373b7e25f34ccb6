"""A change to several files of one issue, made in one instant.

Once the change is kept in `pending/`, it holds, although the files are yet to be written: whoever
reads the issue reads it over them, and after a crash the next change of the issue writes them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from store.backends.files.layout import (
    GITIGNORE,
    IGNORE_ALL,
    PENDING,
    issue_of,
    issue_of_folder,
    pending_name,
)
from store.backends.pending import FileChanges, PendingChange
from store.errors import StoreError, Unreadable
from store.platform.write import make_folder, replace_derived, sync_folder, write_error


def read_pending(folder: Path, issue: int) -> dict[str, bytes | None]:
    """Return the change to an issue that is not written to its files yet; empty for none.

    Raises `Unreadable`.
    """
    name = pending_name(issue)
    files = _pending(folder, issue).read()
    if any(issue_of(file) != issue or file == name for file in files):
        raise Unreadable(f"{name} names files of another issue.", "Run `memtui doctor --repair`.")
    return files


def make_changes(folder: Path, issue: int, changes: FileChanges) -> None:
    """Change several files of an issue in one instant, durably once this returns.

    Raises `ReadOnly` and `WriteFailed`; then nothing is changed.
    """
    place = folder / PENDING
    make_folder(place)
    if not (place / GITIGNORE).exists():
        replace_derived(place / GITIGNORE, IGNORE_ALL, folder)
    texts = {
        name: None if data is None else data.decode("utf-8", "surrogatepass")
        for name, data in changes.items()
    }
    _pending(folder, issue).keep(texts)
    # Kept, the change is made. A file that can't be written now is written by the next change.
    with suppress(StoreError):
        _write(folder, issue, changes)


def complete(folder: Path, issue: int) -> None:
    """Write what an interrupted change left to be written. Raises as writing does."""
    place = folder / PENDING
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


def _pending(folder: Path, issue: int) -> PendingChange[bytes | None]:
    return PendingChange(folder, pending_name(issue), _parsed)


def _parsed(text: object) -> bytes | None:
    return None if text is None else str(text).encode("utf-8", "surrogatepass")


def _write(folder: Path, issue: int, changes: FileChanges) -> None:
    _pending(folder, issue).finish(changes)
    remove_empty(folder, changes)
