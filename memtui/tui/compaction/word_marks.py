"""Texts side by side: which words of one the other does not have."""

from __future__ import annotations

import re

from textual.content import Content

from store.text.display import visible

_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?()[]{}\"'`“”‘’*_"


def marked(text: str, other: str, style: str) -> Content:
    """`text` with the words that `other` lacks in `style`.

    Case, and the punctuation around a word, make no difference, nor does the order of words.
    """
    shown = visible(text)
    known = {_plain(word) for word in _WORD.findall(visible(other))}
    content = Content(shown)
    for start, end in _runs(shown, known):
        content = content.stylize(style, start, end)
    return content


def _runs(text: str, known: set[str]) -> list[tuple[int, int]]:
    """Where the words stand that are not known; neighbours in a line as one."""
    runs: list[tuple[int, int]] = []
    joins = False
    for match in _WORD.finditer(text):
        plain = _plain(match[0])
        if not plain:
            continue
        if plain in known:
            joins = False
            continue
        if joins and "\n" not in text[runs[-1][1] : match.start()]:
            runs[-1] = (runs[-1][0], match.end())
        else:
            runs.append(match.span())
        joins = True
    return runs


def _plain(word: str) -> str:
    """A word without the punctuation around it, in small letters."""
    return word.strip(_AROUND).casefold()
