"""The first phase of a recall: what the index offers, before anything is judged or packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from tantivy import DocAddress, Occur, Order, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import Category, Observation
from store.recall.files import named_in
from store.recall.request import RecallRequest
from store.recall.values import NO_SIGNALS, Candidate, filling
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
from store.search.relevance import relevant

_RELEVANT = 150
_NEAR, _NEWEST = 80, 400
"""The newest of the issue and agent, and of the issue, that are looked at; and those of all, which
fill what room there is left.
"""
_ALWAYS = 50
_OF_CATEGORIES = "vault"
"""The profile that tells some of each category, however old they are."""
_REMEMBERED, _ANSWERS = 5_000, 100
"""How many observations are kept as they were read, and how many answers for terms."""

_LEAST, _LONG = 4, 6
"""The part of each list that is looked at in any case, and of the room that one may be told in."""
_CHOICE = 5_000
"""Characters of candidates beyond the room, so that there is a choice; no more than would fit."""

_AT_ONCE = 200
"""Of how many the lengths are read at once: most recalls judge fewer, of some 700."""

Places = dict[Key, DocAddress]
Terms = tuple[tuple[str, str | int], ...]
"""Fields of the index, and the value that each must have."""


class _Offered(NamedTuple):
    """Candidates for a request: the best of every list first, and their number."""

    keys: list[Key]
    addresses: list[DocAddress]
    best: int
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
        self._found: dict[tuple[Terms, int], Places] = {}
        self._last: tuple[object, _Offered] | None = None

    def are_of(self, searcher: Searcher, tail: Tail) -> bool:
        """The candidates are of this state of the index."""
        return self._searcher is searcher and self._tail is tail

    def candidates(self, request: RecallRequest, room: int, *, filtered: bool) -> list[Candidate]:
        """Find candidates by the task's words, the issue, the agent, pins, tasks and handoffs.

        The best of each, and further ones until they would more than fill `room` characters. The
        signal `relevance` is BM25 with neighbours, `bm25` that of an observation's own words, the
        best being 1. With `filtered`, only the agent and issue asked for.
        """
        asked = (
            request.agent,
            request.issue,
            request.text,
            request.pinned,
            filtered,
            request.profile,
        )
        last = self._last
        if last is None or last[0] != asked:
            last = self._last = asked, self._offered(request, filtered=filtered)
        offered = last[1]
        long = room // _LONG
        lengths = (min(length, long) for length in self._lengths(offered.addresses))
        enough = filling(lengths, room + min(room, _CHOICE))
        observations = self._observations(offered.addresses[: max(enough, offered.best)])
        return [
            Candidate(observation, offered.signals.get(key, NO_SIGNALS))
            for observation, key in zip(observations, offered.keys, strict=False)
        ]

    def _offered(self, request: RecallRequest, *, filtered: bool) -> _Offered:
        limits = _of_issue(request) + _of_agent(request) if filtered else ()
        within = self._all(map(self._exact, limits)) if limits else None
        hits = relevant(
            self._searcher, self._schema, request.text, most=_RELEVANT, within=within
        ).best
        lists = [({hit.key: hit.address for hit in hits}, _RELEVANT // _LEAST)]
        for terms, number in self._always_offered(request):
            least = -(-min(number, _NEAR) // _LEAST)
            lists.append((self._newest(terms + limits, number), least))
        if request.pinned:
            pinned = IndexQuery.term_set_query(
                self._schema, "id", sorted(map(backwards, request.pinned))
            )
            lists.append((self._search([pinned, *map(self._exact, limits)], _ALWAYS), _ALWAYS))
        named = naming(self._searcher, self._schema, named_in(request.text), within)
        lists.append((_places(named), len(named)))
        addresses: Places = {}
        for found, least in lists:
            addresses.update(islice(found.items(), least))
        leading = len(addresses)
        for found, _ in lists:
            addresses.update(found)  # what is there already keeps its place
        return _Offered(
            list(addresses),
            list(addresses.values()),
            leading,
            {hit.key: {"relevance": hit.score, "bm25": hit.own} for hit in hits},
        )

    def _lengths(self, addresses: list[DocAddress]) -> Iterator[int]:
        """The characters of the observations at these places, as far as they are asked for."""
        for at in range(0, len(addresses), _AT_ONCE):
            some = addresses[at : at + _AT_ONCE]
            yield from (
                int(value or 0) for value in self._searcher.fast_field_values("length", some)
            )

    @property
    def number(self) -> int:
        """Number of memories, archived ones among them."""
        return self._searcher.num_docs

    def having(self, stem: str) -> int:
        """In how many memories a word stands, by its stem."""
        return self._searcher.doc_freq("stems", stem)

    def handle(self, observation: Observation) -> str:
        """The shortest ending of an observation's id, from three letters, that no other has."""
        return self._endings.of(observation.id)

    def _always_offered(self, request: RecallRequest) -> Iterable[tuple[Terms, int]]:
        """Terms that are looked for whatever the task says, and how many of the newest."""
        by_issue, by_agent = _of_issue(request), _of_agent(request)
        yield by_issue + by_agent, _NEAR
        if by_issue:
            yield by_issue, _NEAR
        yield (), _NEWEST
        yield (("is", "pinned"),), _ALWAYS
        yield (("is", "open"),), _ALWAYS
        yield (("category", Category.HANDOFF), *by_issue, *by_agent), 1
        if request.profile == _OF_CATEGORIES:
            for category in (Category.PROJECT, Category.DECISION, Category.LESSON):
                yield (("category", category),), _ALWAYS

    def _newest(self, terms: Terms, most: int) -> Places:
        """The newest active observations that have all the terms."""
        found = self._found.get((terms, most))
        if found is None:
            if len(self._found) >= _ANSWERS:
                self._found.clear()
            found = self._found[terms, most] = self._search(map(self._exact, terms), most)
        return found

    def _search(self, queries: Iterable[IndexQuery], most: int) -> Places:
        """The newest active observations that all queries find."""
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
        field, value = term
        asked = without_surrogates(value) if isinstance(value, str) else value
        return IndexQuery.term_query(self._schema, field, asked, "basic")

    def _all(self, queries: Iterable[IndexQuery]) -> IndexQuery:
        clauses = [(Occur.Must, query) for query in queries]
        return IndexQuery.boolean_query(clauses) if clauses else IndexQuery.all_query()


def _of_issue(request: RecallRequest) -> Terms:
    """The terms that the issue asked for is found by."""
    return () if request.issue is None else (("issue", request.issue),)


def _of_agent(request: RecallRequest) -> Terms:
    """The terms that the agent asked for is found by."""
    return () if request.agent is None else (("agent", request.agent),)


def _places(addresses: Iterable[DocAddress]) -> Places:
    return {key_of(address): address for address in addresses}
