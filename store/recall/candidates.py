"""The first phase of a recall: what the index offers, before anything is judged or packed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from tantivy import DocAddress, Occur, Order, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import Category, Observation
from store.recall.values import Candidate, Situation
from store.search.documents import NO_TAIL, Tail, observation_of
from store.search.relevance import relevant

_RELEVANT = 150
_NEAR = 80
"""The newest of the issue and agent, of the issue, and of all that are looked at."""
_ALWAYS = 50
_SHORTEST = 3
_REMEMBERED, _ANSWERS = 5_000, 100
"""How many observations are kept as they were read, and how many answers for terms."""

Terms = tuple[tuple[str, str | int], ...]
"""Fields of the index, and the value that each must have."""


class Offers:
    """What one state of the index offers for a recall. Reads nothing but the index.

    That state never changes, and so what was asked of it is kept: another budget, channel or mute
    asks for the same again.
    """

    def __init__(self, searcher: Searcher, schema: Schema, tail: Tail = NO_TAIL) -> None:
        self._searcher = searcher
        self._schema = schema
        self._tail = tail
        self._handles: dict[str, str] = {}
        self._read: dict[object, Observation] = {}
        self._found: dict[tuple[Terms, int], list[DocAddress]] = {}
        self._last: tuple[object, list[Candidate]] = (None, [])

    def are_of(self, searcher: Searcher, tail: Tail) -> bool:
        """Whether they are what this state offers."""
        return self._searcher is searcher and self._tail is tail

    def candidates(self, situation: Situation, *, filtered: bool = False) -> list[Candidate]:
        """What the task's words, the issue, the agent, pins, tasks and handoffs bring up.

        The signal `relevance` is BM25 with neighbours, `bm25` that of an observation's own words,
        the best being 1. With `filtered`, only the agent and issue asked for.
        """
        asked = (situation.agent, situation.issue, situation.task, situation.pinned, filtered)
        known, candidates = self._last
        if known != asked:
            candidates = self._candidates(situation, filtered=filtered)
            self._last = asked, candidates
        return candidates

    def _candidates(self, situation: Situation, *, filtered: bool) -> list[Candidate]:
        limits = _scope(situation) if filtered else ()
        found: dict[tuple[int, int], tuple[DocAddress, dict[str, float]]] = {}
        within = self._all(map(self._exact, limits)) if limits else None
        hits = relevant(self._searcher, self._schema, situation.task, most=_RELEVANT, within=within)
        best = max((hit.score for hit in hits), default=1.0)
        most = max((hit.own for hit in hits), default=1.0) or 1.0
        for hit in hits:
            signals = {"relevance": hit.score / best, "bm25": hit.own / most}
            found[_key(hit.address)] = (hit.address, signals)
        standing = [self._newest(terms + limits, most) for terms, most in self._standing(situation)]
        if situation.pinned:
            named = IndexQuery.term_set_query(self._schema, "id", sorted(situation.pinned))
            standing.append(self._search([named, *map(self._exact, limits)], _ALWAYS))
        for address in chain.from_iterable(standing):
            found.setdefault(_key(address), (address, {}))
        observations = self._observations([address for address, _ in found.values()])
        return [
            Candidate(observation, signals)
            for observation, (_, signals) in zip(observations, found.values(), strict=True)
        ]

    def handle(self, observation: Observation) -> str:
        """The shortest ending of an observation's id, from three letters, that no other has."""
        identifier = observation.id
        known = self._handles.get(identifier)
        if known is None:
            known = self._handles[identifier] = self._ending(identifier)
        return known

    def _ending(self, identifier: str) -> str:
        reverse = identifier[::-1]
        for length in range(_SHORTEST, len(reverse)):
            ending = reverse[:length]
            if ending[-1].isalnum():
                with_it = self._searcher.terms_with_prefix("di", ending, limit=2)
                if len(with_it) < 2:
                    return ending[::-1]
        return identifier

    def _standing(self, situation: Situation) -> Iterable[tuple[Terms, int]]:
        """What is looked at whatever the task says: terms, and how many of the newest."""
        by_issue, by_agent = _scope(situation, agent=False), _scope(situation, issue=False)
        yield by_issue + by_agent, _NEAR
        if by_issue and by_agent:
            yield by_issue, _NEAR
        yield (), _NEAR
        yield (("is", "pinned"),), _ALWAYS
        yield (("is", "open"),), _ALWAYS
        yield (("category", Category.HANDOFF), *by_issue, *by_agent), 1

    def _newest(self, terms: Terms, most: int) -> list[DocAddress]:
        """The newest active observations that have all the terms."""
        found = self._found.get((terms, most))
        if found is None:
            if len(self._found) >= _ANSWERS:
                self._found.clear()
            found = self._found[terms, most] = self._search(map(self._exact, terms), most)
        return found

    def _search(self, queries: Iterable[IndexQuery], most: int) -> list[DocAddress]:
        """The newest active observations that all queries find."""
        query = self._all([self._exact(("is", "active")), *queries])
        hits = self._searcher.search(
            query, most, count=False, order_by_field="time", order=Order.Desc
        ).hits
        return [address for _, address in hits]

    def _observations(self, addresses: list[DocAddress]) -> list[Observation]:
        """The observations at these places; one read before is not read again."""
        digests = self._searcher.fast_field_values("digest", addresses)
        found = []
        for digest, address in zip(digests, addresses, strict=True):
            observation = self._read.get(digest)
            if observation is None:
                observation = observation_of(self._searcher.doc(address), self._tail)
                if len(self._read) >= _REMEMBERED:
                    self._read.clear()
                self._read[digest] = observation
            found.append(observation)
        return found

    def _exact(self, term: tuple[str, str | int]) -> IndexQuery:
        return IndexQuery.term_query(self._schema, *term, "basic")

    def _all(self, queries: Iterable[IndexQuery]) -> IndexQuery:
        return IndexQuery.boolean_query([(Occur.Must, query) for query in queries])


def _scope(situation: Situation, *, agent: bool = True, issue: bool = True) -> Terms:
    """The terms that the agent and the issue asked for are found by."""
    by_issue = () if situation.issue is None or not issue else (("issue", situation.issue),)
    by_agent = () if situation.agent is None or not agent else (("agent", situation.agent),)
    return (*by_issue, *by_agent)


def _key(address: DocAddress) -> tuple[int, int]:
    return address.segment_ord, address.doc
