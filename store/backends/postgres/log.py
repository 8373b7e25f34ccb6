"""The activity log in a database: a row an entry, its summary in the project's row of logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from store.backends.log_summary import SILENT, LogSummary, read_summary, summarise
from store.backends.postgres.connections import Connections
from store.backends.protocol import Log, LogStamp
from store.backends.text_kinds import expired_before

_DAY = timedelta(days=1)
_PART = 1_000_000
"""Bytes of the log after which more of it goes into its summary."""
_SLICE = 16_000_000
"""Bytes of the log that are read at once for a whole summary."""
_AT_ONCE = 8_000_000
"""Bytes that go into the summary where a session may be waiting."""
_PAGE = 500
"""Entries of the log that are read at once, newest first."""
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


class PostgresLog:
    """The activity log of one project. Safe to share between threads."""

    earlier: Log | None = None

    def __init__(
        self, connections: Connections, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._connections = connections
        self._clock = clock or (lambda: datetime.now(UTC))
        self._summary = LogSummary()

    def append(self, entry: Mapping[str, Any]) -> bool:
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

    def lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        rows = self._connections.rows(_LINES, start=start, most=most)
        if not rows and start > self.stamp().end:
            return self.lines(0, most)
        return [text.encode() for _, text in rows], int(rows[-1][0]) if rows else start

    def backwards(self) -> Iterator[bytes]:
        before, rows = self.stamp().end + 1, [(0, "")]
        while rows:
            rows = self._connections.rows(
                "select ends, entry::text from memtui.activity where project = %(project)s "
                "and ends < %(before)s order by ends desc limit %(page)s",
                before=before,
                page=_PAGE,
            )
            for before, text in rows:  # noqa: B007 - the last one is where the next page ends
                yield text.encode()

    def count(self) -> int:
        ((number,),) = self._connections.rows(
            "select count(*) from memtui.activity "
            "where project = %(project)s and not starts_with(entry::text, %(silent)s)",
            silent=SILENT.decode(),
        )
        return int(number)

    def stamp(self) -> LogStamp:
        rows = self._connections.rows(
            "select ends, begins, covered from memtui.logs where project = %(project)s"
        )
        ends, begins, covered = rows[0] if rows else (0, 0, 0)
        return LogStamp(int(ends), "", int(begins), int(covered))

    def summary(self, *, complete: bool = False) -> LogSummary:
        if self.stamp().covered != self._summary.until:
            rows = self._connections.rows(
                "select summary from memtui.logs where project = %(project)s"
            )
            found = bool(rows and rows[0][0])
            self._summary = read_summary(bytes(rows[0][0])) if found else LogSummary()
        return self._extended(-1) if complete else self._summary

    def settle(self, now: datetime, keep: timedelta, most: int) -> int:
        self.summary()
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
        return len(removed)

    def _extended(self, most: int) -> LogSummary:
        """The summary with about `most` bytes more of the log in it, kept where it may be."""
        summary = self._summary
        begun = start = summary.until
        while most < 0 or start - begun < most:
            lines, end = self.lines(start, _SLICE if most < 0 else most)
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
