"""Every picture in `snapshots/` belongs to a test that still draws it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import SNAPSHOTS
from tests.flows.pictures import named

TESTS = SNAPSHOTS.parent / "tests"
COMPARE = {"snap_compare", "looks"}
"""What compares with pictures, as tests ask for it."""


def pictures_of(module: ModuleType) -> Iterator[str]:
    """The names of the pictures that the tests of a module compare."""
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if name.startswith("test_") and not COMPARE.isdisjoint(
            inspect.signature(function).parameters
        ):
            for ids in product(*map(_ids, _marks(function, "parametrize"))):
                test = f"{name}[{'-'.join(ids)}]" if ids else name
                sizes = [size for mark in _marks(function, "sizes") for size in mark.args]
                yield from [f"{test}[{named(size)}]" for size in sizes] or [test]


def _marks(function: Callable[..., object], name: str) -> list[pytest.Mark]:
    marks: list[pytest.Mark] = getattr(function, "pytestmark", [])
    return [mark for mark in marks if mark.name == name]


def _ids(mark: pytest.Mark) -> list[str]:
    """The ids of a parametrization: those given, else the values."""
    return [str(each) for each in mark.kwargs.get("ids") or mark.args[1]]


def orphans(snapshots: Path, modules: Iterable[ModuleType]) -> list[str]:
    """The pictures that none of the modules draws."""
    drawn = {
        f"{module.__name__.rpartition('.')[2]}/{name}.svg"
        for module in modules
        for name in pictures_of(module)
    }
    found = (str(path.relative_to(snapshots)) for path in snapshots.rglob("*.svg"))
    return sorted(set(found) - drawn)


def test_no_picture_is_left_over() -> None:
    names = {folder.name for folder in SNAPSHOTS.iterdir() if folder.is_dir()}
    modules = [
        import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))
        for path in TESTS.rglob("test_*.py")
        if path.stem in names
    ]
    assert orphans(SNAPSHOTS, modules) == []
