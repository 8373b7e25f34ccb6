"""Every test here runs on every backend; a new one joins by a line in `LOCATIONS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.backends import open_backend
from store.backends.files.backend import FilesBackend
from store.backends.levels.backend import LevelsBackend
from store.backends.location import LEVELS
from store.backends.protocol import Backend
from store.model import Layout, Level
from tests.postgres import project_of
from tests.store.factories import NOW
from tests.store.repositories import tracked_project


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
"""The location of a new, empty memory, for each backend; a database has a server of its own."""


@pytest.fixture(params=[*LOCATIONS, *(f"{level}'s-level" for level in Level), "postgres"])
def location(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    level = request.param.removesuffix("'s-level")
    if level in list(Level):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        monkeypatch.setattr(LevelsBackend, "default", level)
        monkeypatch.setenv("MEMTUI_CAPTURE_LEVEL", level)
        return f"{LEVELS}{tracked_project(tmp_path / 'project')}"
    if request.param == "postgres":
        return project_of(request.getfixturevalue("postgres"))
    return LOCATIONS[request.param](tmp_path)


@pytest.fixture
def backend(location: str) -> Iterator[Backend]:
    backend = open_backend(location, lambda: NOW)
    yield backend
    backend.release()


@pytest.fixture
def other(location: str) -> Iterator[Backend]:
    """The same memory, as another program has it open."""
    backend = open_backend(location, lambda: NOW)
    yield backend
    backend.release()
