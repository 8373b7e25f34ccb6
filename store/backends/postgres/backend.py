"""Memory in a PostgreSQL database: one row a memory, changes in transactions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path

from store.backends.activity import RecallLog
from store.backends.issue_records import IssueRecords, Lookup
from store.backends.location import FOLDER, place_to_start
from store.backends.postgres.address import Address
from store.backends.postgres.connections import Connections
from store.backends.postgres.log import PostgresLog
from store.backends.postgres.records import look_up, read_issues, write_issue
from store.backends.postgres.texts import PostgresTexts
from store.backends.protocol import Changes, Fact, Levels, Stamps
from store.errors import StoreError
from store.model import MAX_ISSUE, check_issue
from store.notice import notice

_ALL = -1
"""In place of an issue: the lock of the memory itself."""
_ISSUES_AT_ONCE = 50
_STAMPS = (
    "select issue, memtui.stamp_of(change, changed_at), size from memtui.issues "
    f"where project = %(project)s and issue between 0 and {MAX_ISSUE} order by change desc"
)


class PostgresBackend:
    finds_ids = True
    levels = Levels()
    files = None

    def __init__(self, address: Address, clock: Callable[[], datetime] | None = None) -> None:
        self._address = address
        self._connections = Connections(address)
        self.log = PostgresLog(self._connections, clock)
        self.texts = PostgresTexts(self._connections, clock)
        self._recalls = RecallLog(self.log)
        self._guard = threading.RLock()

    @property
    def identity(self) -> str:
        return self._address.identity

    @property
    def folder(self) -> Path:
        return place_to_start(Path.cwd()) / FOLDER

    def issues(self) -> set[int]:
        rows = self._connections.rows("select issue from memtui.issues where project = %(project)s")
        return {int(issue) for (issue,) in rows if 0 <= issue <= MAX_ISSUE}

    def read(self, issue: int) -> IssueRecords:
        (records,) = self.read_each([issue])
        return records

    def read_each(self, issues: Sequence[int]) -> Iterator[IssueRecords]:
        asked = list(map(check_issue, issues))
        for at in range(0, len(asked), _ISSUES_AT_ONCE):
            some = asked[at : at + _ISSUES_AT_ONCE]
            with self._connections.reading() as connection:
                records = read_issues(connection, self._connections.project, some)
            yield from records

    @contextmanager
    def changing(self, issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        """Hold an issue in a transaction, and write the rows that changed at its end.

        With a `lookup`, only the rows it asks for are read: those of an issue may be a million.
        """
        check_issue(issue)
        with self._holding(issue), self._connections.writing() as connection:
            project = self._connections.project
            if lookup is None:
                (records,) = read_issues(connection, project, [issue])
            else:
                records = look_up(connection, project, issue, lookup)
            self._recalls.read_on()
            yield records
            self._recalls.fold(records.changed_parts().values())
            write_issue(connection, project, records)

    def locked(self) -> AbstractContextManager[None]:
        return self._holding(_ALL)

    @contextmanager
    def _holding(self, issue: int) -> Iterator[None]:
        with self._guard, self._connections.writing() as connection:
            lock = "select pg_advisory_xact_lock(%s, %s)"
            connection.execute(lock, (self._connections.project, issue))
            yield

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._guard, self._connections.writing():
            yield

    def changes_since(self, known: Stamps) -> Changes:
        rows = self._connections.rows(_STAMPS)
        stamps = {issue: stamp for issue, stamp, _ in rows}
        sizes = {issue: int(size) for issue, stamp, size in rows if known.get(issue) != stamp}
        return Changes(frozenset(sizes.keys() | (known.keys() - stamps.keys())), stamps, sizes)

    def settle(self, issues: Collection[int]) -> bool:
        return False

    def release(self) -> None:
        self._connections.close()

    def size(self) -> int:
        ((size,),) = self._connections.rows(
            "select coalesce(sum(size), 0) from memtui.issues where project = %(project)s"
        )
        return int(size)

    def is_writable(self) -> bool:
        try:
            rows = self._connections.rows(
                "select has_table_privilege('memtui.memories', 'insert') "
                "and not pg_is_in_recovery()"
            )
        except StoreError:
            return False
        return bool(rows and rows[0][0])

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        rows = self._connections.rows(
            "select issue from memtui.issues where project = %(project)s "
            "union select issue from memtui.memories where project = %(project)s"
        )
        for issue in sorted(issue for (issue,) in rows if not 0 <= issue <= MAX_ISSUE):
            yield Fact("invalid-record", f"issue {issue}", notice("odd-rows", issue=issue))
