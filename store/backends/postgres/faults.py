"""A driver's errors as memory's: away, refused, or not allowed; never with a password."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

import psycopg
from psycopg import InterfaceError, OperationalError, errors

from store.backends.postgres.address import Address
from store.errors import (
    Away,
    LockTimeout,
    NotReached,
    ReadOnly,
    StoreError,
    Unreadable,
    WriteFailed,
)

LOCK_SECONDS = 10
AWAY_HINT = "Check that it is running. Search still works from the local index, if there is one."
_NOT_GRANTED = "Ask its owner to run `memtui migrate --reader LOGIN` for your login."
_NOT_TO_WRITE = (
    "You can still search and view it. To write, ask its owner to run "
    "`memtui migrate --writer LOGIN` for your login."
)
_REFUSED = "Check user, password (~/.pgpass or PGPASSWORD) and database."
_OF_URL = (
    "Mend the URL (--dir, MEMTUI_DIR or the setting `backend`): behind the ? stand `project` and "
    "PostgreSQL's own parameters, such as `sslmode`."
)
_BROKEN = "Nothing was changed. Ask the database's administrator."
_NOT_WRITTEN = "Nothing was written. Check that the database is running, then try again."
_AWAY_STATES = ("08", "57P", "53300")
"""SQLSTATE of connections that break, of servers that start or stop, and of too many clients."""
_FATAL = re.compile(r"(?:FATAL:\s+|fe_sendauth: )([^\n]+)")
_MISSPELLED = re.compile(
    r"invalid URI query parameter|bad value for|invalid \w+ value|invalid percent-encoded|"
    r"invalid integer value"
)
"""The messages of the driver on a URL before it connects."""
_BAD, _FAILED = "connection is bad: ", "failed: "
_SOON = re.compile(r"starting up|shutting down|recovery|too many (clients|connections)|slots")


def read_fault(error: psycopg.Error, address: Address) -> StoreError:
    """The error of a question: `Away` only where the server could not be reached or broke off."""
    why = reason(error, address)
    if _is_misspelled(error):
        return Unreadable(f"The database {address.shown} can't be asked for: {why}.", _OF_URL)
    if is_away(error):
        return Away(f"The database does not answer: {why} ({address.shown}).", AWAY_HINT)
    if isinstance(error, errors.InsufficientPrivilege):
        return Unreadable(f"The database {address.shown} can't be read: {why}.", _NOT_GRANTED)
    if _FATAL.search(str(error)):
        return Unreadable(f"The database {address.shown} refuses the connection: {why}.", _REFUSED)
    return Unreadable(f"The database {address.shown} can't be read: {why}.", _BROKEN)


def write_fault(error: psycopg.Error, address: Address) -> StoreError:
    """Return the error of a transaction, of which nothing was kept."""
    if isinstance(error, errors.LockNotAvailable | errors.DeadlockDetected):
        return LockTimeout(
            f"Another program has been writing to {address.shown} for more than {LOCK_SECONDS} s.",
            "Try again.",
            on=address.shown,
        )
    message = f"The memory in {address.shown} can't be written: {reason(error, address)}."
    if isinstance(error, errors.InsufficientPrivilege):
        return ReadOnly(message, _NOT_TO_WRITE)
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return ReadOnly(message, "You can still search and view it.")
    if _is_misspelled(error):
        return WriteFailed(message, _OF_URL)
    if is_away(error):
        return NotReached(message, _NOT_WRITTEN)
    return WriteFailed(message, _REFUSED if _FATAL.search(str(error)) else _BROKEN)


def is_away(error: psycopg.Error) -> bool:
    """Return whether the server could not be reached, broke off, or starts or stops just now."""
    if error.sqlstate:
        return error.sqlstate.startswith(_AWAY_STATES)
    refused = _FATAL.search(str(error))
    if refused:
        return _SOON.search(refused[1]) is not None
    return isinstance(error, OperationalError | InterfaceError) and not _is_misspelled(error)


def _is_misspelled(error: psycopg.Error) -> bool:
    if error.sqlstate or _FATAL.search(str(error)):
        return False
    return _MISSPELLED.search(str(error)) is not None


def reason(error: psycopg.Error, address: Address) -> str:
    """The driver's reason, as one short clause without a full stop and without the password."""
    message = str(error.diag.message_primary or error).strip()
    if found := _FATAL.search(message):
        first = found[1]
    else:
        lines = message.split("\n")
        first = next((item for item in lines if _FAILED in item), lines[0]).rpartition(_FAILED)[2]
    line = " ".join(first.removeprefix(_BAD).split()).rstrip(".?! ") or type(error).__name__
    written = _written_password(address)
    secrets = {address.secret, quote(address.secret, safe=""), written, unquote(written)} - {""}
    for secret in sorted(secrets, key=len, reverse=True):
        line = line.replace(secret, "***")
    return line


def _written_password(address: Address) -> str:
    """Return the password as the URL spells it: the driver repeats it where it can't be decoded."""
    return urlsplit(address.url).password or ""
