"""Every picture in `snapshots/` belongs to a test that still draws it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.conftest import SNAPSHOTS
from tests.flows.pictures import named

TESTS = SNAPSHOTS.parent / "tests"


def pictures_of(module: ModuleType) -> Iterator[str]:
    for test in ast.parse(inspect.getsource(module)).body:
        for call in ast.walk(test):
            match call:
                case ast.Call(func=ast.Name(id="looks"), args=[_, *arguments]):
                    values = [eval(ast.unparse(each), vars(module)) for each in arguments]
                    name = (
                        f"test_{values[0]}" if values and values[0] else getattr(test, "name", "")
                    )
                    sizes = values[1] if len(values) > 1 else ()
                    if len(sizes) > 1:
                        yield from (f"{name}[{named(size)}]" for size in sizes)
                    else:
                        yield name


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
