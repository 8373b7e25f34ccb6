"""The first phase of a recall: what the index offers, before anything is judged or packed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
_REMEMBERED = 5_000
_READ: dict[object, Observation] = {}
"""Observations by the digest of their document, which tells one state of a record from any other:
nothing that the files could contradict."""


class Offers:
    """What one state of the index offers for a recall. Reads nothing but the index."""

    def __init__(self, searcher: Searcher, schema: Schema, tail: Tail = NO_TAIL) -> None:
        self._searcher = searcher
        self._schema = schema
        self._tail = tail
        self._handles: dict[str, str] = {}

    def candidates(self, situation: Situation, *, filtered: bool = False) -> list[Candidate]:
        """What the task's words, the issue, the agent, pins, tasks and handoffs bring up.

        The signal `relevance` is BM25 with neighbours, `bm25` that of an observation's own words,
        the best being 1. With `filtered`, only the agent and issue asked for.
        """
        limits = self._scope(situation) if filtered else []
        found: dict[tuple[int, int], tuple[DocAddress, dict[str, float]]] = {}
        within = self._all(limits) if limits else None
        hits = relevant(self._searcher, self._schema, situation.task, most=_RELEVANT, within=within)
        best = max((hit.score for hit in hits), default=1.0)
        most = max((hit.own for hit in hits), default=1.0) or 1.0
        for hit in hits:
            signals = {"relevance": hit.score / best, "bm25": hit.own / most}
            found[_key(hit.address)] = (hit.address, signals)
        for queries, count in self._standing(situation):
            for address in self._newest([*queries, *limits], count):
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

    def _standing(self, situation: Situation) -> Iterable[tuple[list[IndexQuery], int]]:
        """What is looked at whatever the task says: queries, and how many of the newest."""
        by_issue = [] if situation.issue is None else [self._issue(situation.issue)]
        by_agent = [] if situation.agent is None else [self._exact("agent", situation.agent)]
        yield [*by_issue, *by_agent], _NEAR
        if by_issue and by_agent:
            yield by_issue, _NEAR
        yield [], _NEAR
        yield [self._exact("is", "pinned")], _ALWAYS
        yield [self._exact("is", "open")], _ALWAYS
        yield [self._exact("category", Category.HANDOFF), *by_issue, *by_agent], 1
        if situation.pinned:
            yield [IndexQuery.term_set_query(self._schema, "id", sorted(situation.pinned))], _ALWAYS

    def _scope(self, situation: Situation) -> list[IndexQuery]:
        """The filters for the agent and the issue asked for."""
        scope = [] if situation.issue is None else [self._issue(situation.issue)]
        if situation.agent is not None:
            scope.append(self._exact("agent", situation.agent))
        return scope

    def _newest(self, queries: Sequence[IndexQuery], most: int) -> list[DocAddress]:
        """The newest active observations that all queries find."""
        query = self._all([self._exact("is", "active"), *queries])
        hits = self._searcher.search(
            query, most, count=False, order_by_field="time", order=Order.Desc
        ).hits
        return [address for _, address in hits]

    def _observations(self, addresses: list[DocAddress]) -> list[Observation]:
        """The observations at these places; one read before is not read again."""
        digests = self._searcher.fast_field_values("digest", addresses)
        found = []
        for digest, address in zip(digests, addresses, strict=True):
            observation = _READ.get(digest)
            if observation is None:
                observation = observation_of(self._searcher.doc(address), self._tail)
                if len(_READ) >= _REMEMBERED:
                    _READ.clear()
                _READ[digest] = observation
            found.append(observation)
        return found

    def _issue(self, issue: int) -> IndexQuery:
        return IndexQuery.term_query(self._schema, "issue", issue)

    def _exact(self, field: str, value: str) -> IndexQuery:
        return IndexQuery.term_query(self._schema, field, value, "basic")

    def _all(self, queries: Sequence[IndexQuery]) -> IndexQuery:
        return IndexQuery.boolean_query([(Occur.Must, query) for query in queries])


def _key(address: DocAddress) -> tuple[int, int]:
    return address.segment_ord, address.doc
