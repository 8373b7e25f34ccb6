"""Words without which a rule finds nothing: those that a text holds, found in one pass over it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import ahocorasick  # type: ignore[import-not-found]

Places = Mapping[str, Sequence[int]]
"""The words that a text holds, each with the places where it begins."""


class Keywords:
    """Words in small letters, looked for all at once, however many they are."""

    def __init__(self, words: Iterable[str]) -> None:
        self._automaton = ahocorasick.Automaton()
        for word in words:
            self._automaton.add_word(word, word)
        self._automaton.make_automaton()

    def places(self, text: str) -> Places:
        """Return the words in a text of small letters, and where they begin, in order."""
        found: dict[str, list[int]] = {}
        for end, word in self._automaton.iter(text):
            found.setdefault(word, []).append(end - len(word) + 1)
        return found
