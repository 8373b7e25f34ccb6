"""The terms of a prompt, weighed by how rare each is, and what a prompt asks for. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from math import fsum, log

from store.search.analyzers import stem
from store.search.relevance import significant_words, stems_of

DocumentShare = Callable[[str], float]
"""The share (0 to 1) of all memories and messages that have a stem."""
_RAREST = 0.02
"""A term rarer than this weighs no more: it may be a slip of the pen."""
_LEADING = 800
"""Characters of a prompt that say what it is about: what follows are the steps of a plan, or a
log."""
_LONG_PROMPT, _ANSWERED_SHARE = 10, 3
"""The terms that an answer to a prompt needs at most, and which part of them in a longer one."""
_PREFIX = 4
"""Letters that two forms of a word have in common at least, one being the beginning of the other:
`lint` and `linter`."""
_QUESTION_WORDS = frozenset(
    "why what how where when which who whose is are was were does did".split()
)
_CONTINUING = frozenset(map(stem, ("continue", "resume", "proceed", "carry", "left")))
_CONTINUATION = _CONTINUING | set(map(stem, ("keep", "pick", "up", "off", "on", "work", "last")))
"""The stems of a prompt that only asks to go on: `continue`, `pick up where we left off`."""


_SCHEMES = ("https://", "http://")


class QueryTerms:
    """The stems of a prompt, each with its weight (inverse document frequency)."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        most = max(_LONG_PROMPT, len(weights) // _ANSWERED_SHARE)
        self._needed = fsum(sorted(weights.values(), reverse=True)[:most])
        self._by_beginning: defaultdict[str, list[str]] = defaultdict(list)
        for term in weights:
            self._by_beginning[term[:_PREFIX]].append(term)
        self._of_word = cache(self._forms)

    def shared(self, text: str) -> frozenset[str]:
        """Return the terms that a text has, in whatever form."""
        return frozenset().union(*map(self._of_word, significant_words(text)))

    def _forms(self, word: str) -> Sequence[str]:
        root = stem(word)
        begins = self._by_beginning.get(root[:_PREFIX])
        if begins is None:
            return ()
        return [term for term in begins if term.startswith(root) or root.startswith(term)]

    def weight(self, terms: Collection[str]) -> float:
        """Weight of terms together, the same in whatever order."""
        return fsum(map(self.weights.__getitem__, terms))

    def share(self, terms: Collection[str]) -> float:
        """Return the share (0 to 1) that some of the terms are of those that an answer needs."""
        return min(1.0, self.weight(terms) / self._needed) if self._needed else 0.0


def query_terms(text: str, document_share: DocumentShare) -> QueryTerms:
    """Return the terms of a prompt's beginning, rare ones weighing more."""
    stems = stems_of(without_addresses(text[:_LEADING]))
    return QueryTerms({stem: -log(min(1.0, max(document_share(stem), _RAREST))) for stem in stems})


def without_addresses(text: str) -> str:
    """Return a text with each web address cut to its last part: most addresses share the others."""
    return " ".join(
        word.rstrip("/").rpartition("/")[2] if word.startswith(_SCHEMES) else word
        for word in text.split()
    )


def is_question(text: str) -> bool:
    """Return whether the prompt asks something, rather than for something to be done."""
    first = text.split(maxsplit=1)[0].lower().rstrip(",:") if text.strip() else ""
    return first in _QUESTION_WORDS


def is_continuation(text: str) -> bool:
    """Return whether the prompt only asks to go on with what the last session did."""
    stems = stems_of(text)
    return bool(stems & _CONTINUING) and stems <= _CONTINUATION
