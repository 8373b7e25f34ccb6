"""Clients' SQLite databases, opened to be read, and a session in one: the path `FILE#ID`.

They are never written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from store.agents.client import SessionFile

_NOT_WRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
"""SQLite's error for a log of changes in a folder where it may not write."""
_UNSEEN = "what its client wrote last is in {name}-wal, which can't be read in this folder"

SessionReader = Callable[[Connection, str, str], Iterable[bytes]]
"""The lines of a session, by its id, and with a note of what of it can't be read, empty for
nothing.
"""


@contextmanager
def opened(path: Path) -> Iterator[tuple[Connection, str]]:
    """Open a database to be read, for `with`, and name what of it can't be read; empty for nothing.

    Raises `sqlite3.Error`.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=1)) as database:
        try:
            database.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _NOT_WRITABLE:
                raise
        else:
            yield database, ""
            return
    log = path.with_name(f"{path.name}-wal")
    note = _UNSEEN.format(name=path.name) if log.is_file() and log.stat().st_size else ""
    with closing(sqlite3.connect(f"{address}&immutable=1", uri=True, timeout=1)) as database:
        yield database, note


def rows_in(path: Path, rows: Callable[[Connection], list[Any]]) -> list[Any]:
    """Return the rows that are asked of a database; none where it is missing or can't be read."""
    if not path.is_file():
        return []
    try:
        with opened(path) as (database, _):
            return rows(database)
    except sqlite3.Error:
        return []


def session_in(
    path: Path, client: str, session_id: object, folder: object, modified: datetime, size: int
) -> SessionFile:
    """Return a session of a database: its place is `FILE#ID`."""
    place = path.with_name(f"{path.name}#{session_id}")
    return SessionFile(place, client, modified, size, str(session_id), str(folder))


def session_lines(
    place: Path, matches: Callable[[str], bool], read: SessionReader
) -> AbstractContextManager[Iterable[bytes]] | None:
    """Return a session of a database, `FILE#ID`, as lines; None where the file's name does not
    match. Raises `OSError`.
    """
    file, _, session_id = str(place).rpartition("#")
    path = Path(file)
    if not matches(path.name):
        return None
    if not path.is_file():
        raise FileNotFoundError(2, "file not found", file)
    try:
        with opened(path) as (database, note):
            return nullcontext(list(read(database, session_id, note)))
    except sqlite3.Error as error:
        raise OSError(5, str(error), file) from error
