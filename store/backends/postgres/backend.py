"""Memory in a PostgreSQL database: one row a memory, changes in transactions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store.backends.activity import RecallLog
from store.backends.issue_records import IssueRecords, Lookup
from store.backends.location import FOLDER, place_to_start
from store.backends.log_summary import SILENT, LogSummary, read_summary, summarise
from store.backends.postgres.address import Address
from store.backends.postgres.connections import Connections
from store.backends.postgres.records import look_up, read_issues, write_issue
from store.backends.protocol import Changes, Fact, LogStamp, Shortened, Stamps
from store.backends.text_kinds import TextKind, check_text_name, expired_before
from store.errors import NotFound, StoreError
from store.model import MAX_ISSUE, check_issue
from store.notice import notice

_ALL = -1
"""In place of an issue: the lock of the memory itself."""
_ISSUES_AT_ONCE = 50
_DAY = timedelta(days=1)
_PART = 1_000_000
"""Bytes of the log after which more of it goes into its summary."""
_SLICE = 16_000_000
"""Bytes of the log that are read at once for a whole summary."""
_AT_ONCE = 8_000_000
"""Bytes that go into the summary where a session may be waiting."""
_PAGE = 500
"""Entries of the log that are read at once, newest first."""

_STAMPS = (
    "select issue, memtui.stamp_of(change, changed_at), size from memtui.issues "
    f"where project = %s and issue between 0 and {MAX_ISSUE} order by change desc"
)
_APPEND = """
    with log as (
        insert into memtui.logs as log (project, ends) values (%(project)s, %(size)s)
        on conflict (project) do update set ends = log.ends + excluded.ends returning ends
    )
    insert into memtui.activity (project, ends, entry, logged_at)
    select %(project)s, ends, %(line)s::json, %(now)s from log returning ends
"""
_LINES = """
    select ends, entry::text from memtui.activity
    where project = %(project)s and ends > %(start)s and (%(most)s < 0 or ends <= greatest(
        %(start)s + %(most)s,
        (select min(ends) from memtui.activity where project = %(project)s and ends > %(start)s)))
    order by ends
"""
_KEEP = """
    insert into memtui.texts (project, kind, name, data, kept_at, change)
    values (%s, %s, %s, %s, %s, nextval('memtui.changes'))
    on conflict (project, kind, name) do update set
        data = excluded.data, kept_at = excluded.kept_at, change = excluded.change
