"""A transaction whose statements go out as they come: only who reads an answer waits for it.

Each is answered at the end of its part at the latest, so that an error is that of the part; those
of a first part before another one ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import UUID

from store.backends.postgres.faults import LOCK_SECONDS

if TYPE_CHECKING:
    import psycopg
    from psycopg import Pipeline

    Connection = psycopg.Connection[tuple[Any, ...]]
    Rows = psycopg.Cursor[tuple[Any, ...]]

_LOCKS = f"set_config('lock_timeout', '{LOCK_SECONDS}s', true)"
_QUICK = f"select {_LOCKS}, set_config('synchronous_commit', 'off', true)"
_DURABLE = (
    "insert into memtui.writes (write) values (%s) "
    f"returning {_LOCKS}, set_config('synchronous_commit', 'on', true)"
)
"""The mark of a write is made with what holds for its transaction: a statement less."""
ALONE = (
    f"(select {_LOCKS}, set_config('synchronous_commit', "
    "coalesce(%(commit)s, current_setting('synchronous_commit')), true)) as alone"
)
"""What a statement selects from that may be a transaction by itself."""
_COMMITTED = "COMMIT"


class WholeFailed(BaseException):
    """What a part met is not of that part: the transaction can't go on. Its cause says why.

    No `Exception`: who goes on after any of those, as the bus of events does, is not to go on here.
    """


def fail(error: BaseException) -> NoReturn:
    """Raise an error, or its cause where it only says that the transaction can't go on."""
    raise _reason_of(error)


def _reason_of(error: BaseException) -> BaseException:
    return error.__cause__ or error if isinstance(error, WholeFailed) else error


@contextmanager
def whole(connection: Connection, write: UUID | None) -> Iterator[Pipeline]:
    """A transaction with the mark of its `write`, committed at the end; by none, not durably.

    Where it fails it is rolled back. What is yielded is for its parts. Raises the driver's errors.
    """
    import psycopg

    try:
        with _queue(connection) as queue:
            _begin(connection, write)
            yield queue
            ended = connection.execute("commit")
        if ended.statusmessage != _COMMITTED:
            # The server answers so, without an error, where a statement of it had failed.
            raise psycopg.errors.InFailedSqlTransaction("the transaction was rolled back")
    except BaseException:
        # Whatever ends it, a key too: the transaction is not left open. Raised again below.
        with suppress(psycopg.Error):
            connection.execute("rollback")
        raise


def _begin(connection: Connection, write: UUID | None) -> None:
    connection.execute("begin")
    if write is None:
        connection.execute(_QUICK)
    else:
        connection.execute(_DURABLE, (write,))


@contextmanager
def first_part(connection: Connection, queue: Pipeline, write: UUID | None) -> Iterator[None]:
    """The first part of a transaction in which nothing stands beside parts.

    It needs no savepoint: where it fails, the transaction begins anew. Nor is it answered at its
    end: what the server refuses of it then fails the whole.
    """
    import psycopg

    try:
        yield
    except BaseException as error:  # noqa: BLE001 - raised below
        # Whatever ends it, a key too: what comes after it is to stand. Raised again below.
        with suppress(psycopg.Error):
            queue.sync()
        with suppress(psycopg.Error):
            connection.execute("rollback")
            _begin(connection, write)
            queue.sync()
        fail(error)


@contextmanager
def part(connection: Connection, queue: Pipeline, level: int) -> Iterator[None]:
    """A part of a transaction: where it fails, what was done before stands.

    Nested ones have levels of their own. Raises `WholeFailed` where what was done before can't
    stand.
    """
    import psycopg

    try:
        connection.execute(f"savepoint part{level}")
        yield
        # A part within it was answered as it ended: to let go of a savepoint can't fail.
        is_answered = not queue.result_queue
        connection.execute(f"release part{level}")
        if not is_answered:
            queue.sync()
    except BaseException as error:  # noqa: BLE001 - raised below
        # Whatever ends it, a key too: what was done before it is to stand. Raised again below.
        with suppress(psycopg.Error):
            queue.sync()
        try:
            connection.execute(f"rollback to part{level}")
            connection.execute(f"release part{level}")
            queue.sync()
        except psycopg.Error:
            raise WholeFailed from _reason_of(error)
        fail(error)


@contextmanager
def _queue(connection: Connection) -> Iterator[Pipeline]:
    """The connection with answers left for later.

    The driver would print what fails at the end of what had failed before.
    """
    import psycopg

    failed: BaseException | None = None
    try:
        with connection.pipeline() as queue:
            try:
                yield queue
            except BaseException as error:  # noqa: BLE001 - raised below
                failed = error
    except psycopg.Error:
        if failed is None:
            raise
    if failed is not None:
        raise failed
