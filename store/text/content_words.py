"""The words that carry a passage's meaning, for telling whether one passage restates another."""

from __future__ import annotations

import re
from functools import lru_cache

from store.text.vocabulary import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"(?<!\w)['\"`]([^\W_]{1,20})['\"`](?!\w)")
"""A word that is spoken of counts, however small it is."""
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)$")
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100", "twice": "2", "once": "1"}
_SPOKEN = frozenset(
    "yes no not ok okay right got understood agreed exactly sure well lets thanks please".split()
)
"""What is said in passing, beside the words of `STOP_WORDS`."""
_FEW_WORDS = 3
_OPENING = 700
"""Characters of a message that are looked at for a request."""
_UNSPACED = 20
"""Bytes beyond the characters of ten signs in a script that parts no words, such as Chinese."""


@lru_cache(maxsize=4_096)
def content_words(text: str) -> frozenset[str]:
    """The content words of a text, folded: no plurals, numbers as figures, no small words."""
    found = {_folded(match.lower()) or match.lower() for match in _QUOTED.findall(text)}
    found.update(map(_content_word, _WORD.findall(text)))
    return frozenset(found - {""})


def has_request(text: str) -> bool:
    """Return whether a message asks for something of its own: it has three content words or more.

    "Yes" and "commit please" do not.
    """
    text = text[:_OPENING]
    is_unspaced = len(text.encode(errors="replace")) - len(text) >= _UNSPACED
    return is_unspaced or len(content_words(text)) >= _FEW_WORDS


def covered(part: frozenset[str], whole: frozenset[str]) -> float:
    """Return the share (0 to 1) of the words of `part` that `whole` has too."""
    return len(part & whole) / len(part) if part else 0.0


@lru_cache(maxsize=16_384)
def _content_word(word: str) -> str:
    """Return a word as it is compared; empty for one that carries no meaning."""
    word = word.lower()
    return "" if word in STOP_WORDS or word in _SPOKEN else _folded(word)


def _folded(word: str) -> str:
    if ordinal := _ORDINAL.match(word):
        return ordinal.group(1)
    if word in _NUMBERS:
        return _NUMBERS[word]
    if len(word) < 3:
        return word if word.isdigit() else ""
    for ending in ("ing", "ies", "ied", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 4 else word
