"""The sessions of a project in one list: those that are kept, and those that were only found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from store.agents.client import SessionFile
from store.agents.compressed import plain_path
from store.sessions.documents import ended
from store.sessions.model import SessionDigest


class Listed(NamedTuple):
    """A session of the list, `at` the time of its end, or when its file was written last.

    `digest` is None until the file was read; `file` is None unless it is still to be indexed.
    """

    id: str
    at: datetime
    digest: SessionDigest | None = None
    file: SessionFile | None = None


def list_sessions(kept: Iterable[SessionDigest], waiting: Sequence[SessionFile]) -> list[Listed]:
    """Return all sessions, newest first; each of the `waiting` files goes to the digest kept of
    an earlier state of it, if there is one.
    """
    by_path = {plain_path(file.path): file for file in waiting}
    by_id = {_id_of(file): file for file in waiting}
    rows = []
    for digest in kept:
        file = by_path.pop(plain_path(digest.path), None) or by_id.get(digest.id)
        if file is not None:
            by_path.pop(plain_path(file.path), None)
        rows.append(Listed(digest.id, ended(digest), digest, file))
    rows += [Listed(_id_of(file), file.modified, None, file) for file in by_path.values()]
    return sorted(rows, key=lambda row: (row.at, row.id), reverse=True)


def _id_of(file: SessionFile) -> str:
    """Return the id of a file's session; most clients name the file by it."""
    return file.session_id or file.path.stem


def waiting_files(rows: Iterable[Listed]) -> list[SessionFile]:
    """Return the files that are not indexed as they are now."""
    return [row.file for row in rows if row.file is not None]


class DigestCache:
    """Digests of files that are listed but not indexed; a file that changes has none again."""

    def __init__(self) -> None:
        self._digests: dict[tuple[str, int, float], SessionDigest | None] = {}

    def add(self, file: SessionFile, digest: SessionDigest | None) -> None:
        """Keep the digest of a file; None for one that can't be read."""
        self._digests[_state_of(file)] = digest

    def has_read(self, file: SessionFile) -> bool:
        return _state_of(file) in self._digests

    def is_unreadable(self, file: SessionFile) -> bool:
        return self._digests.get(_state_of(file), ...) is None

    def complete(self, rows: Iterable[Listed]) -> list[Listed]:
        """Return sessions with the digests of their files, without those that are empty."""
        completed = []
        for row in rows:
            digest = None if row.file is None else self._digests.get(_state_of(row.file))
            if digest is not None:
                row = row._replace(digest=digest, at=ended(digest))
            if row.digest is None or row.digest.messages or row.digest.asked:
                completed.append(row)
        return completed


def _state_of(file: SessionFile) -> tuple[str, int, float]:
    return str(file.path), file.size, file.modified.timestamp()
