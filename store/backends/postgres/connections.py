"""Connections to a database: kept for the next question, one transaction at a time in a thread.

The first one makes the tables where there are none, and brings older ones forward. Logins get
rights on one project alone.
"""

from __future__ import annotations

import logging
import select
import threading
import time
import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from store.backends.postgres.address import Address
from store.backends.postgres.faults import AWAY_HINT, LOCK_SECONDS, read_fault, write_fault
from store.errors import Away, NoMemory, NotFound, WriteFailed

Connection = psycopg.Connection[tuple[Any, ...]]
# What fails after an error that is raised, the driver would print on the screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_MOST_IDLE = 4
_ASKING_SECONDS = 10.0
"""Seconds in which a database that broke off is asked whether it had committed."""
_PAUSE = 0.2
_REST = 1.0
"""Seconds for which a database that did not answer is not asked again, to read."""
_BEGIN = (
    f"select set_config('lock_timeout', '{LOCK_SECONDS}s', true), "
    "set_config('synchronous_commit', %s, true)"
)
_MARK = "insert into memtui.writes (write) values (%s) on conflict do nothing returning write"
_GATE = 7_316_894
"""The number of the lock that one holds who makes the tables; any that others don't use."""
_MEMBER = """
    insert into memtui.members (project, login, may_write) values (%s, %s, %s)
    on conflict (project, login) do update set may_write = excluded.may_write
"""


class Connections:
    """The connections of one memory. Safe to share between threads."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._project = 0
        self._idle: list[Connection] = []
        self._held = threading.local()
        self._away = ""
        self._away_until = 0.0

    @property
    def project(self) -> int:
        """The number of the memory's project. A connection must have been made."""
        return self._project

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to ask; inside a transaction of this thread it is that one's.

        Raises `Away` where the database can't be asked now, `Unreadable` where it refuses.
        """
        held = self._transaction
        if held is not None:
            yield held  # what fails here may be what was written before: that is for `writing`
            return
        if time.monotonic() < self._away_until:
            raise Away(self._away, AWAY_HINT)
        try:
            with self._lent() as connection:
                yield connection
        except psycopg.Error as error:
            fault = read_fault(error, self.address)
            if isinstance(fault, Away):
                self._away, self._away_until = fault.message, time.monotonic() + _REST
            raise fault from error

    def rows(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        """Return the answer to a question; `project` is among its values. Raises as `reading`."""
        with self.reading() as connection:
            given = {**values, "project": self._project}
            return connection.execute(statement, given).fetchall()

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """A transaction, committed at the end; inside another one, a savepoint of that.

        Its statements go out in a pipeline: only who reads an answer waits for it. Where the
        connection breaks before the commit was answered, the database is asked whether it was
        kept. Raises `WriteFailed`, `ReadOnly`, `LockTimeout`.
        """
        held = self._transaction
        try:
            if held is not None:
                with held.transaction():
                    yield held
            else:
                with self._outermost(durable) as connection:
                    yield connection
        except psycopg.Error as error:
            raise write_fault(error, self.address) from error

    @property
    def _transaction(self) -> Connection | None:
        connection: Connection | None = getattr(self._held, "connection", None)
        return connection

    @contextmanager
    def _outermost(self, durable: bool) -> Iterator[Connection]:
        write, is_done = uuid.uuid4(), False
        with self._lent() as connection:
            try:
                with connection.pipeline() as pipeline, connection.transaction():
                    connection.execute(_BEGIN, ("on" if durable else "off",))
                    if durable:
                        connection.execute(_MARK, (write,))
                    self._held.connection = connection
                    try:
                        yield connection
                    finally:
                        self._held.connection = None
                    pipeline.sync()
                    status = connection.pgconn.transaction_status
                    if status == psycopg.pq.TransactionStatus.INERROR:
                        # The server would answer a commit by rolling back, without an error.
                        raise psycopg.errors.InFailedSqlTransaction("a statement of it failed")
                    is_done = True
            except psycopg.OperationalError:
                if not (is_done and durable and connection.broken and self._is_kept(write)):
                    raise

    def _is_kept(self, write: uuid.UUID) -> bool:
        """Return whether a write was committed, asked of a database that may just be coming back.

        Raises `WriteFailed` where it does not answer.
        """
        until = time.monotonic() + _ASKING_SECONDS
        while True:
            try:
                with self.connect() as connection:
                    # Waits for the old connection's server, which may still be at it.
                    return connection.execute(_MARK, (write,)).fetchone() is None
            except psycopg.Error as error:
                if time.monotonic() > until:
                    raise WriteFailed(
                        f"The connection to {self.address.shown} broke while memory was written. "
                        "It is not known whether the write was kept.",
                        "Check it once the database is back, before you try again.",
                    ) from error
                time.sleep(_PAUSE)

    def close(self) -> None:
        """Close what is idle. Who asks again connects again."""
        while self._idle:
            with suppress(IndexError, psycopg.Error):
                self._idle.pop().close()

    def connect(self) -> Connection:
        """Return a new connection. Raises the driver's errors."""
        return psycopg.connect(self.address.url, autocommit=True)

    @contextmanager
    def _lent(self) -> Iterator[Connection]:
        """An idle connection that is still open, or a new one; idle again afterwards."""
        connection = self._idle_connection() or self.connect()
        try:
            if not self._project:
                bring_forward(connection, self.address.shown)
                self._project = _project_number(connection, self.address.project)
            yield connection
        finally:
            idle = psycopg.pq.TransactionStatus.IDLE
            is_usable = self._project and connection.pgconn.transaction_status == idle
            if is_usable and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def _idle_connection(self) -> Connection | None:
        while self._idle:
            with suppress(IndexError):
                connection = self._idle.pop()
                if _is_alive(connection):
                    return connection
                connection.close()
        return None


