"""Docstrings say more than the name does, in whole sentences."""

from __future__ import annotations

import re

from tests.sources import sources

_EMPTY = frozenset("a an and as at be by for from in is it of on or that the this to".split())
_WORD = re.compile(r"[a-z]+")
_ENDS = re.compile(r"[.:!?…][)`\"'”]*$")


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
    found = [it for source in (*sources("memtui"), *sources("store")) for it in source.made]
    assert len(found) > 1_000
    assert [it for it in found if _repeats(it.name, it.docstring)] == []
    assert [it for it in found if _cut(it.docstring)] == []


def test_the_checks_can_fail() -> None:
    assert _repeats("draw_rows", "Draw the row.")
    assert not _repeats("draw_rows", "Draw every row anew.")
    assert _cut("Counts what\n\nwas told.")
    assert not _cut("Counts.\n\nWhat was told, too.")
