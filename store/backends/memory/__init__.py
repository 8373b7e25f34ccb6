"""Memory in lists that end with the program, for tests and trials: `memory://name`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from store.backends.protocol import Backend


def open_backend(location: str, clock: Callable[[], datetime] | None = None) -> Backend:
    """Return the memory of this name, the same for all who name it while the program runs."""
    from store.backends.memory.backend import MemoryBackend, held_under

    return MemoryBackend(held_under(location), clock)
