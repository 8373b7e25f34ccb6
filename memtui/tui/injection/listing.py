"""Which candidates of a recall are listed, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from memtui.words.sentences import why_included
from store.recall.values import Recall, ScoredCandidate


@dataclass(frozen=True, slots=True)
class Filter:
    """What is looked for among the candidates: words, and whether only what was left out."""

    words: str = ""
    left_out: bool = False

    def admits(self, it: ScoredCandidate) -> bool:
        """Whether a candidate has all the words, and is out where only that is wanted."""
        if self.left_out and it.included:
            return False
        if not self.words:
            return True
        seen = it.observation
        text = (
            f"{seen.content} {seen.agent} {seen.category} #{seen.issue_number} {why_included(it)}"
        )
        held = f"{text} {' '.join(seen.tags)} {seen.id}".casefold()
        return all(word in held for word in self.words.casefold().split())


@dataclass(frozen=True, slots=True)
class Listing:
    """The candidates in the order shown; `totals` run over what is told, by id."""

    shown: tuple[ScoredCandidate, ...] = ()
    totals: Mapping[str, int] | None = None

    @classmethod
    def of(cls, recall: Recall, wanted: Filter, order: Sequence[str] = ()) -> Listing:
        """Those that a filter admits, best first; or in an earlier order of ids, new ones last."""
        running = accumulate(it.tokens for it in recall.candidates)
        ids = (it.observation.id for it in recall.candidates)
        shown = [it for it in recall.candidates if wanted.admits(it)]
        if order:
            places = {identifier: place for place, identifier in enumerate(order)}
            shown.sort(key=lambda it: places.get(it.observation.id, len(places)))
        return cls(tuple(shown), dict(zip(ids, running, strict=True)))

    @property
    def order(self) -> tuple[str, ...]:
        return tuple(it.observation.id for it in self.shown)

    def total(self, it: ScoredCandidate) -> int:
        return (self.totals or {}).get(it.observation.id, 0)
