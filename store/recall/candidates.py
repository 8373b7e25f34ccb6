"""The first phase of a recall: what the index offers, before anything is judged or packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tantivy import DocAddress, Occur, Order, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import Category, Observation
from store.recall.files import named_in
from store.recall.request import RecallRequest
from store.recall.values import NO_SIGNALS, Candidate
from store.redaction.labels import agent_spellings
from store.search.analyzers import backwards, without_surrogates
from store.search.documents import (
    NO_TAIL,
    Endings,
    Key,
    Tail,
    key_of,
    naming,
    observation_of,
    unarchived,
)
from store.search.relevance import Relevant, relevant

_RELEVANT = 150
_NEWEST = 200
"""How many of the newest are looked at: of the issue and agent, of the issue, and of all."""
_WAITING = 50
"""How many pinned memories and open tasks are looked at, however old they are."""
OF_VAULTS = "vault"
"""The profile that tells some of each category, however old they are."""
_REMEMBERED = 5_000
"""How many observations are kept as they were read."""

Places = dict[Key, DocAddress]
Terms = tuple[tuple[str, str | int], ...]
"""Fields of the index, and the value that each must have."""


class _Offered(NamedTuple):
    """Candidates for a request, and the signals of those that are relevant to its words."""

    places: Places
    signals: Mapping[Key, Mapping[str, float]]


class CandidateSource:
    """Candidates from one state of the index. Reads nothing but the index.

    That state never changes, and so what was asked of it is kept: another budget, channel or mute
    asks for the same again.
    """

    def __init__(self, searcher: Searcher, schema: Schema, tail: Tail = NO_TAIL) -> None:
        self._searcher = searcher
        self._schema = schema
        self._tail = tail
        self._endings = Endings(searcher)
        self._read: dict[object, Observation] = {}
        self._last: tuple[object, _Offered] | None = None

    def are_of(self, searcher: Searcher, tail: Tail) -> bool:
        """Return whether the candidates are of this state of the index."""
        return self._searcher is searcher and self._tail is tail

    def candidates(self, request: RecallRequest, *, filtered: bool) -> list[Candidate]:
        """Find candidates by the task's words, the issue, the agent, pins, tasks and handoffs.

        The signal `relevance` is BM25 with neighbours, `bm25` that of an observation's own words.
        With `filtered`, only the agent and issue asked for.
        """
        asked = (
            request.agent,
            request.issue,
            request.text,
            request.pinned,
            filtered,
            request.profile,
        )
        if self._last is None or self._last[0] != asked:
            self._last = asked, self._offered(request, filtered=filtered)
        places, signals = self._last[1]
        return [
            Candidate(observation, signals.get(key, NO_SIGNALS))
            for key, observation in zip(places, self._observations([*places.values()]), strict=True)
        ]

    def relevant(self, request: RecallRequest, *, filtered: bool) -> list[Candidate]:
        """Find those that have words of the task, the most relevant first, with these signals."""
        within = self._all(map(self._exact, _limits(request))) if filtered else None
        hits = [hit for hit in self._hits(request, within) if hit.own]
        observations = self._observations([hit.address for hit in hits])
        return list(map(Candidate, observations, map(_signals, hits)))

    def _hits(self, request: RecallRequest, within: IndexQuery | None) -> Sequence[Relevant]:
        return relevant(
            self._searcher, self._schema, request.text, most=_RELEVANT, within=within
        ).best

    def _offered(self, request: RecallRequest, *, filtered: bool) -> _Offered:
        limits = _limits(request) if filtered else ()
        within = self._all(map(self._exact, limits)) if limits else None
        hits = self._hits(request, within)
        places = {hit.key: hit.address for hit in hits}
        for terms, number in self._always_offered(request):
            places |= self._search(map(self._exact, terms + limits), number)
        if request.pinned:
            pinned = IndexQuery.term_set_query(
                self._schema, "id", sorted(map(backwards, request.pinned))
            )
            places |= self._search([pinned, *map(self._exact, limits)], _WAITING)
        places |= _places(naming(self._searcher, self._schema, named_in(request.text), within))
        return _Offered(places, {hit.key: _signals(hit) for hit in hits})

    @property
    def number(self) -> int:
        """Number of memories, archived ones among them."""
        return self._searcher.num_docs

    def having(self, stem: str) -> int:
        """Return how many memories have a word, by its stem."""
        return self._searcher.doc_freq("stems", stem)

    def handle(self, observation: Observation) -> str:
        """The shortest ending of an observation's id, from three letters, that no other has."""
        return self._endings.of(observation.id)

    def _always_offered(self, request: RecallRequest) -> Iterator[tuple[Terms, int]]:
        """Terms that are looked for with any task, and how many of the newest."""
        by_issue, by_agent = _of_issue(request), _of_agent(request)
        yield by_issue + by_agent, _NEWEST
        if by_issue:
            yield by_issue, _NEWEST
        yield (), _NEWEST
        yield (("is", "pinned"),), _WAITING
        yield (("is", "open"),), _WAITING
        yield (("category", Category.HANDOFF), *by_issue, *by_agent), 1
        if request.profile == OF_VAULTS:
            yield (("is", "open"), *by_agent), _NEWEST
            for category in (Category.PROJECT, Category.DECISION, Category.LESSON):
                yield (("category", category),), _WAITING

    def _search(self, queries: Iterable[IndexQuery], most: int) -> Places:
        """Return the newest active observations that all queries find."""
        wanted = self._all(queries)
        others = unarchived(self._searcher, self._schema)
        hits = self._searcher.search(
            IndexQuery.boolean_query([(Occur.Must, wanted), *others]),
            most,
            count=False,
            order_by_field="time",
            order=Order.Desc,
        ).hits
        return _places(address for _, address in hits)

    def _observations(self, addresses: list[DocAddress]) -> list[Observation]:
        """Return the observations at these places; one read before is not read again."""
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
        field, value = term
        if field == "agent" and isinstance(value, str):
            names = [without_surrogates(name) for name in agent_spellings(value)]
            return IndexQuery.term_set_query(self._schema, field, names)
        asked = without_surrogates(value) if isinstance(value, str) else value
        return IndexQuery.term_query(self._schema, field, asked, "basic")

    def _all(self, queries: Iterable[IndexQuery]) -> IndexQuery:
        clauses = [(Occur.Must, query) for query in queries]
        return IndexQuery.boolean_query(clauses) if clauses else IndexQuery.all_query()


def _signals(hit: Relevant) -> Mapping[str, float]:
    return {"relevance": hit.score, "bm25": hit.own}


def _limits(request: RecallRequest) -> Terms:
    return _of_issue(request) + _of_agent(request)


def _of_issue(request: RecallRequest) -> Terms:
    return () if request.issue is None else (("issue", request.issue),)


def _of_agent(request: RecallRequest) -> Terms:
    return () if request.agent is None else (("agent", request.agent),)


def _places(addresses: Iterable[DocAddress]) -> Places:
    return {key_of(address): address for address in addresses}