"""


class PostgresBackend:
    finds_ids = True
    files = None

    def __init__(self, address: Address, clock: Callable[[], datetime] | None = None) -> None:
        self._address = address
        self._connections = Connections(address)
        self._clock = clock or (lambda: datetime.now(UTC))
        self._recalls = RecallLog(self)
        self._summary = LogSummary()
        self._guard = threading.RLock()

    @property
    def identity(self) -> str:
        return self._address.identity

    @property
    def folder(self) -> Path:
        return place_to_start(Path.cwd()) / FOLDER

    def issues(self) -> set[int]:
        rows = self._rows("select issue from memtui.issues where project = %(project)s")
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
            records.finish()
            for part in records.parts.values():
                if part.is_changed:
                    self._recalls.fold(part)
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
        with self._connections.reading() as connection:
            rows = connection.execute(_STAMPS, (self._connections.project,)).fetchall()
        stamps = {issue: stamp for issue, stamp, _ in rows}
        sizes = {issue: int(size) for issue, stamp, size in rows if known.get(issue) != stamp}
        return Changes(frozenset(sizes.keys() | (known.keys() - stamps.keys())), stamps, sizes)

    def settle(self, issues: Collection[int]) -> bool:
        return False

    def release(self) -> None:
        self._connections.close()

    def append_activity(self, entry: Mapping[str, Any]) -> bool:
        """Append one entry; whether the log has grown by a part since its last summary.

        A power cut of the server may lose it, as it may lose the last lines of a file.
        """
        line = json.dumps(dict(entry), ensure_ascii=True, separators=(",", ":"))
        size = len(line) + 1
        with self._connections.writing(durable=False) as connection:
            project = self._connections.project
            values = {"project": project, "size": size, "line": line, "now": self._clock()}
            row = connection.execute(_APPEND, values).fetchone()
        end = int(row[0]) if row else 0
        return end // _PART != (end - size) // _PART

    def activity_lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        rows = self._rows(_LINES, start=start, most=most)
        if not rows and start > self.activity_stamp().end:
            return self.activity_lines(0, most)
        return [text.encode() for _, text in rows], int(rows[-1][0]) if rows else start

    def activity_backwards(self) -> Iterator[bytes]:
        before, rows = self.activity_stamp().end + 1, [(0, "")]
        while rows:
            rows = self._rows(
                "select ends, entry::text from memtui.activity where project = %(project)s "
                "and ends < %(before)s order by ends desc limit %(page)s",
                before=before,
                page=_PAGE,
            )
            for before, text in rows:  # noqa: B007 - the last one is where the next page ends
                yield text.encode()

    def activity_count(self) -> int:
        return self._number(
            "select count(*) from memtui.activity "
            "where project = %(project)s and not starts_with(entry::text, %(silent)s)",
            silent=SILENT.decode(),
        )

    def activity_stamp(self) -> LogStamp:
        rows = self._rows(
            "select ends, begins, covered from memtui.logs where project = %(project)s"
        )
        ends, begins, covered = rows[0] if rows else (0, 0, 0)
        return LogStamp(int(ends), "", int(begins), int(covered))

    def activity_summary(self, *, complete: bool = False) -> LogSummary:
        if self.activity_stamp().covered != self._summary.until:
            rows = self._rows("select summary from memtui.logs where project = %(project)s")
            found = bool(rows and rows[0][0])
            self._summary = read_summary(bytes(rows[0][0])) if found else LogSummary()
        return self._extended(-1) if complete else self._summary

    def settle_activity(self, now: datetime, keep: timedelta, most: int) -> Shortened | None:
        self.activity_summary()
        covered = self._extended(_AT_ONCE).until
        with self._connections.writing() as connection:
            project = self._connections.project
            row = connection.execute(
                "select ends from memtui.logs where project = %s for update", (project,)
            ).fetchone()
            used = connection.execute(
                "select max(logged_at) from memtui.activity where project = %s and logged_at < %s",
                (project, now - _DAY),
            ).fetchone()
            last = used[0] if used else None
            before = expired_before(now, [last] if last else [], keep)
            removed = connection.execute(
                "delete from memtui.activity where project = %s and ends <= %s "
                "and (logged_at < %s or ends <= %s) returning ends",
                (project, covered, before, (int(row[0]) if row else 0) - most),
            ).fetchall()
            if removed:
                connection.execute(
                    "update memtui.logs set begins = %s where project = %s",
                    (max(end for (end,) in removed), project),
                )
            connection.execute(
                "delete from memtui.writes where written_at < now() - interval '1 day'"
            )
        return Shortened(len(removed)) if removed else None

    def _extended(self, most: int) -> LogSummary:
        """The summary with about `most` bytes more of the log in it, kept where it may be."""
        summary = self._summary
        begun = start = summary.until
        while most < 0 or start - begun < most:
            lines, end = self.activity_lines(start, _SLICE if most < 0 else most)
            if end == start:
                break
            summary, start = summarise(summary, lines, end), end
        if summary is not self._summary:
            with self._connections.writing() as connection:
                connection.execute(
                    "update memtui.logs set summary = %s, covered = %s "
                    "where project = %s and covered < %s",
                    (summary.text, summary.until, self._connections.project, summary.until),
                )
            self._summary = summary
        return summary

    def keep(
        self,
        kind: TextKind,
        name: str,
        data: bytes,
        *,
        durable: bool = True,
        private: bool = False,
    ) -> None:
        check_text_name(kind, name)
        with self._connections.writing(durable=durable) as connection:
            values = (self._connections.project, kind, name, data, self._clock())
            connection.execute(_KEEP, values)

    def kept(self, kind: TextKind, name: str) -> bytes:
        check_text_name(kind, name)
        rows = self._rows(
            "select data from memtui.texts "
            "where project = %(project)s and kind = %(kind)s and name = %(name)s",
            kind=kind,
            name=name,
        )
        if not rows:
            raise NotFound(f"{name!r} not found in {kind}.", "It may have expired.")
        return bytes(rows[0][0])

    def names(self, kind: TextKind) -> list[str]:
        return list(self.text_stamps(kind))

    def text_stamps(self, kind: TextKind) -> Mapping[str, str]:
        return dict(
            self._rows(
                "select name, change::text from memtui.texts "
                "where project = %(project)s and kind = %(kind)s",
                kind=kind,
            )
        )

    def forget(self, kind: TextKind, name: str) -> None:
        self._forget(kind, [name])

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        rows = self._rows(
            "select name, kept_at, octet_length(data) from memtui.texts "
            "where project = %(project)s and kind = %(kind)s order by kept_at desc, change desc",
            kind=kind,
        )
        most -= sum(size for name, _, size in rows if name == newest)
        rows = [row for row in rows if row[0] != newest]
        before = expired_before(now, (kept_at for _, kept_at, _ in rows), keep)
        gone = []
        for name, kept_at, size in rows:
            most -= size
            if most < 0 or (before is not None and kept_at < before):
                gone.append(name)
        if gone:
            self._forget(kind, gone)

    def _forget(self, kind: TextKind, names: list[str]) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "delete from memtui.texts where project = %s and kind = %s and name = any(%s)",
                (self._connections.project, kind, names),
            )

    def size(self) -> int:
        return self._number(
            "select coalesce(sum(size), 0) from memtui.issues where project = %(project)s"
        )

    def is_writable(self) -> bool:
        try:
            rows = self._rows(
                "select has_table_privilege('memtui.memories', 'insert') "
                "and not pg_is_in_recovery()"
            )
        except StoreError:
            return False
        return bool(rows and rows[0][0])

    def examine(self, ids: Iterable[str], stamp: str) -> Iterator[Fact]:
        rows = self._rows(
            "select issue from memtui.issues where project = %(project)s "
            "union select issue from memtui.memories where project = %(project)s"
        )
        for issue in sorted(issue for (issue,) in rows if not 0 <= issue <= MAX_ISSUE):
            yield Fact("invalid-record", f"issue {issue}", notice("odd-rows", issue=issue))

    def _rows(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        """Return the answer to a question; `project` is among its values."""
        with self._connections.reading() as connection:
            given = {**values, "project": self._connections.project}
            return connection.execute(statement, given).fetchall()

    def _number(self, statement: str, **values: object) -> int:
        ((number,),) = self._rows(statement, **values)
        return int(number)
