"""No pattern takes time that grows with the square of a text: what is read may be made to hurt."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import memtui
import store
from memtui.cli import output
from store import backends
from store.platform import bounds
from store.redaction.private_blocks import remove_private
from store.redaction.sanitizer import sanitize
from store.search import query
from store.text import normalise, turns
from store.text.relative_dates import _relative

MODULES = [
    path
    for package in (store, memtui)
    for path in sorted(Path(package.__file__ or "").parent.rglob("*.py"))
]
_USES_PATTERNS = re.compile(r"\bre\.|\blazy_pattern\(")
FLAGS = {
    name: getattr(re, name)
    for name in ("A", "ASCII", "I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE")
}
WALKING = {"search", "finditer", "findall", "sub", "subn", "split"}
SEEDS = (
    "\n", " ", "a", "A", "0", "-", "_", ".", "/", "\\", '"', "'", "`", "(", "[", "{", "<", ">", "=",
    ":", ",", "|", "*", "#", "@", "\t", "é", "a ", "a\n", " \n", "a.", "a/", "a-", "a_", "1,", "1.",
    "x=", '"a" ', "- a\n", "# a\n", "a=b ", 'git commit -m "', "git diff ", "ignore all ", "$(",
    "<!--", "<<EOF\n", "https://a/", "a@b.", "key=", "token: ", "```\n", "a/b.py ", "\r\n",
    "error ",
)  # fmt: skip
TAIL = "\x00"
"""What no pattern takes, so that a match that came to the end is given up."""
_REPEATING = re.compile(r"[*+{]")
"""What a pattern that takes longer for more text has: without, it looks at a bounded text."""
_LITERAL = re.compile(r"[<@#\[]?[A-Za-z]{3,}")
"""The words of a pattern, of which a text may be made too."""
_SQUARE = 20
"""Times as long for eight times the text: more than in proportion, less than by the square."""
_SUSPECT = 9
"""Times as long for eight times a short text: what grows by the square begins to show."""


class Pattern(NamedTuple):
    """A pattern of the code, where it stands, and how it is used."""

    place: str
    text: str
    flags: int
    methods: frozenset[str]


def _flags(node: ast.expr) -> int:
    names = [it.attr for it in ast.walk(node) if isinstance(it, ast.Attribute)]
    return sum({int(FLAGS[name]) for name in names if name in FLAGS})


@cache
def _patterns() -> list[Pattern]:
    """All patterns written as one literal; by name, with the methods that its module uses."""
    return list(_written())


def _written() -> Iterator[Pattern]:
    for path in MODULES:
        source = path.read_text()
        if not _USES_PATTERNS.search(source):
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
                    func=ast.Attribute(value=ast.Name(id="re"), attr=attr)
                    | ast.Name(id="lazy_pattern" as attr),
                    args=[ast.Constant(value=str(text)), *others],
                ):
                    pass
                case _:
                    continue
            flags = sum(_flags(it) for it in (*others, *(it.value for it in node.keywords)))
            methods = {attr} - {"compile", "lazy_pattern"}
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
        r"(?:archive/|activity/)?(?:\.[\w.-]+\.tmp|[\w.-]+\.json\.lock)",  # names of files
        normalise._SCANNER.pattern,  # chunks of 256 characters
    }
)
"""Patterns that see no more than a bounded text, whatever is read."""


def _module(path: Path) -> ModuleType:
    root = next(it for it in path.parents if it.name in ("store", "memtui"))
    name = ".".join(path.relative_to(root.parent).with_suffix("").parts)
    return import_module(name.removesuffix(".__init__"))


def _within(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """The patterns that a value of a module is, or holds."""
    if isinstance(value, re.Pattern | type(re.compile(""))):
        yield value
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from _within(item, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _within(item, depth - 1)


def _made() -> Iterator[Pattern]:
    """The patterns that modules make of parts, in loops or in tables, as they stand when imported;
    those of bytes as text.
    """
    known = {pattern.text for pattern in _patterns()}
    for path in MODULES:
        source = path.read_text()
        if path.name == "__main__.py" or not _USES_PATTERNS.search(source):
            continue
        for name, value in vars(_module(path)).items():
            for each in _within(value):
                text = (
                    each.pattern.decode("latin-1")
                    if isinstance(each.pattern, bytes)
                    else each.pattern
                )
                if text in known:
                    continue
                known.add(text)
                called = set(re.findall(rf"\b{re.escape(name)}\.(\w+)\(", source))
                flags = each.flags & ~re.UNICODE | (
                    re.ASCII if isinstance(each.pattern, bytes) else 0
                )
                yield Pattern(
                    f"{path.parent.name}/{path.name}:{name}",
                    text,
                    int(flags),
                    frozenset(called & {*WALKING, "match", "fullmatch"} or {"search"}),
                )
    for text in (_relative().pattern, backends._PASSWORD, output._ESCAPED, bounds._DEEP_KEY):
        yield Pattern("compiled later", text, re.IGNORECASE, frozenset({"search"}))
    for text in (backends._URL, query._AGE, query._DATE):
        yield Pattern("compiled later", text, 0, frozenset({"fullmatch"}))


@cache
def patterns() -> list[Pattern]:
    """Those that may see a text of any length, and look at more than a few characters of it."""
    found = (*_patterns(), *_made())
    return [it for it in found if it.text not in BOUNDED and _REPEATING.search(it.text)]


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


def _worst(pattern: Pattern, size: int, telling: float) -> tuple[float, str]:
    """The most seconds of processor time that a text of `size` takes, and what it repeats.

    What is `telling` is the least of three times: a busy machine lengthens any of them.
    """
    worst = (0.0, "")
    words = dict.fromkeys(word for word in _LITERAL.findall(pattern.text))
    for use in _uses(pattern):
        for seed in (*SEEDS, *list(words)[:3]):
            text = (seed * (size // len(seed) + 1))[:size] + TAIL
            took = _time(use, text)
            if took > max(worst[0], telling):
                took = min(took, _time(use, text), _time(use, text))
            worst = max(worst, (took, seed))
    return worst


def _time(use: Callable[[str], object], text: str) -> float:
    before = time.process_time()
    use(text)
    return time.process_time() - before


def _telling(size: int) -> float:
    """Seconds that tell, on the machine at hand: a fraction of what goes by the square takes."""
    blanks, search = "\n" * size, re.compile(r"^\s*url=", re.M).search
    return min(_time(search, blanks) for _ in range(3)) / 40


def _growth(pattern: Pattern, seed: str, size: int) -> float:
    """How many times longer a pattern takes for eight times the text."""

    def least(size: int) -> float:
        text = seed * (size // len(seed)) + TAIL
        return min(sum(_time(use, text) for use in _uses(pattern)) for _ in range(3))

    return least(8 * size) / least(size)


def _slow(size: int, enough: float, telling: float) -> list[str]:
    """The patterns that take longer than `enough`, or `telling` and ever more for more text."""
    found = []
    for pattern in patterns():
        took, seed = _worst(pattern, size, telling)
        said = f"{seed!r}: {pattern.place} {pattern.text[:80]}"
        if took > enough:
            found.append(f"{took:.3f} s for {size:,} of {said}")
        elif took <= telling or _growth(pattern, seed, size // 4) < _SUSPECT:
            continue
        elif (times := _growth(pattern, seed, size)) > _SQUARE:
            found.append(f"{times:.0f} times as long for eight times {size:,} of {said}")
    return found


@pytest.mark.parametrize("seed", ["facebook", "curl ", "key", "<private", "secret is "])
def test_no_text_holds_up_the_gate(seed: str) -> None:
    text = (seed * 200_000)[:1_000_000]
    assert _time(sanitize, text[:8_000]) < 1.0
    assert _time(remove_private, text) < 1.0


def test_no_pattern_is_slow_on_a_text_made_to_hurt() -> None:
    found = {it.text for it in patterns()}
    assert any("dorénavant" in text for text in found)
    assert len(found) > 200
    assert turns._MARK.pattern in found
    assert any("sub_?agent" in it for it in found)
    slow = _slow(500, 0.01, _telling(500))
    assert not slow, "\n".join(slow)


@pytest.mark.parametrize("text", [r"^\s*url=", r"<private\b[^>]*>.*?</private>"])
def test_a_pattern_that_grows_by_the_square_is_noticed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = Pattern("here", text, int(re.M), frozenset({"search"}))
    monkeypatch.setitem(globals(), "patterns", lambda: [pattern])
    assert _slow(500, 0.01, _telling(500))


@pytest.mark.long
def test_no_pattern_is_slow_on_a_hundred_kilobytes() -> None:
    slow = _slow(100_000, 1.5, 1.5)
    assert not slow, "\n".join(slow)