def _project_number(connection: Connection, name: str) -> int:
    ask = "select project from memtui.projects where name = %s"
    row = connection.execute(ask, (name,)).fetchone()
    if row is None:
        add = "insert into memtui.projects (name) values (%s) on conflict do nothing"
        connection.execute(add, (name,))
        row = connection.execute(ask, (name,)).fetchone()
    assert row is not None
    return int(row[0])


def _is_alive(connection: Connection) -> bool:
    """The server still holds an idle connection: its farewell would wait to be read."""
    if connection.closed:
        return False
    watched = select.poll()
    watched.register(connection.fileno(), select.POLLIN)
    return not watched.poll(0)


_VERSIONS = Path(__file__).parent / "versions"


@cache
def versions() -> dict[int, Path]:
    """Return the scripts that bring the tables forward, by the version that each leads to."""
    return {int(path.name[:3]): path for path in sorted(_VERSIONS.glob("[0-9]*.sql"))}


def bring_forward(connection: Connection, shown: str) -> None:
    """Make the tables, or bring them to the version that this program knows.

    Raises `NoMemory` where they are newer.
    """
    newest = max(versions())
    found = version_of(connection)
    if found < newest:
        with connection.transaction():
            connection.execute("select pg_advisory_xact_lock(%s)", (_GATE,))
            found = version_of(connection)
            if not found:
                connection.execute("create schema if not exists memtui")
            for version, path in versions().items():
                if version > found:
                    connection.execute(path.read_text("utf-8"))
                    connection.execute(
                        "insert into memtui.versions (version) values (%s)", (version,)
                    )
    if found > newest:
        raise NoMemory(
            f"The memory in {shown} was made by a newer memtui (its tables are version {found}, "
            f"this one knows {newest}).",
            "Upgrade memtui.",
        )


def version_of(connection: Connection) -> int:
    # Not `to_regclass`: within a transaction it goes on answering as before another one's.
    there = connection.execute(
        "select from pg_tables where schemaname = 'memtui' and tablename = 'versions'"
    ).fetchone()
    if there is None:
        return 0
    row = connection.execute("select max(version) from memtui.versions").fetchone()
    return int(row[0] or 0) if row else 0


_RIGHTS = Path(__file__).with_name("rights.sql")


def give_rights(address: Address, readers: Collection[str], writers: Collection[str]) -> None:
    """Let logins read, or read and write, the project of an address, and no other.

    All or nothing. Raises `NotFound` for a login that the database has not, and `ReadOnly` where
    who asks owns neither the tables nor may make roles.
    """
    connections = Connections(address)
    try:
        with connections.writing() as connection:
            connection.execute(_RIGHTS.read_text("utf-8"))
            rights = {**dict.fromkeys(readers, False), **dict.fromkeys(writers, True)}
            for login, may_write in rights.items():
                role = connection.execute("select from pg_roles where rolname = %s", (login,))
                if role.fetchone() is None:
                    quoted = login.replace('"', '""')
                    raise NotFound(
                        f"The database {address.shown} has no login {login!r}.",
                        f'Create it first: create role "{quoted}" login;',
                    )
                group = sql.Identifier("memtui_writer" if may_write else "memtui_reader")
                statement = sql.SQL("grant {} to {}").format(group, sql.Identifier(login))
                connection.execute(statement)
                connection.execute(_MEMBER, (connections.project, login, may_write))
    finally:
        connections.close()
