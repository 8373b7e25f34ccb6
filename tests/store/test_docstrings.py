"""Docstrings say more than the name does, in whole sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_EMPTY = frozenset("a an and as at be by for from in is it of on or that the this to".split())
_WORD = re.compile(r"[a-z]+")
_ENDS = re.compile(r"[.:!?…][)`\"'”]*$")


def _docstrings() -> Iterator[tuple[str, str, str]]:
    """Where each docstring stands, the name of what it is of, and its text."""
    for folder in ("memtui", "store"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(path.read_text())
            yield f"{path.relative_to(ROOT)}", path.stem, ast.get_docstring(tree) or ""
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    place = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield place, node.name, ast.get_docstring(node) or ""


def _stems(text: str) -> set[str]:
    """The words that say something, without the endings of plurals and verbs."""
    return {
        re.sub(r"(?:ies|y|es|ed|ing|s|e)$", "", word)
        for word in _WORD.findall(text.lower())
        if word not in _EMPTY
    }


def _repeats(name: str, text: str) -> bool:
    """Whether a docstring has no word that its name has not."""
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().replace("_", " ")
    return bool(text) and "`" not in text and _stems(text) <= _stems(words)


def _cut(text: str) -> bool:
    """Whether a blank line stands inside a sentence."""
    blocks = [block.rstrip() for block in text.split("\n\n")]
    last_lines = (block.rpartition("\n")[2] for block in blocks[:-1])
    return any(
        not _ENDS.search(line) for line in last_lines if not line.startswith((" ", "|", "-"))
    )


def test_docstrings_are_whole_sentences_that_say_more_than_a_name() -> None:
    found = list(_docstrings())
    assert len(found) > 1_000
    assert [f"{place} {text}" for place, name, text in found if _repeats(name, text)] == []
    assert [f"{place} {text}" for place, _, text in found if _cut(text)] == []


def test_the_checks_can_fail() -> None:
    assert _repeats("draw_rows", "Draw the row.")
    assert not _repeats("draw_rows", "Draw every row anew.")
    assert _cut("Counts what\n\nwas told.")
    assert not _cut("Counts.\n\nWhat was told, too.")
