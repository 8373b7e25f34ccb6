"""The code of the two packages, as tests of its rules look at it: each module is parsed once."""

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
    """A module: its path in the project, its text and what it imports, late imports too."""

    path: str
    text: str
    imported: tuple[Imported, ...]


@cache
def sources(package: str) -> tuple[Source, ...]:
    """All modules of a package."""
    return tuple(_source(path) for path in sorted((ROOT / package).rglob("*.py")))


def _source(path: Path) -> Source:
    name, text = str(path.relative_to(ROOT)), path.read_text()
    return Source(name, text, tuple(_imported(_statements(ast.parse(text).body))))


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
