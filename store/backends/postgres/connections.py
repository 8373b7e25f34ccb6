"""Connections to a database: kept for the next question, one transaction at a time in a thread.

psycopg's own pool starts threads, with which a server of an agent could not fork for its writes,
and tells a database that is away only after a time limit, without the reason.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from store.backends.postgres.address import Address
from store.backends.postgres.faults import AWAY_HINT, read_fault, write_fault
from store.backends.postgres.schema import bring_forward
from store.backends.postgres.transaction import WholeFailed, fail, first_part, part, whole
from store.errors import Away, NoMemory, StoreError, WriteFailed

if TYPE_CHECKING:
    import psycopg

    from store.backends.postgres.transaction import Connection

_NOTHING_OPEN = 0
"""The driver's number for a connection without a transaction."""
_MOST_IDLE = 4
_ASKING_SECONDS = 10.0
"""Seconds in which a database that broke off is asked whether it had committed."""
_PAUSE = 0.2
_REST = 1.0
"""Seconds for which a database that did not answer is not asked again, to read."""


class Connections:
    """The connections of one memory. Safe to share between threads, and after a fork."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._project = 0
        self._idle: list[Connection] = []
        self._lent: set[Connection] = set()
        self._guard = threading.Lock()
        self._held = threading.local()
        self._process = os.getpid()
        self._away = (0.0, "")

    @property
    def is_in_transaction(self) -> bool:
        """Whether this thread is inside a transaction, which sees what it writes itself."""
        return getattr(self._held, "connection", None) is not None

    @property
    def project(self) -> int:
        """The number of the memory's project. A connection must have been made."""
        return self._project

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to ask; inside a transaction of this thread it is that one's.

        Raises `Away` where the database can't be asked now.
        """
        held = getattr(self._held, "connection", None)
        if held is not None:
            yield held
            return
        connection = self._take(writing=False)
        try:
            yield connection
        except self.errors() as error:
            raise self._read_error(error) from error
        finally:
            self._give_back(connection)

    @contextmanager
    def writing(
        self, *, durable: bool = True, apart: bool = True, in_parts: bool = False
    ) -> Iterator[Connection]:
        """A transaction, committed at the end; inside another one, a part of it.

        What need not stand `apart` belongs to the part that it is in, and fails with that;
        `in_parts`, nothing is written beside parts. Where the connection breaks before the commit
        was answered, the database is asked whether it stands. Raises `WriteFailed`, `ReadOnly`,
        `LockTimeout`.
        """
        held = getattr(self._held, "connection", None)
        try:
            if held is not None:
                with self._part(held, apart=apart):
                    yield held
            else:
                with self._outermost(durable, in_parts) as connection:
                    yield connection
        except self.errors() as error:
            raise self._write_error(error) from error

    @contextmanager
    def _outermost(self, durable: bool, in_parts: bool) -> Iterator[Connection]:
        import psycopg

        connection = self._take(writing=True)
        write, is_done = uuid.uuid4(), False
        mark = write if durable else None
        try:
            with whole(connection, mark) as queue:
                self._held.connection, self._held.queue = connection, queue
                self._held.parts = 0
                self._held.first = (
                    partial(first_part, connection, queue, mark) if in_parts else None
                )
                try:
                    yield connection
                finally:
                    self._held.connection = self._held.queue = self._held.first = None
                is_done = True
        except WholeFailed as failed:
            fail(failed)
        except psycopg.OperationalError:
            if not (is_done and durable and connection.broken and self._stands(write)):
                raise
        finally:
            self._give_back(connection)

    @contextmanager
    def _part(self, connection: Connection, *, apart: bool) -> Iterator[None]:
        if self._held.parts and not apart:
            yield
            return
        first, self._held.first = self._held.first, None
        self._held.parts += 1
        try:
            with first() if first else part(connection, self._held.queue, self._held.parts):
                yield
        finally:
            self._held.parts -= 1

    def once(self, statement: str, values: Mapping[str, object]) -> tuple[Any, ...] | None:
        """The row of one statement that selects from `ALONE`, in one message to the server.

        A transaction by itself, which a power cut of the server may lose, or what holds for the
        one that it is in. `project` stands in its values too. Raises as `writing`.
        """
        if self.is_in_transaction:
            with self.writing() as connection:
                given = {**values, "project": self._project, "commit": None}
                return connection.execute(statement, given).fetchone()
        import psycopg

        connection = self._take(writing=True)
        try:
            given = {**values, "project": self._project, "commit": "off"}
            return connection.execute(statement, given, prepare=True).fetchone()
        except psycopg.Error as error:
            raise self._write_error(error) from error
        finally:
            self._give_back(connection)

    def _stands(self, write: uuid.UUID) -> bool:
        """Whether a write was committed, asked of a database that may just be coming back.

        Raises `WriteFailed` where it does not answer.
        """
        until = time.monotonic() + _ASKING_SECONDS
        while True:
            try:
                connection = self._take(writing=True, fresh=True)
                break
            except WriteFailed as error:
                if time.monotonic() > until:
                    raise WriteFailed(
                        f"The connection to {self.address.shown} broke while memory was written. "
                        "It is not known whether the write was kept.",
                        "Check it once the database is back, before you try again.",
                    ) from error
                time.sleep(_PAUSE)
        try:
            # The old connection's server may still be at it: it holds the row until it is done.
            with connection.transaction():
                row = connection.execute(
                    "insert into memtui.writes (write) values (%s) on conflict do nothing "
                    "returning write",
                    (write,),
                ).fetchone()
            return row is None
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close what is idle, and what is asked just now once that is done.

        Who asks again connects again.
        """
        with self._guard:
            idle, self._idle, self._lent = self._idle, [], set()
        if self._process == os.getpid():
            for connection in idle:
                with suppress(Exception):
                    connection.close()

    def connect(self, *, autocommit: bool = True) -> Connection:
        """A connection of its own. Raises the driver's errors, and `NoMemory` without a driver."""
        driver = self._driver()
        connection: Connection = driver.connect(self.address.url, autocommit=autocommit)
        return connection

    def _take(self, *, writing: bool, fresh: bool = False) -> Connection:
        """An idle connection that is still open, or a new one."""
        if self._process != os.getpid():
            self._process, self._idle, self._lent = os.getpid(), [], set()
        while not fresh:
            with self._guard:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                break
            if _is_alive(connection):
                return self._lend(connection)
            connection.close()
        until, said = self._away
        if not writing and time.monotonic() < until:
            raise Away(said, AWAY_HINT)
        try:
            connection = self._connect_prepared()
        except self.errors() as error:
            raise (self._write_error if writing else self._read_error)(error) from error
        self._away = (0.0, "")
        return self._lend(connection)

    def _lend(self, connection: Connection) -> Connection:
        with self._guard:
            self._lent.add(connection)
        return connection

    def _connect_prepared(self) -> Connection:
        with ExitStack() as unless_prepared:
            connection = self.connect()
            unless_prepared.callback(connection.close)
            self._prepare(connection)
            unless_prepared.pop_all()
        return connection

    def _prepare(self, connection: Connection) -> None:
        """Have the tables and the project there."""
        if self._project:
            return
        bring_forward(connection, self.address.shown)
        name = (self.address.project,)
        ask = "select project from memtui.projects where name = %s"
        row = connection.execute(ask, name).fetchone()
        if row is None:
            add = "insert into memtui.projects (name) values (%s) on conflict do nothing"
            connection.execute(add, name)
            row = connection.execute(ask, name).fetchone()
        assert row is not None
        self._project = int(row[0])

    def _give_back(self, connection: Connection) -> None:
        with self._guard:
            is_kept = connection in self._lent and self._process == os.getpid()
            self._lent.discard(connection)
            if connection.closed or connection.broken:
                return
            is_kept = is_kept and connection.pgconn.transaction_status == _NOTHING_OPEN
            if is_kept and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    @staticmethod
    def _driver() -> Any:  # noqa: ANN401 - a module
        try:
            import psycopg
        except ImportError as error:
            raise NoMemory(
                "Memory in PostgreSQL needs psycopg, which is not installed.",
                "Install memtui[postgres].",
            ) from error
        return psycopg

    def errors(self) -> type[psycopg.Error]:
        """What the driver raises. Raises `NoMemory` without a driver."""
        errors: type[psycopg.Error] = self._driver().Error
        return errors

    def _read_error(self, error: psycopg.Error) -> StoreError:
        said = read_fault(error, self.address)
        if isinstance(said, Away):
            self._away = (time.monotonic() + _REST, said.message)
        return said

    def _write_error(self, error: psycopg.Error) -> StoreError:
        return write_fault(error, self.address)


def _is_alive(connection: Connection) -> bool:
    """Whether the server still holds a connection that was idle, as far as the system knows."""
    import select

    if connection.closed:
        return False
    try:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
        return not poll.poll(0)
    except Exception:  # noqa: BLE001 - whatever it is, it is not to be used
        return False
