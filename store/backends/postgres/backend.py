"""Memory in a PostgreSQL database: one row a memory, changes in transactions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from store.backends.activity import RecallLog
from store.backends.issue_records import IssueRecords, Lookup
from store.backends.location import FOLDER, place_to_start
from store.backends.postgres.address import Address
from store.backends.postgres.ahead import ahead, in_parts
from store.backends.postgres.connections import Connections
from store.backends.postgres.listener import Listener, Word
from store.backends.postgres.log import ActivityLog
from store.backends.postgres.records import (
    StoredRecords,
    ask_for_ids,
    ask_for_issues,
    ask_for_lookup,
    read_alone,
    read_issues,
    write_issue,
)
from store.backends.postgres.texts import NamedTexts
from store.backends.postgres.touched import touched_since
from store.backends.protocol import NOTHING_KNOWN, Changes, Fact, LogStamp, Stamps
from store.errors import StoreError
from store.model import MAX_ISSUE, check_issue
from store.notice import notice

if TYPE_CHECKING:
    from store.backends.postgres.transaction import Connection

_ALL = -1
"""In place of an issue: the lock of the memory itself."""
_MEMORY = 1_000
"""Bytes that are read of a memory, about."""
_STAMPS = (
    "select issue, memtui.stamp_of(change, changed_at), size, touched <> '{}' "
    f"from memtui.issues where project = %s and issue between 0 and {MAX_ISSUE}"
)
_SIZES = "select issue, size from memtui.issues where project = %s and issue = any(%s)"
_LATELY = "and changed_at > now() - interval '1 hour'"
"""Where a change was told of: what a longer transaction changed is seen when all is asked for."""


class PostgresBackend(ActivityLog, NamedTexts):
    """One project's memory in a database."""

    finds_ids = True
    files = None

    def __init__(self, address: Address, clock: Callable[[], datetime] | None = None) -> None:
        self._address = address
        connections, tells = Connections(address), clock or (lambda: datetime.now(UTC))
        ActivityLog.__init__(self, connections, tells)
        NamedTexts.__init__(self, connections, tells)
        self._recalls = RecallLog(self)
        self._guard = threading.RLock()
        self._listening = threading.Lock()
        self._listener = Listener(connections)
        self._known: Stamps | None = None

    @property
    def identity(self) -> str:
        """The database, who asks it, and the project."""
        return self._address.identity

    @property
    def folder(self) -> Path:
        """The project's that we are in: settings may stand there."""
        return place_to_start(Path.cwd()) / FOLDER

    def issues(self) -> set[int]:
        """The issues that were ever written."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "select issue from memtui.issues where project = %s", (self._connections.project,)
            ).fetchall()
        return {int(issue) for (issue,) in rows if 0 <= issue <= MAX_ISSUE}

    def read(self, issue: int) -> IssueRecords:
        """What the rows of an issue hold."""
        check_issue(issue)
        with self._connections.reading() as connection:
            rows = ask_for_issues(connection, self._connections.project, [issue])
            return read_issues(rows, [issue])[0]

    def read_each(
        self, issues: Sequence[int], known: Stamps = NOTHING_KNOWN
    ) -> Iterator[IssueRecords]:
        """What the rows of some issues hold; those of several small ones are fetched at once, and
        many ahead.

        Of large ones that are known, the rows that changed since.
        """
        asked = list(map(check_issue, issues))
        parts = list(in_parts(asked, self._sizes(asked) if len(asked) > 1 else {}))
        found: Iterator[list[StoredRecords]] = (self._read_part(part, known) for part in parts)
        if len(parts) > 1 and not self._connections.is_in_transaction:
            found = ahead(found)
        return chain.from_iterable(found)

    def _sizes(self, issues: Sequence[int]) -> Mapping[int, int]:
        """Bytes of each issue's texts, about."""
        with self._connections.reading() as connection:
            values = (self._connections.project, list(issues))
            return dict(connection.execute(_SIZES, values, prepare=True).fetchall())

    def _read_part(self, issues: Sequence[int], known: Stamps) -> list[StoredRecords]:
        with self._connections.reading() as connection:
            stamps = {it: known[it] for it in issues if it in known}
            return self._read_some(connection, issues, stamps)

    def _read_some(
        self, connection: Connection, issues: Sequence[int], known: Stamps
    ) -> list[StoredRecords]:
        project = self._connections.project
        touched = touched_since(connection, project, known)
        whole = [it for it in issues if it not in touched]
        if len(whole) == 1:
            read = [read_alone(connection, project, whole[0])]
        else:
            read = read_issues(ask_for_issues(connection, project, whole), whole)
        found = {it.issue: it for it in read}
        for issue, ids in touched.items():
            found[issue] = read_issues(ask_for_ids(connection, project, issue, ids), [issue])[0]
            found[issue].only = ids
        return [found[it] for it in issues]

    @contextmanager
    def changing(self, issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        """Hold an issue in a transaction, and write the rows that changed at its end.

        With a `lookup`, only the rows it asks for are read: those of an issue may be a million.
        """
        check_issue(issue)
        with self._guard, self._connections.writing() as connection:
            log = self._hold(connection, issue)
            if lookup is None:
                rows = ask_for_issues(connection, self._connections.project, [issue])
                records = read_issues(rows, [issue])[0]
            else:
                records = ask_for_lookup(connection, self._connections.project, issue, lookup)
                for name, part in records.parts.items():
                    lookup.on_record(name, part.values())
            self._recalls.read_on(self._stamp_of(log))
            yield records
            records.finish()
            for part in records.parts.values():
                if part.is_changed:
                    self._recalls.fold(part)
            write_issue(connection, self._connections.project, records)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the memory in a transaction: what is kept within is kept at its end, all of it."""
        with self._guard, self._connections.writing() as connection:
            self._hold(connection, _ALL)
            yield

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for all that changes within."""
        with self._guard, self._connections.writing(in_parts=True):
            yield

    def changes_since(self, known: Stamps) -> Changes:
        """Which issues have another number of their last change than `known` says.

        Who asks on is told by the database, whose rows are then compared only after a change.
        """
        if self._connections.is_in_transaction:
            return self._compared(known)
        with self._listening:
            # Asked in any case: what was told up to now is compared now, and not once more later.
            log: list[LogStamp] = []
            word = self._listener.word(lambda line: log.append(self._stamp_by(line)))
            is_same = bool(known) and known == self._known
            if is_same:
                if word is Word.UNCHANGED:
                    return Changes(frozenset(), known, {}, *log)
                self._listener.begin()
            # Where asking fails, what was told meanwhile is not lost: it is asked again.
            self._known = None
            found = self._compared(known, lately=is_same and word is Word.CHANGED)
            self._known = found.stamps
            return found

    def _compared(self, known: Stamps, *, lately: bool = False) -> Changes:
        """What has another stamp than is known; `lately`, of what changed in the last hour."""
        with self._connections.reading() as connection:
            project = self._connections.project
            asked = f"{_STAMPS} {_LATELY if lately else ''} order by change desc"
            rows = connection.execute(asked, (project,), prepare=True).fetchall()
            now = {issue: stamp for issue, stamp, _, _ in rows}
            stamps = {**known, **now} if lately else now
            sizes = {it: int(size) for it, stamp, size, _ in rows if known.get(it) != stamp}
            large = (it for it, _, _, is_large in rows if is_large and it in sizes and it in known)
            touched = touched_since(connection, project, {it: known[it] for it in large})
        sizes |= {issue: len(ids) * _MEMORY for issue, ids in touched.items()}
        return Changes(frozenset(sizes.keys() | (known.keys() - stamps.keys())), stamps, sizes)

    def settle(self, issues: Collection[int]) -> bool:
        """Nothing is derived here: the database keeps its indexes in step."""
        return False

    def size(self) -> int:
        """Bytes of all records' texts, about."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "select coalesce(sum(size), 0) from memtui.issues where project = %s",
                (self._connections.project,),
            ).fetchone()
        return int(row[0]) if row else 0

    def release(self) -> None:
        """Close the connections."""
        with self._listening:
            self._listener.end()
            self._known = None
        self._connections.close()

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        """Rows of issues that none can be: another program's."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "select issue from memtui.issues where project = %(project)s "
                "union select issue from memtui.memories where project = %(project)s",
                {"project": self._connections.project},
            ).fetchall()
        for issue in sorted(it for (it,) in rows if not 0 <= it <= MAX_ISSUE):
            yield Fact("invalid-record", f"issue {issue}", notice("odd-rows", issue=issue))

    def is_writable(self) -> bool:
        """Whether the database may be written, as its role and its server say."""
        try:
            with self._connections.reading() as connection:
                row = connection.execute(
                    "select has_table_privilege('memtui.memories', 'insert') "
                    "and not pg_is_in_recovery()"
                ).fetchone()
        except StoreError:
            return False
        return bool(row and row[0])
