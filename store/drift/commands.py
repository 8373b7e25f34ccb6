"""Commands and configuration keys that a memory cites, and the files of a project that define them.

A new runner is a name in `KINDS`, or a line and a reader where its files are of a new kind. Pure.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from store.platform.json_fields import mapping
from store.text.code import code_spans

_PARTS = re.compile(r"&&|\|\||[;|\n]")
_DEFINED = re.compile(r"^@?([\w./%-]+)(?:[ \t]+[^:\n]*)?:(?!=)", re.M)
"""A target of a Makefile or a recipe of a justfile, where its line begins."""
_TOX_SECTION = re.compile(r"^\[testenv:([^\]]+)\]", re.M)
_TASKS = ("mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks")
_TASK = re.compile(r"(?:^|/)\.?mise[-/]tasks/(.+?)(?:\.\w+)?$")
"""A script that is a task of mise: `mise-tasks/lint/go.sh` is `lint:go`."""
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
    """A kind of file that defines names: the patterns of its paths, what reads a text and its path,
    and the programs that run what it defines, with words that are `skipped` before the name.
    """

    files: tuple[str, ...]
    read: Callable[[str, str], Iterable[str]]
    runners: tuple[str, ...] = ()
    skipped: Set[str] = frozenset()

    def has(self, path: str) -> bool:
        return any(fnmatchcase(f"/{path}", f"*/{pattern}") for pattern in self.files)

    def defined_in(self, text: str, path: str = "") -> Set[str]:
        """Return the names that a file defines; none of one that can't be read."""
        with suppress(ValueError, RecursionError):  # which the readers' own errors are
            return frozenset(self.read(text, path))
        return frozenset()

    def name_in(self, words: Iterable[str]) -> str:
        """Return the name in the words behind a runner: no option, and no assignment."""
        names = (word for word in words if not word.startswith("-") and "=" not in word)
        return next((name for name in names if name not in self.skipped), "")


class Cited(NamedTuple):
    """A command or key that a memory cites: the name in it that a kind of file defines."""

    kind: Kind
    name: str
    written: str


def cited_in(content: str) -> tuple[Cited, ...]:
    """Return the commands and keys that a memory cites between backticks, each once."""
    return tuple(dict.fromkeys(_cited(content)))


def _cited(content: str) -> Iterator[Cited]:
    for span in code_spans(content):
        if key := _KEY.fullmatch(span):
            yield Cited(_KEYS, key[1], span)
            continue
        for part in _PARTS.split(span):
            runner, *words = part.split() or [""]
            kind = _KIND_OF.get(runner)
            if kind is not None and (name := kind.name_in(words)):
                yield Cited(kind, name, part.strip())


def _targets(text: str, _: str) -> Iterable[str]:
    return _DEFINED.findall(text)


def _package_scripts(text: str, _: str) -> Iterable[str]:
    return mapping(mapping(json.loads(text)).get("scripts"))


def _tox(text: str, _: str) -> Iterable[str]:
    return (name for names in _TOX_SECTION.findall(text) for name in names.split(","))


def _toml(text: str) -> Mapping[str, Any]:
    """Raises `ValueError` for what is no TOML, or would take too long."""
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError("A key may have too many parts.")
    return tomllib.loads(text)


def _python_scripts(text: str, _: str) -> Iterable[str]:
    read = _toml(text)
    tables = (_at(read, path) for path in _SCRIPTS)
    environments = _at(read, "tool.hatch.envs").values()
    hatch = (mapping(mapping(environment).get("scripts")) for environment in environments)
    return (name for table in (*tables, *hatch) for name in table)


def _tasks(text: str, path: str) -> Iterable[str]:
    """Yield the tasks of a file of settings, or the one that a script in a folder of tasks is."""
    name = _TASK.search(path)
    if name is None:
        return _at(_toml(text), "tasks")
    return (name[1].removesuffix("/_default").replace("/", ":"),)


def _keys(text: str, _: str) -> Iterable[str]:
    return _dotted(_toml(text), "", _DEEPEST)


def _dotted(table: Mapping[str, Any], above: str, deepest: int) -> Iterator[str]:
    for key, value in table.items():
        yield f"{above}{key}"
        if isinstance(value, dict) and deepest:
            yield from _dotted(value, f"{above}{key}.", deepest - 1)


def _at(table: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    for key in path.split("."):
        table = mapping(table.get(key))
    return table


_RUN = frozenset({"run", "run-script", "exec"})
_PYTHON = ("uv", "poetry", "pdm", "hatch", "poe", "task")
_MISE = ("mise.toml", ".mise.toml", "mise/config.toml", *(f"{name}/*" for name in _TASKS))
_KEYS = Kind(("pyproject.toml",), _keys)
KINDS = (
    Kind(("package.json",), _package_scripts, ("npm", "pnpm", "yarn", "bun"), _RUN),
    Kind(("Makefile", "makefile", "GNUmakefile", "*.mk"), _targets, ("make",)),
    Kind(("justfile", "Justfile", ".justfile", "*.just"), _targets, ("just",)),
    Kind(("tox.ini",), _tox, ("tox",), _RUN),
    Kind(("pyproject.toml",), _python_scripts, _PYTHON, _RUN),
    Kind(_MISE, _tasks, ("mise",), frozenset({"run", "r"})),
    _KEYS,
)
_KIND_OF = {runner: kind for kind in KINDS for runner in kind.runners}
