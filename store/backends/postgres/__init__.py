"""Memory in a PostgreSQL database, for a team: `postgresql://host/database?project=name`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.backends.protocol import Backend


def open_backend(location: str, clock: Callable[[], datetime] | None = None) -> Backend:
    """The memory of this URL. No connection is made before something is asked."""
    from store.backends.postgres.address import address_of
    from store.backends.postgres.backend import PostgresBackend

    return PostgresBackend(address_of(location), clock)
