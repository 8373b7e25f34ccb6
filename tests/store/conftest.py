"""A memory and its clock, for the tests of every room."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory
from tests.store.factories import Clock, make_memory


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until it is moved on."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    """A memory in a project folder, which begins with what is stored first."""
    return make_memory(tmp_path, clock)
