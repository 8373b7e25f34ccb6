"""What is taken where nothing is said: who changes a default changes what every caller gets."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module
from pkgutil import walk_packages
from types import FunctionType, ModuleType
from typing import Any

from syrupy.assertion import SnapshotAssertion

import store
from store.backends.files.backend import FilesBackend
from store.backends.memory.backend import MemoryBackend
from store.backends.postgres.backend import PostgresBackend
from store.backends.protocol import Backend
from store.backends.vault.backend import VaultBackend


def _modules() -> Iterator[ModuleType]:
    for found in walk_packages(store.__path__, "store."):
        yield import_module(found.name)


def _defaults(called: Callable[..., Any]) -> str:
    parameters = inspect.signature(called).parameters.values()
    said = ((it.name, it.default) for it in parameters if it.default is not it.empty)
    return " ".join(f"{name}={_shown(default)}" for name, default in said)


def _shown(value: object) -> str:
    if value is os.environ:
        return "environ"
    if isinstance(value, frozenset):
        return repr(sorted(value))
    return re.sub(" at 0x[0-9a-f]+", "", str(getattr(value, "__name__", repr(value))))


def _callables(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The class itself, where it says what it is made of, and its public methods."""
    if not issubclass(kind, Enum) and vars(kind).keys() & {"__init__", "__new__"}:
        yield kind.__name__, kind
    for name, method in vars(kind).items():
        function = method.__func__ if isinstance(method, classmethod | staticmethod) else method
        if isinstance(function, FunctionType) and not name.startswith("_"):
            yield f"{kind.__name__}.{name}", function


def _public(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", "") != module.__name__:
            continue
        if isinstance(value, type):
            yield from _callables(value)
        elif isinstance(value, FunctionType):
            yield name, value


def test_what_is_taken_where_nothing_is_said(snapshot: SnapshotAssertion) -> None:
    found = [
        f"{module.__name__}.{name}: {said}"
        for module in _modules()
        for name, called in _public(module)
        if (said := _defaults(called))
    ]
    assert "\n".join(sorted(found)) == snapshot


def test_every_backend_takes_what_the_protocol_says() -> None:
    for kind in (FilesBackend, VaultBackend, PostgresBackend, MemoryBackend):
        for name, method in vars(Backend).items():
            if isinstance(method, FunctionType) and not name.startswith("_"):
                said = _defaults(getattr(kind, name)).split(" ")
                assert {*_defaults(method).split(" ")} - {""} <= {*said}, f"{kind} {name}"
