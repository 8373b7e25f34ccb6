"""Phrases that a text may hold in any case: most are neither compiled nor looked for in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from store.text.regex import regex

if TYPE_CHECKING:
    import re


class Phrases:
    """Phrases, each behind a cheap question: whether a text has a piece that none goes without.

    `whole` are plain phrases, as they stand between other words, parted by "|". `patterns` are
    regular expressions by the pieces, parted in the same way, of which each text that fits has one.
    All of it is in lower case, as a text is made before it is asked.
    """

    def __init__(self, whole: str = "", patterns: Mapping[str, str] | None = None) -> None:
        made = {each: rf"\b{each}\b" for each in whole.split("|") if each}
        self._by_piece = [
            (piece, pattern)
            for pieces, source in {**made, **(patterns or {})}.items()
            for pattern in (regex(source),)
            for piece in pieces.split("|")
        ]

    def stand_in(self, text: str) -> bool:
        """Whether a text has one of the phrases."""
        return any(True for _ in self._found(text))

    def count(self, text: str) -> int:
        """How many of the phrases a text has."""
        return len(set(self._found(text)))

    def patterns(self) -> Iterator[re.Pattern[str]]:
        """The regular expressions, compiled or not."""
        return (pattern for _, pattern in self._by_piece)

    def _found(self, text: str) -> Iterator[re.Pattern[str]]:
        told = text.lower()
        for piece, pattern in self._by_piece:
            if piece in told and pattern.search(told):
                yield pattern
