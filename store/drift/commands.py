"""Commands and configuration keys that a memory cites, and the files of a project that define them.

A new runner is a line of `RUNNERS`, and a reader where its files are of a new kind. Pure.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from store.platform.json_fields import mapping

_PARTS = re.compile(r"&&|\|\||[;|\n]")
_DEFINED = re.compile(r"^@?([\w./%-]+)(?:[ \t]+[^:\n]*)?:(?!=)", re.M)
"""A target of a Makefile or a recipe of a justfile, where its line begins."""
_TOX_SECTION = re.compile(r"^\[testenv:([^\]]+)\]", re.M)
_KEY = re.compile(r"\[?((?:tool|project)(?:\.[\w-]+)+)\]?")
"""A key of `pyproject.toml`, as a section or with dots."""
_SCRIPTS = (
    *("project.scripts", "tool.poetry.scripts", "tool.pdm.scripts", "tool.uv.scripts"),
    *("tool.poe.tasks", "tool.taskipy.tasks"),
)
_DEEPEST = 8
_MOST_DOTS = 500
"""Dots in a line of TOML: what a key takes to read grows with the square of its parts."""


class Kind(NamedTuple):
    """A kind of file that defines names: what it is called, and what reads them."""

    files: tuple[str, ...]
    read: Callable[[str], Set[str]]


class Cited(NamedTuple):
    """A command or key that a memory cites: the name in it that a kind of file defines."""

    kind: str
    name: str
    written: str


def cited_in(content: str) -> tuple[Cited, ...]:
    """Return the commands and keys that a memory cites between backticks, each once."""
    return tuple(dict.fromkeys(_cited(content)))


def _cited(content: str) -> Iterator[Cited]:
    for span in content.split("`")[1::2]:
        if key := _KEY.fullmatch(span.strip()):
            yield Cited("keys", key[1], span.strip())
            continue
        for part in _PARTS.split(span):
            words = part.split()
            if words and (runner := RUNNERS.get(words[0])):
                name = next(iter(_arguments(words[1:], runner.skipped)), "")
                if name:
                    yield Cited(runner.kind, name, part.strip())


def _arguments(words: list[str], skipped: Set[str]) -> Iterator[str]:
    """Yield the words that are no options, assignments or words that only lead to a name."""
    for word in words:
        if not word.startswith("-") and "=" not in word and word not in skipped:
            yield word


def _package_scripts(text: str) -> Set[str]:
    return {*mapping(mapping(json.loads(text)).get("scripts"))}


def _targets(text: str) -> Set[str]:
    return {*_DEFINED.findall(text)}


def _toml(text: str) -> Mapping[str, Any]:
    """Raises `ValueError` for what is no TOML, or would take too long."""
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError("A key may have too many parts.")
    return tomllib.loads(text)


def _tox(text: str) -> Set[str]:
    return {name for names in _TOX_SECTION.findall(text) for name in names.split(",")}


def _python_scripts(text: str) -> Set[str]:
    read = _toml(text)
    tables = (_at(read, path) for path in _SCRIPTS)
    environments = _at(read, "tool.hatch.envs").values()
    hatch = (mapping(mapping(environment).get("scripts")) for environment in environments)
    return {name for table in (*tables, *hatch) for name in table}


def _keys(text: str) -> Set[str]:
    return {*_dotted(_toml(text), "", _DEEPEST)}


def _dotted(table: Mapping[str, Any], above: str, deepest: int) -> Iterator[str]:
    for key, value in table.items():
        yield f"{above}{key}"
        if isinstance(value, dict) and deepest:
            yield from _dotted(value, f"{above}{key}.", deepest - 1)


def _tasks(text: str) -> Set[str]:
    return {*_at(_toml(text), "tasks")}


def _at(table: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    for key in path.split("."):
        table = mapping(table.get(key))
    return table


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "package": Kind(("package.json",), _package_scripts),
        "make": Kind(("Makefile", "makefile", "GNUmakefile"), _targets),
        "just": Kind(("justfile", "Justfile", ".justfile"), _targets),
        "tox": Kind(("tox.ini",), _tox),
        "python": Kind(("pyproject.toml",), _python_scripts),
        "mise": Kind(("mise.toml", ".mise.toml"), _tasks),
        "keys": Kind(("pyproject.toml",), _keys),
    }
)


class _Runner(NamedTuple):
    """A program that runs what a kind of file defines; words `skipped` before the name."""

    kind: str
    skipped: Set[str] = frozenset()


_RUN = frozenset({"run", "run-script", "exec"})
RUNNERS: Mapping[str, _Runner] = MappingProxyType(
    {
        **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _Runner("package", _RUN)),
        **dict.fromkeys(("uv", "poetry", "pdm", "hatch", "poe", "task"), _Runner("python", _RUN)),
        "make": _Runner("make"),
        "just": _Runner("just"),
        "tox": _Runner("tox", _RUN),
        "mise": _Runner("mise", frozenset({"run", "r"})),
    }
)


def defined_by(kind: str, text: str) -> Set[str]:
    """Return the names that a file of a kind defines; none of one that can't be read."""
    with suppress(ValueError, RecursionError):  # which the readers' own errors are
        return KINDS[kind].read(text)
    return frozenset()
