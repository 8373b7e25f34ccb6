"""Every test here runs on every backend; a new one joins by a line in `LOCATIONS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from store.backends import open_backend
from store.backends.files.backend import FilesBackend
from store.backends.protocol import Backend
from store.model import Layout
from tests.store.factories import NOW


def _each(folder: Path) -> str:
    """A memory in which each has a file of its own."""
    place = folder / ".agentx" / "memory"
    FilesBackend(place, lambda: NOW).set_layout(Layout.EACH)
    return str(place)


LOCATIONS: dict[str, Callable[[Path], str]] = {
    "files": lambda folder: str(folder / ".agentx" / "memory"),
    "one-file-each": _each,
    "vault": lambda folder: f"vault://{folder / '.memory'}",
    "memory": lambda folder: f"memory://{folder}",
}
"""The location of a new, empty memory, for each backend."""


@pytest.fixture(params=list(LOCATIONS))
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a memory is kept."""
    return LOCATIONS[request.param](tmp_path)


@pytest.fixture
def backend(location: str) -> Backend:
    """A memory that is empty."""
    return open_backend(location, lambda: NOW)


@pytest.fixture
def other(location: str) -> Backend:
    """The same memory, as another program has it open."""
    return open_backend(location, lambda: NOW)
