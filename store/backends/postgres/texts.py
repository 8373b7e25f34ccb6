"""Named texts as rows: operations, injections, sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from store.backends.expiry import expired_before
from store.backends.postgres.connections import Connections
from store.backends.text_kinds import TextKind, check_text_name
from store.errors import NotFound

_KEEP = """
    insert into memtui.texts (project, kind, name, data, kept_at, change)
    values (%s, %s, %s, %s, %s, nextval('memtui.changes'))
    on conflict (project, kind, name) do update set
        data = excluded.data, kept_at = excluded.kept_at, change = excluded.change
"""
_KEEP_NEWEST = """
    insert into memtui.texts (project, kind, name, data, kept_at, change)
    select project, kind, %(name)s, %(data)s, %(now)s, nextval('memtui.changes') from (
        select project, kind, name from memtui.texts
            where project = %(project)s and kind = %(kind)s order by name desc limit 1
    ) as newest where newest.name >= %(since)s and newest.name < %(before)s returning name
"""


class NamedTexts:
    """The named texts of one memory."""

    def __init__(self, connections: Connections, clock: Callable[[], datetime]) -> None:
        self._connections = connections
        self._clock = clock

    def keep(
        self,
        kind: TextKind,
        name: str,
        data: bytes,
        *,
        durable: bool = True,
        private: bool = False,
    ) -> None:
        """Keep a text under its kind and name; who else may read it, the database's roles say."""
        check_text_name(kind, name)
        with self._connections.writing(durable=durable, apart=False) as connection:
            values = (self._connections.project, kind, name, data, self._clock())
            connection.execute(_KEEP, values)

    def keep_newest(
        self,
        kind: TextKind,
        name: str,
        data: bytes,
        between: tuple[str, str],
        *,
        durable: bool = True,
    ) -> bool:
        """Keep a text where the greatest name of its kind is between two: one question for two."""
        check_text_name(kind, name)
        with self._connections.writing(durable=durable, apart=False) as connection:
            values = {
                "project": self._connections.project,
                "kind": kind,
                "name": name,
                "data": data,
                "now": self._clock(),
                "since": between[0],
                "before": between[1],
            }
            return connection.execute(_KEEP_NEWEST, values).fetchone() is not None

    def kept(self, kind: TextKind, name: str) -> bytes:
        """A text by its kind and name."""
        check_text_name(kind, name)
        with self._connections.reading() as connection:
            row = connection.execute(
                "select data from memtui.texts where project = %s and kind = %s and name = %s",
                (self._connections.project, kind, name),
            ).fetchone()
        if row is None:
            raise NotFound(f"{name!r} not found in {kind}.", "It may have expired.")
        return bytes(row[0])

    def names(self, kind: TextKind) -> list[str]:
        """The names of a kind."""
        return list(self.text_stamps(kind))

    def newest(self, kind: TextKind) -> str:
        """The greatest name of a kind, the first of the table's key."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "select name from memtui.texts where project = %s and kind = %s "
                "order by name desc limit 1",
                (self._connections.project, kind),
            ).fetchone()
        return str(row[0]) if row else ""

    def text_stamps(self, kind: TextKind) -> Mapping[str, str]:
        """The names of a kind, each with the number of its last change."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "select name, change::text from memtui.texts where project = %s and kind = %s",
                (self._connections.project, kind),
            ).fetchall()
        return dict(rows)

    def forget(self, kind: TextKind, name: str) -> None:
        """Remove a text, if it is there."""
        self._forget(kind, [name])

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        """Remove texts in the order in which they were kept."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "select name, kept_at, octet_length(data) from memtui.texts "
                "where project = %s and kind = %s order by kept_at desc, change desc",
                (self._connections.project, kind),
            ).fetchall()
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
