"""Docstrings are whole sentences."""

from __future__ import annotations

import re

from tests.sources import sources

_ENDS = re.compile(r"[.:!?…][)`\"'”]*$")


def _cut(text: str) -> bool:
    """Whether a blank line stands inside a sentence."""
    blocks = [block.rstrip() for block in text.split("\n\n")]
    last_lines = (block.rpartition("\n")[2] for block in blocks[:-1])
    return any(
        not _ENDS.search(line) for line in last_lines if not line.startswith((" ", "|", "-"))
    )


def test_docstrings_are_whole_sentences() -> None:
    found = [it for source in (*sources("memtui"), *sources("store")) for it in source.made]
    assert len(found) > 1_000
    assert [it for it in found if _cut(it.docstring)] == []


def test_the_checks_can_fail() -> None:
    assert _cut("Counts what\n\nwas told.")
    assert not _cut("Counts.\n\nWhat was told, too.")
