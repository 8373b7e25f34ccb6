"""Who of a team may see and change a memory that is kept in a database."""

from __future__ import annotations

from collections.abc import Collection

from store.backends import Location, as_url, is_url, shown_location
from store.errors import NoMemory


def give_rights(location: Location, readers: Collection[str], writers: Collection[str]) -> None:
    """Let logins of a database read, or read and write, this one memory in it.

    Raises `NoMemory` for a memory that is in no database, and as the database answers.
    """
    if not is_url(location) or not as_url(location).startswith("postgresql://"):
        raise NoMemory(
            f"The memory in {shown_location(location)} has no logins.", "Name a database by --dir."
        )
    from store.backends.postgres import rights
    from store.backends.postgres.address import address_of

    rights.give_rights(address_of(as_url(location)), readers, writers)
