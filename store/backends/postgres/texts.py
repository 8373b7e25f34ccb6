"""The named texts of a memory, in a database: a row a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from store.backends.postgres.connections import Connections
from store.backends.text_kinds import TextKind, check_text_name, expired_before
from store.errors import NotFound

_KEEP = """
    insert into memtui.texts (project, kind, name, data, kept_at, change)
    values (%s, %s, %s, %s, %s, nextval('memtui.changes'))
    on conflict (project, kind, name) do update set
        data = excluded.data, kept_at = excluded.kept_at, change = excluded.change
"""


class PostgresTexts:
    """The named texts of one project. Safe to share between threads."""

    def __init__(
        self, connections: Connections, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._connections = connections
        self._clock = clock or (lambda: datetime.now(UTC))

    def keep(
        self, kind: TextKind, name: str, data: bytes, *, durable: bool = True, private: bool = False
    ) -> None:
        check_text_name(kind, name)
        with self._connections.writing(durable=durable) as connection:
            values = (self._connections.project, kind, name, data, self._clock())
            connection.execute(_KEEP, values)

    def read(self, kind: TextKind, name: str) -> bytes:
        check_text_name(kind, name)
        rows = self._connections.rows(
            "select data from memtui.texts "
            "where project = %(project)s and kind = %(kind)s and name = %(name)s",
            kind=kind,
            name=name,
        )
        if not rows:
            raise NotFound(f"{name!r} not found in {kind}.", "It may have expired.")
        return bytes(rows[0][0])

    def names(self, kind: TextKind) -> list[str]:
        return list(self.stamps(kind))

    def stamps(self, kind: TextKind) -> Mapping[str, str]:
        return dict(
            self._connections.rows(
                "select name, change::text from memtui.texts "
                "where project = %(project)s and kind = %(kind)s",
                kind=kind,
            )
        )

    def remove(self, kind: TextKind, name: str) -> None:
        self._remove(kind, [name])

    def expire(
        self, kind: TextKind, now: datetime, keep: timedelta, most: int, newest: str
    ) -> None:
        rows = self._connections.rows(
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
            self._remove(kind, gone)

    def _remove(self, kind: TextKind, names: list[str]) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "delete from memtui.texts where project = %s and kind = %s and name = any(%s)",
                (self._connections.project, kind, names),
            )
