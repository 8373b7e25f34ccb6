"""Similarity of texts, and similar ones among many without comparing each with each."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from store.text.facts import Facts, facts_of
from store.text.normalise import normalise
from store.text.vocabulary import STOP_WORDS

_ARTICLES = frozenset("a an the".split())
_TURNING = frozenset("from into over under than above below until".split())
"""Small words that say which of two comes first."""
_ANYWHERE = frozenset(normalise(f"{' '.join(STOP_WORDS - _TURNING)} please always").split())
"""Words whose place changes nothing."""
_FAR = 2
"""One word that alone was moved over so many is an aside ("measured: …"), or a verb."""
NEAR_DUPLICATE = 85.0
"""The similarity from which texts say the same, where nothing else tells them apart."""
_BLOCK_SIZE = 48
_KEYS_PER_TEXT = 12
_LOOKED_AT = 12


def is_reordered(one: str, other: str) -> bool:
    """Return whether a word of both has other neighbours in the other text: "A before B" and "B
    before A", "as year, month, day" and "as day, month, year".

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
        [other for other in words if other != word] == [other for other in others if other != word]
    )


def similarity(one: str, other: str) -> float:
    """Similarity of two texts, from 0 to 100, whatever the order of their words.

    The ratio of rapidfuzz over the sorted words of the common forms (`normalise`).
    """
    from rapidfuzz import fuzz

    return fuzz.token_sort_ratio(normalise(one), normalise(other))


def near_duplicates(
    texts: Sequence[str], held: Sequence[str], threshold: float = NEAR_DUPLICATE
) -> list[int | None]:
    """For each text the index of the held one that means the same already, or None.

    A held twin is as alike as `threshold` asks, has every number, path, identifier, name and
    negation of the text, and its words in no order that may mean something else (`is_reordered`),
    so that leaving the text out loses nothing. Of several, the most alike, then the last.
    """
    from rapidfuzz import fuzz, process

    if not texts or not held:
        return [None] * len(texts)
    forms = [_in_order(text) for text in held]
    twins: list[int | None] = []
    for text in texts:
        alike = process.extract(
            _in_order(text), forms, scorer=fuzz.ratio, score_cutoff=threshold, limit=None
        )
        ranked = sorted(((ratio, index) for _, ratio, index in alike), reverse=True)
        same = (index for _, index in ranked if _is_covered_by(text, held[index]))
        twins.append(next(same, None))
    return twins


@lru_cache(maxsize=4_096)
def _in_order(text: str) -> str:
    """The words of the common form in alphabetical order; kept, as each text meets many others."""
    return " ".join(sorted(normalise(text).split()))


def _is_covered_by(one: str, other: str) -> bool:
    return is_covered_by(facts_of(one), facts_of(other)) and not is_reordered(one, other)


def is_covered_by(one: Facts, other: Facts) -> bool:
    """Return whether `one` has no mark that `other` lacks, and neither turns the other round."""
    return one.contrasts == other.contrasts and one.marks <= other.spoken


class Blocks:
    """Finds the texts that share rare words, so that only those need to be compared.

    Each text is filed under its rarest words alone (prefix filtering, Chaudhuri et al., "A
    Primitive Operator for Similarity Joins in Data Cleaning", 2006), and of each word only the
    texts filed last are looked at: the work for a text is bounded whatever the number of texts.
    """

    def __init__(self, bags: Iterable[frozenset[str]]) -> None:
        """Count in how many of `bags` each word stands; rare words make the blocks.

        Of those as rare the first by the alphabet; one that is in one bag alone leads nowhere.
        """
        count = Counter(chain.from_iterable(bags))
        shared = sorted((many, word) for word, many in count.items() if many > 1)
        self._rank = {word: rank for rank, (_, word) in enumerate(shared, 1)}
        self._filed: dict[int, deque[int]] = {}

    def meet(self, index: int, bag: frozenset[str]) -> list[int]:
        """Return the texts filed that share most of the bag's rare words, best first; then file
        the text `index` under the rarest words of its bag.
        """
        keys = self._keys(bag)
        found = self._sharing(keys)
        self._file(index, keys)
        return found

    def _file(self, index: int, keys: Sequence[int]) -> None:
        for key in keys:
            filed = self._filed.get(key)
            if filed is None:
                filed = self._filed[key] = deque(maxlen=_BLOCK_SIZE)
            filed.append(index)

    def _sharing(self, keys: Sequence[int]) -> list[int]:
        shared = Counter(chain.from_iterable(self._filed.get(key, ()) for key in keys))
        last_first = sorted(shared, reverse=True)
        return sorted(last_first, key=shared.__getitem__, reverse=True)[:_LOOKED_AT]

    def _keys(self, bag: frozenset[str]) -> list[int]:
        """Return the ranks of its rarest words that others have too."""
        return sorted(filter(None, map(self._rank.get, bag)))[:_KEYS_PER_TEXT]
