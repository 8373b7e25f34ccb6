"""Errors of a store that can't be written, whichever of its files was tried first."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from store.backends import Location, shown_location
from store.errors import ReadOnly

if TYPE_CHECKING:
    from store import Memory

_HINT = "You can still search and view it."


def check_writable(memory: Memory) -> None:
    """Raise `ReadOnly` where a change would be refused, before a user is asked about it."""
    if not memory.state().writable:
        raise ReadOnly(f"The memory in {shown_location(memory.location)} can't be written.", _HINT)


@contextmanager
def name_store(folder: Location) -> Iterator[None]:
    """Have `ReadOnly` name the store, where a file of it may not be written."""
    try:
        yield
    except ReadOnly as error:
        refused = error.__cause__
        if not isinstance(refused, OSError) or not _is_in(refused.filename, folder):
            raise
        because = "disk is read-only" if refused.errno == errno.EROFS else "permissions forbid it"
        raise ReadOnly(
            f"The memory in {folder} can't be written: its {because}.",
            _HINT,
        ) from refused


def _is_in(name: object, folder: Location) -> bool:
    if not isinstance(folder, Path) or not isinstance(name, str | bytes):
        return False
    path, ledgers = Path(os.fsdecode(name)), folder.parent / "state"  # of clarifications
    return path.is_relative_to(folder) or path.is_relative_to(ledgers)
