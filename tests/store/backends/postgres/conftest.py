"""Memories in a database: each test has a project of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from store.backends import open_backend
from store.backends.postgres.backend import PostgresBackend
from tests.postgres import project_of
from tests.store.factories import NOW

Open = Callable[[str], PostgresBackend]


@pytest.fixture
def url(postgres: str) -> str:
    return project_of(postgres)


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens memories, and closes them at the end."""
    with ExitStack() as stack:

        def open_(url: str) -> PostgresBackend:
            backend = open_backend(url, lambda: NOW)
            assert isinstance(backend, PostgresBackend)
            stack.callback(backend.release)
            return backend

        yield open_


@pytest.fixture
def backend(url: str, opened: Open) -> PostgresBackend:
    return opened(url)


@pytest.fixture
def other(url: str, opened: Open) -> PostgresBackend:
    """The same memory, as another program has it open."""
    return opened(url)
