"""The code of the two packages, as tests of its rules look at it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Imported(NamedTuple):
    """A module that is imported, and what of it by name."""

    module: str
    names: tuple[str, ...] = ()


class Source(NamedTuple):
    """A module: its path in the project, and its text."""

    path: str
    text: str


@cache
def sources(package: str) -> tuple[Source, ...]:
    """All modules of a package."""
    paths = sorted((ROOT / package).rglob("*.py"))
    return tuple(Source(str(path.relative_to(ROOT)), path.read_text()) for path in paths)


def imports_of(source: Source) -> Iterator[Imported]:
    """What a module imports, late imports too."""
    return _imported(_statements(ast.parse(source.text).body))


def _statements(block: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of all blocks in it; most of a module is expressions."""
    for node in block:
        yield node
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, part, ()))
        for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(inner.body)


def _imported(nodes: Iterable[ast.stmt]) -> Iterator[Imported]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield Imported(node.module, tuple(each.name for each in node.names))
        elif isinstance(node, ast.Import):
            yield from (Imported(each.name) for each in node.names)
