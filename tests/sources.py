"""The code of the two packages, as tests of its rules look at it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_IMPORT = re.compile(r"^ *(?:from (\w[\w.]*) import (\([^)]*\)|.*)|import (.*))$", re.MULTILINE)


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
    paths = sorted((ROOT / package).rglob("*.py"))
    return tuple(Source(str(path.relative_to(ROOT)), path.read_text()) for path in paths)


def imports_of(source: Source) -> Iterator[Imported]:
    """What a module imports, late imports too; to parse a module whole takes far longer."""
    for module, names, modules in _IMPORT.findall(source.text):
        parts = re.sub(r"#.*|[()]", "", names or modules).split(",")
        each = [part.split()[0] for part in parts if part.strip()]
        if module:
            yield Imported(module, tuple(each))
        else:
            yield from map(Imported, each)
