"""The tables of a database, made where there are none and brought forward where they are older."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store.errors import NoMemory

if TYPE_CHECKING:
    from psycopg import Connection

_VERSIONS = Path(__file__).parent / "versions"
_GATE = 7_316_894
"""The number of the lock that one holds who makes the tables; any that others don't use."""


@cache
def versions() -> dict[int, Path]:
    """The scripts that bring the tables forward, by the version that each leads to."""
    return {int(path.name[:3]): path for path in sorted(_VERSIONS.glob("[0-9]*.sql"))}


def bring_forward(connection: Connection[Any], shown: str) -> None:
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


def version_of(connection: Connection[Any]) -> int:
    """The version of the tables; 0 where there are none."""
    # Not `to_regclass`: within a transaction it goes on saying what it said before another one's.
    there = connection.execute(
        "select from pg_tables where schemaname = 'memtui' and tablename = 'versions'"
    ).fetchone()
    if there is None:
        return 0
    row = connection.execute("select max(version) from memtui.versions").fetchone()
    return int(row[0] or 0) if row else 0
