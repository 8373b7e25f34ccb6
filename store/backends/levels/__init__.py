"""The levels of a project's memory as one: `levels://FOLDER`, each level kept by a backend of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from store.backends.protocol import Backend


def open_backend(location: str, clock: Callable[[], datetime] | None = None) -> Backend:
    """Return the levels that a folder's project has, as one memory."""
    from store.backends import open_backend
    from store.backends.levels.backend import LevelsBackend
    from store.backends.location import LEVELS, places_to_open

    places = places_to_open(Path(location.removeprefix(LEVELS)))
    return LevelsBackend(
        {str(level): open_backend(at, clock) for level, at in places.items()}, clock
    )
