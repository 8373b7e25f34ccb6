"""The shortest ending of an id that no other has: what a memory or a message is named by."""

from __future__ import annotations

from tantivy import Searcher

from store.search.analyzers import backwards

_SHORTEST, _LONG_ENOUGH = 3, 12
"""The fewest letters of an ending, and those of the first that is asked about."""
_FEW = 16
"""The ids that have an ending in common from which on a longer one is asked about."""


class Endings:
    """The endings of ids in one state of an index; what was asked about is kept."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self._known: dict[str, str] = {}
        self._usual = _LONG_ENOUGH

    def of(self, identifier: str) -> str:
        """The shortest ending, from three letters and beginning with a letter or digit, that no
        other id has; the whole where there is none.
        """
        known = self._known.get(identifier)
        if known is None:
            known = self._known[identifier] = self._found(backwards(identifier)) or identifier
        return known

    def _found(self, reverse: str) -> str:
        """The ending of an id that is written backwards, by those that have a shorter one in
        common with it: these are asked for at once. About as long as the last ones were, since
        asking costs as much as ids have it.
        """
        length = max(_SHORTEST, min(self._usual - 1, len(reverse) - 1))
        others = self._others(reverse, length)
        while not others and length > _SHORTEST:
            length -= 1
            others = self._others(reverse, length)
        while len(others) >= _FEW and length < len(reverse):
            length += 1
            others = self._others(reverse, length)
        shared = length if others else length - 1
        for other in others:
            while shared < len(reverse) and other.startswith(reverse[: shared + 1]):
                shared += 1
        for length in range(max(_SHORTEST, shared + 1), len(reverse)):
            if reverse[length - 1].isalnum():
                self._usual = length
                return reverse[:length][::-1]
        return ""

    def _others(self, reverse: str, length: int) -> list[str]:
        """Other ids that end in so many letters of this one, a few of them where they are many."""
        found = self._searcher.terms_with_prefix("id", reverse[:length], limit=_FEW + 1)
        return [it for it, _ in found if it != reverse]
