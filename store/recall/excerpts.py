"""Parts of a text that stand for the whole where there is no room for it."""

from __future__ import annotations

_INDEX_WIDTH = 80
"""The most characters of a line of the index."""


def leading_lines(text: str, most: int) -> str:
    """The first lines of a text that have at most so many characters; empty where the first has
    more, or there is no more than these.
    """
    end = text.rfind("\n", 0, most)
    return "" if end < 0 else text[:end].rstrip()


def shortened(summary: str) -> str:
    """A summary in a line of the index."""
    line = " ".join(summary.split())
    return line if len(line) <= _INDEX_WIDTH else line[: _INDEX_WIDTH - 1].rstrip() + "…"
