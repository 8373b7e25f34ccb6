"""Memory as plain JSON files in a folder, in AgentX's format; any path is such a place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from store.backends.protocol import Backend


def open_backend(location: str, clock: Callable[[], datetime] | None = None) -> Backend:
    from store.backends.files.backend import FilesBackend  # only for memory of its kind

    return FilesBackend(Path(location), clock)


def is_at(path: Path) -> bool:
    """Return whether a folder holds issues, or a memory just begun."""
    from store.backends.files.layout import has_memory  # only for memory of its kind

    return has_memory(path)
