"""Words without inflection, and the word that is used for all of its meaning."""

from __future__ import annotations

import re
from functools import lru_cache

from store.text.vocabulary import ABBREVIATIONS, SYNONYMS

_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=65_536)
def root(word: str) -> str:
    """Return the word without case and inflection: `Retries` gives `retri`.

    A light suffix stripper for English; other words only lose their case.
    """
    return _stem(word.casefold())


@lru_cache(maxsize=65_536)
def meaning(word: str) -> str:
    """Return the root of the word written out, or of the synonym that is used for its group.

    See `ABBREVIATIONS` and `SYNONYMS`.
    """
    plain = root(ABBREVIATIONS.get(word.casefold(), word))
    return _MEANINGS.get(plain, plain)


def _stem(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ation", "ator", "ing", "ied", "ed", "ion", "er", "ly"):
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= 3 and _VOWEL.search(stem):
            word = _DOUBLED.sub(r"\1", stem) + ("y" if suffix == "ied" else "")
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


_MEANINGS = {root(word): root(group[0]) for group in SYNONYMS for word in group}
"""The root that stands for each root of a group of synonyms; `root` makes it."""
