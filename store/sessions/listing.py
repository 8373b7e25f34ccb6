"""The sessions of a project in one list: those that are kept, and those that were only found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from store.agents.client import SessionFile
from store.agents.compressed import plain_path
from store.search.fields import FIELDS
from store.search.query import Filter, Query
from store.sessions.documents import ended
from store.sessions.model import SessionDigest


class Listed(NamedTuple):
    """A session of the list. `digest` is None until its file was read; `file` is None where that
    is read already, or gone. `at` is when it ended, or its file was written last.
    """

    id: str
    at: datetime
    digest: SessionDigest | None = None
    file: SessionFile | None = None


class Listing:
    """The sessions of a list, with the digests of files that were read for it alone.

    A file that changes is read again.
    """

    def __init__(self, found: Sequence[Listed] = ()) -> None:
        self.found = found
        self._read: dict[tuple[str, int, float], SessionDigest | None] = {}

    @property
    def waiting(self) -> list[SessionFile]:
        """Files that are not indexed as they are now."""
        return [row.file for row in self.found if row.file is not None]

    @property
    def unreadable(self) -> set[SessionFile]:
        return {file for file in self.waiting if self._read.get(_state_of(file), ...) is None}

    def has_read(self, file: SessionFile) -> bool:
        return _state_of(file) in self._read

    def add(self, file: SessionFile, digest: SessionDigest | None) -> None:
        """Keep the digest of a file for the list; None for one that can't be read."""
        self._read[_state_of(file)] = digest

    def sessions(self) -> list[Listed]:
        """Return all sessions, with what was read of their files; without empty ones."""
        rows = []
        for row in self.found:
            if row.file is not None and (digest := self._read.get(_state_of(row.file))) is not None:
                row = row._replace(digest=digest, at=ended(digest))
            if row.digest is None or row.digest.messages or row.digest.asked:
                rows.append(row)
        return rows


def _state_of(file: SessionFile) -> tuple[str, int, float]:
    return str(file.path), file.size, file.modified.timestamp()


def listed(kept: Iterable[SessionDigest], waiting: Sequence[SessionFile]) -> list[Listed]:
    """Return all sessions, newest first: a file that is to be read replaces what was kept of it."""
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


def narrowed(rows: Iterable[Listed], query: Query) -> list[Listed]:
    """Return the sessions that a query's filters name; its words are not looked at."""
    return [row for row in rows if row.digest is not None and matches_query(row.digest, query)]


def matches_query(digest: SessionDigest, query: Query) -> bool:
    at = ended(digest)
    if query.after is not None and at < query.after:
        return False
    if query.before is not None and at >= query.before:
        return False
    return all(_matches_filter(digest, item) is not item.negated for item in query.filters)


def _matches_filter(digest: SessionDigest, wanted: Filter) -> bool:
    field = FIELDS[wanted.field]
    held = [text for name in field.sessions for text in _texts(getattr(digest, name))]
    return any(field.matches(value, held) for value in wanted.values)


def _texts(value: object) -> Iterable[str]:
    return map(str, value) if isinstance(value, Mapping) else [str(value)]
