"""The activity log as rows: its positions count the bytes of all that was ever written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from store.backends.expiry import expired_before
from store.backends.log_summary import SILENT, LogSummary, read_summary, summarise
from store.backends.postgres.connections import Connections
from store.backends.postgres.transaction import ALONE
from store.backends.protocol import LogStamp, Shortened

if TYPE_CHECKING:
    from store.backends.postgres.transaction import Connection, Rows

_PART = 1_000_000
"""Bytes of the log after which more of it is taken into its summary."""
_SLICE = 16_000_000
"""Bytes of the log that are read at once for a whole summary."""
_AT_ONCE = 8_000_000
"""Bytes that are taken into the summary where a session may be waiting."""
_PAGE = 500
_DAY = timedelta(days=1)
_APPEND = f"""
    with log as (
        insert into memtui.logs as log (project, ends)
        select %(project)s, %(size)s from {ALONE}
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
_ENDS = "coalesce(ends, 0), coalesce(begins, 0), coalesce(covered, 0)"
_LOG = "from (select) as one left join memtui.logs on project = %s"
"""One row, of a memory without a log too."""
_ASK = f"select {_ENDS} {_LOG}"
_HOLD = f"select {_ENDS}, pg_advisory_xact_lock(%s, %s) {_LOG}"


class ActivityLog:
    """The activity log of one memory."""

    def __init__(self, connections: Connections, clock: Callable[[], datetime]) -> None:
        self._connections = connections
        self._clock = clock
        self._summary = LogSummary()
        self._ended = 0
        """Where the log ended when that was asked last."""
        self._appended = (-1, -1, b"")
        """What was appended here last: where the log ended before and after it, and the entry."""

    def append_activity(self, entry: Mapping[str, Any]) -> bool:
        """Append one entry; whether the log has grown by a part since its last summary.

        A power cut of the server may lose it, as it may lose the last lines of a file.
        """
        line = json.dumps(dict(entry), ensure_ascii=True, separators=(",", ":"))
        size = len(line) + 1
        values = {"size": size, "line": line, "now": self._clock()}
        row = self._connections.once(_APPEND, values)
        end = int(row[0]) if row else 0
        self._appended = end - size, end, line.encode()
        return end // _PART != (end - size) // _PART

    def activity_lines(self, start: int = 0, most: int = -1) -> tuple[list[bytes], int]:
        """The entries after a position; from the beginning where the log is shorter than that."""
        before, end, line = self._appended
        if start == before and end == self._ended and most < 0:
            return [line], end  # all that was appended since is our own
        with self._connections.reading() as connection:
            values = {"project": self._connections.project, "start": start, "most": most}
            rows = connection.execute(_LINES, values).fetchall()
            if not rows and start > self._stamp_by(connection).end:
                values["start"] = start = 0
                rows = connection.execute(_LINES, values).fetchall()
        return [text.encode() for _, text in rows], int(rows[-1][0]) if rows else start

    def activity_backwards(self) -> Iterator[bytes]:
        """The entries, newest first, some hundred at a time."""
        before, rows = self.activity_stamp().end + 1, [(0, "")]
        while rows:
            with self._connections.reading() as connection:
                rows = connection.execute(
                    "select ends, entry::text from memtui.activity "
                    "where project = %s and ends < %s order by ends desc limit %s",
                    (self._connections.project, before, _PAGE),
                ).fetchall()
            for before, text in rows:  # noqa: B007 - the last one is where the next page ends
                yield text.encode()

    def activity_count(self) -> int:
        """How many entries tell of what happened."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "select count(*) from memtui.activity "
                "where project = %s and not starts_with(entry::text, %s)",
                (self._connections.project, SILENT.decode()),
            ).fetchone()
        return int(row[0]) if row else 0

    def activity_stamp(self) -> LogStamp:
        """Where the log ends and begins, and where its summary ends."""
        with self._connections.reading() as connection:
            return self._stamp_by(connection)

    def activity_summary(self, *, complete: bool = False) -> LogSummary:
        """The summary as it was kept last; where it is to be `complete`, to the end of the log."""
        covered = self.activity_stamp().covered
        if covered != self._summary.until:
            with self._connections.reading() as connection:
                row = connection.execute(
                    "select summary from memtui.logs where project = %s",
                    (self._connections.project,),
                ).fetchone()
            self._summary = read_summary(bytes(row[0])) if row and row[0] else LogSummary()
        return self._brought_up(-1) if complete else self._summary

    def settle_activity(self, now: datetime, keep: timedelta, most: int) -> Shortened | None:
        """Take more of the log into its summary, then remove what is old or too much of it."""
        self.activity_summary()
        covered = self._brought_up(_AT_ONCE).until
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

    def _brought_up(self, most: int) -> LogSummary:
        """The summary with about `most` bytes more of the log taken in, and kept where it may."""
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

    def _stamp_by(self, connection: Connection) -> LogStamp:
        """Where the log ends and begins, and where its summary ends, as a connection is told."""
        return self._stamp_of(connection.execute(_ASK, (self._connections.project,)))

    def _hold(self, connection: Connection, issue: int) -> Rows:
        """Hold an issue, and ask in the same question where the log ends."""
        project = self._connections.project
        return connection.execute(_HOLD, (project, issue, project))

    def _stamp_of(self, rows: Rows) -> LogStamp:
        """The answer to where the log ends."""
        (ends, begins, covered, *_) = rows.fetchone() or (0, 0, 0)
        self._ended = int(ends)
        return LogStamp(self._ended, "", int(begins), int(covered))
