"""Where a database is and what it says when it can't: no password is told."""

from __future__ import annotations

import re

import pytest
from psycopg.conninfo import conninfo_to_dict

from store.backends import open_backend, shown_location
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
from store.errors import (
    Away,
    LockTimeout,
    NoMemory,
    NotReached,
    ReadOnly,
    StoreError,
    Unopened,
    WriteFailed,
)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:geheim@host/db?project=a", "postgresql://me@host/db?project=a"),
        ("postgresql://me:ge@he/im@host/db", "postgresql://me@host/db"),
        ("postgresql://host/db?password=geheim&user=me", "postgresql://host/db?user=me"),
        ("mysql://me:geheim@host/db", "mysql://me@host/db"),
        ("postgresql://host/db?sslPassword=geheim&a=b", "postgresql://host/db?a=b"),
        ("postgresql://host/db?a=b&p%61ssword=geheim", "postgresql://host/db?a=b&"),
        ("postgresql+psycopg://me:geheim@host/db", "postgresql+psycopg://me@host/db"),
        ("/work/postgresql:/me:geheim@host/db", "/work/postgresql:/me@host/db"),
        ("postgresql:///db", "postgresql:///db"),
        ("/home/me/project", "/home/me/project"),
    ],
)
def test_a_location_is_shown_without_its_password(url: str, shown: str) -> None:
    assert shown_location(url) == shown


def test_an_address_has_a_name_of_its_own_that_tells_no_password() -> None:
    address = address_of("postgresql://me:geheim@host:7/db?project=a&sslmode=require")
    assert address.identity == "postgresql://me@host:7/db?project=a"
    assert "project" not in address.url
    assert "sslmode=require" in address.url
    assert "geheim" not in repr(address) + address.shown
    same = address_of("postgresql://me@host:7/db?project=a")
    assert same.identity == address.identity
    assert address_of("postgresql://me@host:7/db").identity != address.identity


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:geheim@host:none/db",
        "postgresql://[x/db",
        "postgresql://me:ge@heim@host/db",
        "postgresql://me:geheim/12@host/db",
        "postgresql://me:12/geheim@host/db",
        "postgresql://me:geheim?12@host/db",
        "postgresql://me:12?geheim@host/db",
        "postgresql://me:geheim#12@host/db",
        "postgresql://me:12#geheim@host/db",
        "POSTGRESQL://me:12#geheim@host/db",
    ],
)
def test_what_is_no_url_is_said_without_its_password(url: str) -> None:
    with pytest.raises(NoMemory, match=r"postgresql://.* is not a PostgreSQL URL") as raised:
        open_backend(url)
    assert not re.search("ge|heim", raised.value.message)


def test_a_server_that_is_away_is_said_without_the_password() -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    backend = open_backend("postgresql://me:geheim@127.0.0.1:1/db?options=geheim")
    with pytest.raises(Unopened) as read:
        backend.read(29)
    with pytest.raises(StoreError) as written, backend.locked():
        pass
    said = f"{read.value.message} {written.value.message}"
    assert "geheim" not in said.replace("options=geheim", "")
    assert "Connection refused" in said or "connection refused" in said
    assert not backend.is_writable()


def test_a_database_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    assert conninfo_to_dict(address_of("postgresql://host/db").url)["connect_timeout"] == "5"
    chosen = address_of("postgresql://host/db?connect_timeout=30").url
    assert conninfo_to_dict(chosen)["connect_timeout"] == "30"
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "60")
    assert "connect_timeout" not in address_of("postgresql://host/db").url


# What a driver's error means for memory, and that no password is in what is said of it.


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
        (psycopg.InterfaceError("the connection is closed"), NotReached, _NOT_WRITTEN),
        (psycopg.OperationalError(f"{_AT}Connection refused"), NotReached, _NOT_WRITTEN),
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
