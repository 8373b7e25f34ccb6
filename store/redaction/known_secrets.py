"""Secrets found in a text, known again wherever else they are."""

from __future__ import annotations

import re

_REPEATED_FROM = 8
"""Characters from which on a secret is looked for where nothing around it tells."""
_WORD_STARTS = re.compile(rf"(?<![A-Za-z0-9])(?=(.{{{_REPEATED_FROM}}}))", re.S)


class KnownSecrets:
    """The secrets that were found, each with its mark; looked for in a text in one pass, however
    many they are.
    """

    def __init__(self) -> None:
        self.marks: dict[str, str] = {}
        self._lengths: dict[str, set[int]] = {}
        """The lengths of the secrets that begin with the same few characters."""

    def add(self, secret: str, mark: str) -> str:
        """Remember a secret, and return its mark: the first that it was given."""
        if len(secret) >= _REPEATED_FROM:
            self._lengths.setdefault(secret[:_REPEATED_FROM], set()).add(len(secret))
        return self.marks.setdefault(secret, mark)

    def marked(self, text: str) -> str:
        """Return the text with the known secrets marked, also where nothing around them shows
        it."""
        if not self._lengths:
            return text
        parts: list[str] = []
        at = 0
        for found in _WORD_STARTS.finditer(text):
            start = found.start()
            lengths = self._lengths.get(found[1]) if start >= at else None
            for length in sorted(lengths or (), reverse=True):
                end = start + length
                mark = self.marks.get(text[start:end])
                if mark is not None and not (text[end : end + 1].isalnum() and text[end].isascii()):
                    parts += (text[at:start], mark)
                    at = end
                    break
        return "".join((*parts, text[at:]))
