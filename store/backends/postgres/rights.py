"""Logins of a database that may read or write a project's memory."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from store.backends.postgres.address import Address
from store.backends.postgres.connections import Connections
from store.errors import NotFound

_SCRIPT = Path(__file__).with_name("rights.sql")
_MEMBER = """
    insert into memtui.members (project, login, may_write) values (%s, %s, %s)
    on conflict (project, login) do update set may_write = excluded.may_write
"""


def give_rights(address: Address, readers: Collection[str], writers: Collection[str]) -> None:
    """Let logins read, or read and write, the project of an address, and no other.

    All or nothing. Raises `NotFound` for a login that the database has not, and `ReadOnly` where
    who asks owns neither the tables nor may make roles.
    """
    from psycopg import sql

    connections = Connections(address)
    try:
        with connections.writing() as connection:
            connection.execute(_SCRIPT.read_text("utf-8"))
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
