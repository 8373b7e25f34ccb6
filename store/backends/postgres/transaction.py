"""A transaction whose statements go out as they come: only who reads an answer waits for it.

Each is answered at the end of its part at the latest, so that an error is that of the part.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
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


@contextmanager
def whole(connection: Connection, write: UUID | None) -> Iterator[Pipeline]:
    """A transaction with the mark of its `write`, committed at the end; by none, not durably.

    Where it fails it is rolled back. What is yielded is for its parts. Raises the driver's errors.
    """
    import psycopg

    try:
        with _queue(connection) as queue:
            connection.execute("begin")
            if write is None:
                connection.execute(_QUICK)
            else:
                connection.execute(_DURABLE, (write,))
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


@contextmanager
def part(connection: Connection, queue: Pipeline) -> Iterator[None]:
    """A part of a transaction: where it fails, what was done before stands. May be nested."""
    import psycopg

    connection.execute("savepoint part")
    try:
        yield
        # A part within it was answered as it ended: to let go of a savepoint can't fail.
        is_answered = not queue.result_queue
        connection.execute("release part")
        if not is_answered:
            queue.sync()
    except BaseException:
        # Whatever ends it, a key too: what was done before it is to stand. Raised again below.
        with suppress(psycopg.Error):
            queue.sync()
        with suppress(psycopg.Error):
            connection.execute("rollback to part")
            connection.execute("release part")
            queue.sync()
        raise


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
