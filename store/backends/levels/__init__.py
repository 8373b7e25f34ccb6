"""The levels of a project's memory as one: `levels://FOLDER`, each level kept by a backend of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from store import backends
from store.backends.location import LEVELS, places_to_open
from store.backends.protocol import Backend


def open_backend(location: str, clock: Callable[[], datetime] | None = None) -> Backend:
    """Return the levels that a folder's project has, as one memory."""
    from store.backends.levels.backend import LevelsBackend  # only for memory of its kind

    places = places_to_open(Path(location.removeprefix(LEVELS)))
    return LevelsBackend(
        {str(level): backends.open_backend(at, clock) for level, at in places.items()}, clock
    )
