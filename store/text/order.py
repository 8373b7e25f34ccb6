"""Differences in the order of words between texts that have the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from store.text.normalise import normalise
from store.text.vocabulary import STOP_WORDS

_ARTICLES = frozenset("a an the".split())
_TURNING = frozenset("from into over under than above below until".split())
"""Small words that say which of two comes first."""
_ANYWHERE = frozenset(normalise(f"{' '.join(STOP_WORDS - _TURNING)} please always").split())
"""Words whose place changes nothing."""
_FAR = 2
"""One word that alone was moved over so many is an aside ("measured: …"), or a verb."""


def is_reordered(one: str, other: str) -> bool:
    """Whether a word of both stands among others than in the other text: "A before B" and "B before
    A", "as year, month, day" and "as day, month, year".

    Sentences and clauses may change places, and each text may have words of its own: of the words
    of both, each has a neighbour that it has in the other text, too, with the small words between
    them or without.
    """
    words, others = _words(one), _words(other)
    if words == others:
        return False
    counts, of_others = Counter(words), Counter(others)
    mine = [word for word in words if counts[word] == of_others[word]]
    theirs = [word for word in others if counts[word] == of_others[word]]
    telling, of_other = _significant(mine), _significant(theirs)
    alone = _alone(mine, theirs) & _alone(telling, of_other)
    return any(not _is_aside(word, telling, of_other) for word in alone)


@lru_cache(maxsize=4_096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in normalise(text).split() if word not in _ARTICLES)


def _significant(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _ANYWHERE]


def _alone(words: Sequence[str], others: Sequence[str]) -> frozenset[str]:
    """The words that have no neighbour which they have in the other order of the same words."""
    if words == others:
        return frozenset()
    shared = frozenset(pairwise(words)) & frozenset(pairwise(others))
    return frozenset(words).difference(*shared)


def _is_aside(word: str, words: Sequence[str], others: Sequence[str]) -> bool:
    """This word alone was moved, and over several others."""
    return abs(words.index(word) - others.index(word)) >= _FAR and (
        [it for it in words if it != word] == [other for other in others if other != word]
    )
