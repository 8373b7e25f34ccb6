"""Every picture in `snapshots/` belongs to a test that still draws it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import SNAPSHOTS

TESTS = SNAPSHOTS.parent / "tests"


def drawing_tests(module: Path) -> Iterator[str]:
    """The names of a module's tests that compare a picture."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and "snap_compare" in {
            argument.arg for argument in node.args.args
        }:
            yield node.name


def orphans(snapshots: Path, tests: Path) -> list[str]:
    """Pictures without a test, or with a parameter that its module does not name."""
    modules = {module.stem: module for module in tests.rglob("test_*.py")}
    found = []
    for picture in sorted(snapshots.rglob("*.svg")):
        module = modules.get(picture.parent.name)
        name, _, parameter = picture.stem.partition("[")
        if (
            module is None
            or name not in drawing_tests(module)
            or not all(part in module.read_text("utf-8") for part in parameter[:-1].split("-"))
        ):
            found.append(str(picture.relative_to(snapshots)))
    return found


def test_no_picture_is_left_over() -> None:
    assert orphans(SNAPSHOTS, TESTS) == []


def test_a_picture_that_is_left_over_is_found(tmp_path: Path) -> None:
    tests, snapshots = tmp_path / "tests", tmp_path / "snapshots"
    for folder in (tests, snapshots / "test_a", snapshots / "test_gone"):
        folder.mkdir(parents=True)
    (tests / "test_a.py").write_text("def test_x(snap_compare): 'small'\ndef test_y(): ...\n")
    for name in ("test_a/test_x", "test_a/test_x[small]", "test_a/test_x[big]", "test_a/test_y"):
        (snapshots / f"{name}.svg").touch()
    (snapshots / "test_gone/test_z.svg").touch()
    assert orphans(snapshots, tests) == [
        "test_a/test_x[big].svg",
        "test_a/test_y.svg",
        "test_gone/test_z.svg",
    ]
