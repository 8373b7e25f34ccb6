"""Memory in a PostgreSQL database, for a team: `postgresql://host/database?project=name`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from store.backends.protocol import Backend
from store.errors import NoMemory


def open_backend(location: str, clock: Callable[[], datetime] | None = None) -> Backend:
    """Return the memory of this URL. No connection is made before something is asked.

    Raises `NoMemory` where the driver is not installed.
    """
    with _driver_needed():
        from store.backends.postgres.address import address_of  # only for memory of its kind
        from store.backends.postgres.backend import PostgresBackend

    return PostgresBackend(address_of(location), clock)


def of_project(url: str, start: Path) -> str:
    """Return a URL that names its project: where it names none, that of the folder at its root."""
    if "project=" in url.partition("?")[2]:
        return url
    from store.backends.location import place_to_start  # most URLs name it

    name = quote(place_to_start(start).name or "default", safe="")
    return f"{url}{'&' if '?' in url else '?'}project={name}"


def give_rights(location: str, readers: Collection[str], writers: Collection[str]) -> None:
    """Let logins read, or read and write, the project of a URL. Raises as the database answers."""
    with _driver_needed():
        from store.backends.postgres.address import address_of  # only for memory of its kind
        from store.backends.postgres.connections import give_rights as give

    give(address_of(location), readers, writers)


@contextmanager
def _driver_needed() -> Iterator[None]:
    """Raise `NoMemory` where psycopg, which is an extra, can't be imported."""
    try:
        yield
    except ImportError as error:
        raise NoMemory(
            "Memory in PostgreSQL needs psycopg, which is not installed.",
            "Install memtui[postgres].",
        ) from error
