"""Rights of a team's members on a memory that is kept in a database."""

from __future__ import annotations

from collections.abc import Callable, Collection

from store.backends import Location, as_url, package_of, shown_location
from store.errors import NoMemory

_Give = Callable[[str, Collection[str], Collection[str]], None]


def give_rights(location: Location, readers: Collection[str], writers: Collection[str]) -> None:
    """Let logins of a database read, or read and write, this one memory in it.

    Raises `NoMemory` for a memory that is in no database, and as the database answers.
    """
    give: _Give | None = getattr(package_of(location), "give_rights", None)
    if give is None:
        raise NoMemory(
            f"The memory in {shown_location(location)} has no logins.",
            "Give a database URL with --dir.",
        )
    give(as_url(str(location)), readers, writers)
