"""What a driver's error means for memory, and that no password is in what is said of it."""

from __future__ import annotations

import pytest

from store.backends.postgres.address import address_of
from store.backends.postgres.faults import (
    _BROKEN,
    _NOT_TO_WRITE,
    _NOT_WRITTEN,
    _REFUSED,
    is_away,
    read_fault,
    write_fault,
)
from store.errors import Away, LockTimeout, ReadOnly, StoreError, WriteFailed

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
from psycopg import errors  # noqa: E402 - only where it is installed

_ADDRESS = address_of("postgresql://me:ge%40heim@host/db?project=a")
_AT = 'connection failed: connection to server at "host", port 5432 failed: '


@pytest.mark.parametrize("spelled", ["ge@heim", "ge%40heim"])
@pytest.mark.parametrize(
    "url",
    [
        "//me:ge%40heim@host/db?project=a",
        "//host/db?user=me&password=ge%40heim",
        "//me:ge%40heim@host/db?password=other",
        "//me:other@host/db?password=ge%40heim",
        "//me:ge@host/db?password=ge%40heim",
    ],
)
def test_a_password_is_told_in_neither_spelling(url: str, spelled: str) -> None:
    address = address_of(f"postgresql:{url}")
    error = psycopg.ProgrammingError(f'invalid percent-encoded token: "{spelled}"')
    for said in (read_fault(error, address), write_fault(error, address)):
        assert "heim" not in said.message + said.hint
        assert "***" in said.message


_FROM_SERVER = f"{_AT}FATAL:  "


@pytest.mark.parametrize(
    ("error", "kind", "hint"),
    [
        (psycopg.InterfaceError("the connection is closed"), WriteFailed, _NOT_WRITTEN),
        (psycopg.OperationalError(f"{_AT}Connection refused"), WriteFailed, _NOT_WRITTEN),
        (psycopg.OperationalError(f"{_FROM_SERVER}role gone"), WriteFailed, _REFUSED),
        (
            psycopg.OperationalError(f"{_AT}fe_sendauth: no password supplied"),
            WriteFailed,
            _REFUSED,
        ),
        (psycopg.ProgrammingError("no such cursor"), WriteFailed, _BROKEN),
        (errors.UndefinedColumn("no column"), WriteFailed, _BROKEN),
        (errors.InsufficientPrivilege("denied"), ReadOnly, _NOT_TO_WRITE),
        (errors.ReadOnlySqlTransaction("standby"), ReadOnly, "You can still search and view it."),
        (errors.DeadlockDetected("deadlock"), LockTimeout, "Try again."),
        (errors.LockNotAvailable("locked"), LockTimeout, "Try again."),
    ],
)
def test_what_is_said_of_a_write_that_failed(
    error: errors.Error, kind: type[StoreError], hint: str
) -> None:
    said = write_fault(error, _ADDRESS)
    assert (type(said), said.hint) == (kind, hint)
    assert "ge@heim" not in said.message


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (errors.TooManyConnections("no more"), True),
        (errors.ConnectionFailure("broke"), True),
        (errors.CannotConnectNow("starts"), True),
        (errors.IdleSessionTimeout("idle"), True),
        (errors.QueryCanceled("canceled"), False),
        (errors.OutOfMemory("out of memory"), False),
        (errors.UniqueViolation("twice"), False),
        (psycopg.OperationalError(f"{_FROM_SERVER}sorry, too many clients already"), True),
        (psycopg.OperationalError(f"{_FROM_SERVER}remaining connection slots are kept"), True),
        (psycopg.OperationalError(f"{_FROM_SERVER}the database system is shutting down"), True),
        (psycopg.OperationalError(f'{_FROM_SERVER}database "x" does not exist'), False),
        (psycopg.InterfaceError("the connection is closed"), True),
        (psycopg.OperationalError("bad value for sslmode"), False),
        (psycopg.ProgrammingError("no such cursor"), False),
    ],
)
def test_a_server_is_away_where_asking_it_later_may_help(error: errors.Error, away: bool) -> None:
    assert is_away(error) is away
    assert isinstance(read_fault(error, _ADDRESS), Away) is away
    assert isinstance(write_fault(error, _ADDRESS), WriteFailed)
