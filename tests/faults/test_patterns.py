"""No pattern takes time that grows with the square of a text: what is read may be made to hurt."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import memtui
import store

MODULES = [
    path
    for package in (store, memtui)
    for path in sorted(Path(package.__file__ or "").parent.rglob("*.py"))
]
FLAGS = {
    name: getattr(re, name)
    for name in ("A", "ASCII", "I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE")
}
WALKING = {"search", "finditer", "findall", "sub", "subn", "split"}
SEEDS = (
    "\n", " ", "a", "A", "0", "-", "_", ".", "/", "\\", '"', "'", "`", "(", "[", "{", "<", ">", "=",
    ":", ",", "|", "*", "#", "@", "\t", "é", "a ", "a\n", " \n", "a.", "a/", "a-", "a_", "1,", "1.",
    "x=", '"a" ', "- a\n", "# a\n", "a=b ", 'git commit -m "', "git diff ", "ignore all ", "$(",
    "<<EOF\n", "https://a/", "a@b.", "key=", "token: ", "```\n", "a/b.py ", "\r\n", "error ",
)  # fmt: skip
TAILS = ("", "!", "\x00")


class Pattern(NamedTuple):
    """A pattern of the code, where it stands, and how it is used."""

    place: str
    text: str
    flags: int
    methods: frozenset[str]


def _flags(node: ast.expr) -> int:
    names = [it.attr for it in ast.walk(node) if isinstance(it, ast.Attribute)]
    return sum({int(FLAGS[name]) for name in names if name in FLAGS})


def _patterns() -> Iterator[Pattern]:
    """All patterns written as one literal; by name, with the methods that its module uses."""
    for path in MODULES:
        source = path.read_text()
        if "re." not in source:
            continue
        nodes = list(ast.walk(ast.parse(source)))
        names = {
            node.value: node.targets[0].id
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in nodes:
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=attr),
                    args=[ast.Constant(value=str(text)), *others],
                ):
                    pass
                case _:
                    continue
            flags = sum(_flags(it) for it in (*others, *(it.value for it in node.keywords)))
            methods = {attr} - {"compile"}
            if node in names:
                methods |= set(re.findall(rf"\b{re.escape(names[node])}\.(\w+)\(", source))
            yield Pattern(
                f"{path.parent.name}/{path.name}:{node.lineno}",
                text,
                flags,
                frozenset(methods or {"search"}),
            )


BOUNDED = frozenset(
    {
        r"[\w.$-]*\Z",  # looks back a bounded way from a place
        r"(?:[\w.-]{1,30}[ \t]){0,2}[\w-]*\Z",  # the same
        r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)^\s*\2\s*$",  # commands are cut before
    }
)
"""Patterns that see no more than a bounded text, whatever is read."""


@cache
def patterns() -> list[Pattern]:
    """Those that may see a text of any length."""
    return [pattern for pattern in _patterns() if pattern.text not in BOUNDED]


def _uses(pattern: Pattern) -> list[Callable[[str], object]]:
    compiled = re.compile(pattern.text, pattern.flags)
    uses: list[Callable[[str], object]] = []
    if pattern.methods & WALKING:
        uses.append(lambda text: sum(1 for _ in compiled.finditer(text)))
    if "match" in pattern.methods:
        uses.append(compiled.match)
    if "fullmatch" in pattern.methods:
        uses.append(compiled.fullmatch)
    return uses


def _worst(pattern: Pattern, size: int, enough: float) -> tuple[float, str]:
    """The most seconds of processor time that a text of `size` takes, and what it repeats."""
    worst = (0.0, "")
    for use in _uses(pattern):
        for seed in SEEDS:
            for tail in TAILS:
                text = (seed * (size // len(seed) + 1))[:size] + tail
                took = _time(use, text)
                if took > enough:
                    took = min(took, _time(use, text), _time(use, text))
                worst = max(worst, (took, repr(seed + tail)))
    return worst


def _time(use: Callable[[str], object], text: str) -> float:
    before = time.process_time()
    use(text)
    return time.process_time() - before


def _slow(size: int, enough: float) -> list[str]:
    worst = [(pattern, *_worst(pattern, size, enough)) for pattern in patterns()]
    return [
        f"{pattern.place} takes {took:.3f} s for {size:,} of {seed}: {pattern.text[:80]}"
        for pattern, took, seed in worst
        if took > enough
    ]


def test_the_patterns_are_found() -> None:
    assert len(patterns()) > 150


def test_no_pattern_is_slow_on_a_text_made_to_hurt() -> None:
    slow = _slow(2_000, 0.02)
    assert not slow, "\n".join(slow)


@pytest.mark.long
def test_no_pattern_is_slow_on_a_hundred_kilobytes() -> None:
    slow = _slow(100_000, 1.5)
    assert not slow, "\n".join(slow)
