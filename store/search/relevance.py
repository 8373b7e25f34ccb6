"""Relevance to a task: BM25 over its words, carried over to what was said around.

An observation is judged with its neighbours of the same session, whose scores are blended in after
the query, so that the answer after a question and the reason before a decision are found too.
Nothing is indexed twice for that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import groupby, repeat
from math import log2
from operator import itemgetter, mul
from typing import NamedTuple

from tantivy import DocAddress, Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.search.analyzers import cjk_runs, cjk_terms, plain_terms, stem, with_parts, without_cjk
from store.search.documents import Key, key_of, unarchived

_HITS = 300
_SESSIONS = 40
_NEIGHBOURS = 1_200
_TERMS = 48
"""The rarest words of a long task that are asked for; the rest would add time, not sense."""
_BLEND: Mapping[int, float] = {-2: 0.25, -1: 0.5, 0: 1.0, 1: 0.35, 2: 0.25}
"""How much of the score of an observation so many places away counts for the one here."""
_REACH = max(map(abs, _BLEND))
_SESSION = 0.5
"""What the mean of a session's best adds to each observation of it; what `tests.bench.recall` finds
falls without this and without each of the five numbers below."""
_BEST_OF_SESSION = 3
_AGENT = 8.0
"""Added for the agent that the task names."""
_AGENT_IN_TEXT = 0.3
"""What a word that names the agent counts for in the text."""
_PHRASE = 0.5
"""What two words side by side count for, beside what each does."""
_COMMON = 2_000
_DATE = 3.0
"""Added for each word of a date that the task names."""
_LENGTH = 0.2
"""The share of its score that a text gains with each doubling of its length."""

_DATE_NAMES = frozenset(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_STOP_WORDS = frozenset(
    """
    a an and are as at be been being but by do does did doing done for from had has have having i
    if in into is it its me my of on or our ours so some such than that the their theirs them then
    there these they this those to too us was we were you your yours he her hers him his she
    what when where which while who whom whose why how will would can could shall should must am
    any about also with both between during go going gone get got make made say said tell told
    would like just not no nor kind kinds type types many much please let s t d ll m re ve don
    """.split()
)


Limit = tuple[Occur, IndexQuery]
Digest = int | float | None
"""What a fast field has; of a digest always a number."""


class Relevant(NamedTuple):
    """A document and how relevant it is; the scale is that of the query, greater is better.

    `own` is the BM25 score of its own words, without what is around it.
    """

    address: DocAddress
    key: Key
    score: float
    own: float = 0.0


class Relevance(NamedTuple):
    """The most relevant documents, best first; of all that were found by their own words, in this
    order, the sessions and the scores of these.
    """

    best: Sequence[Relevant] = ()
    sessions: Sequence[Digest] = ()
    scores: Sequence[float] = ()

    def of_sessions(self) -> dict[int, float]:
        """The greatest score of each session, the best of all being 1; the best come first."""
        # The last of a session's stays in a dict: from the end, that is its best.
        greatest = dict(zip(reversed(self.sessions), reversed(self.scores), strict=True))
        best = (self.scores[0] if self.scores else 0.0) or 1.0
        return {int(key or 0): score / best for key, score in greatest.items() if score}


NOTHING_RELEVANT = Relevance()


class _Words(NamedTuple):
    """The words of a task: all in order, those that mean something, and the agents it names."""

    all: tuple[str, ...]
    telling: tuple[str, ...]
    agents: tuple[str, ...]

    @property
    def agent_words(self) -> frozenset[str]:
        return frozenset(word for agent in self.agents for word in _parts_of(agent))


def relevant(
    searcher: Searcher,
    schema: Schema,
    task: str,
    *,
    most: int,
    within: IndexQuery | None = None,
    around: int = _SESSIONS,
) -> Relevance:
    """Return the `most` relevant active observations for a task; none where it means nothing.

    `within` limits them to what a query finds (an issue, an agent); in the sessions of
    the `around` best, their neighbours count.
    """
    words = _words_of(searcher, task)
    asked = _query(searcher, schema, task, words)
    if asked is None:
        return NOTHING_RELEVANT
    limits = unarchived(searcher, schema)
    if within is not None:
        limits.append((Occur.Must, within))
    hits = searcher.search(_inside(asked, limits), _HITS, count=False).hits
    addresses = [address for _, address in hits]
    found = _Found(searcher, addresses)
    own = dict(zip(found.places, [score for score, _ in hits], strict=True))
    scores = dict(own)
    sessions = searcher.fast_field_values("session", addresses)
    wanted = list(dict.fromkeys(session for session in sessions[:around] if session))
    if wanted:
        neighbours = _inside(_one_of(schema, "session", wanted), limits)
        _blend(found, neighbours, own, scores)
    if words.agents:
        for digest in _by_agents(searcher, schema, words.agents, limits) & scores.keys():
            scores[digest] += _AGENT if scores[digest] else 0.0
    return Relevance(_best(found, scores, own, most), sessions, [*own.values()])


class _Found:
    """The documents that count for a task, and where each is, by its digest: to ask for a column
    of digests takes a twentieth of the time that asking each address for its place does.
    """

    def __init__(self, searcher: Searcher, addresses: list[DocAddress]) -> None:
        self.searcher = searcher
        self.places: dict[Digest, DocAddress] = {}
        self.add(addresses)

    def add(self, addresses: list[DocAddress]) -> list[Digest]:
        digests = self.searcher.fast_field_values("digest", addresses)
        self.places.update(zip(digests, addresses, strict=True))
        return digests


def _best(
    found: _Found, scores: Mapping[Digest, float], own: Mapping[Digest, float], most: int
) -> list[Relevant]:
    """Return the `most` documents of the greatest scores, longer texts being a little favoured; of
    those as relevant the first in the index.
    """
    places = found.places
    addresses = [*map(places.__getitem__, scores)]
    lengths = found.searcher.fast_field_values("length", addresses)
    totals = list(map(mul, scores.values(), map(_length_prior, lengths)))
    least = sorted(totals)[-most] if most < len(totals) else 0.0
    ranked = sorted(
        (-total, key_of(places[digest]), digest)
        for total, digest in zip(totals, scores, strict=True)
        if total >= least and total > 0
    )
    return [
        Relevant(places[digest], key, -total, own.get(digest, 0.0))
        for total, key, digest in ranked[:most]
    ]


def significant_words(text: str) -> frozenset[str]:
    """The words of a text that mean something: without question words, auxiliaries, pronouns."""
    words = frozenset(_spoken(text))
    return words - _STOP_WORDS or words


def has_meaning(text: str) -> bool:
    """Return whether the text has a word with a meaning of its own, or CJK."""
    return not _STOP_WORDS.issuperset(_spoken(text)) or bool(cjk_runs(text))


def stems_of(text: str) -> frozenset[str]:
    """Return the words of a text that mean something, as stems, to compare texts by."""
    return frozenset(map(stem, significant_words(text)))


def _spoken(task: str) -> tuple[str, ...]:
    return tuple(plain_terms(with_parts(without_cjk(task))))


@lru_cache(maxsize=1_000)
def _parts_of(agent: str) -> tuple[str, ...]:
    return tuple(plain_terms(agent))


def _words_of(searcher: Searcher, task: str) -> _Words:
    everything = _spoken(task)
    significant = significant_words(task)
    telling = tuple(word for word in dict.fromkeys(everything) if word in significant)
    if len(telling) > _TERMS:
        rarity = {word: searcher.doc_freq("plain", word) or 1 << 40 for word in telling}
        telling = tuple(sorted(telling, key=rarity.__getitem__)[:_TERMS])
    spoken = set(everything)
    agents = tuple(
        agent for agent, _ in searcher.terms_with_prefix("agent", "", limit=1_000)
        if (parts := _parts_of(agent)) and spoken.issuperset(parts)
    )  # fmt: skip
    return _Words(everything, telling, agents)


def _query(searcher: Searcher, schema: Schema, task: str, words: _Words) -> IndexQuery | None:
    """Any of the words, as stems; pairs of words side by side; the date; CJK in pairs."""
    queries = []
    quiet = {stem(word) for word in words.agent_words}
    for term in dict.fromkeys(stem(word) for word in words.telling):
        query = IndexQuery.term_query(schema, "stems", term, "freq")
        queries.append(IndexQuery.boost_query(query, _AGENT_IN_TEXT) if term in quiet else query)
    telling = set(words.telling) - words.agent_words
    pairs = dict.fromkeys(zip(words.all, words.all[1:], strict=False))
    often = cache(partial(searcher.doc_freq, "plain"))
    for one, other in list(pairs)[: 2 * _TERMS]:
        # Where their texts have them is looked up only where few enough have both.
        if one in telling and other in telling and min(often(one), often(other)) <= _COMMON:
            phrase = IndexQuery.phrase_query(schema, "plain", [one, other])
            queries.append(IndexQuery.boost_query(phrase, _PHRASE))
    for word in _date_words(words.all):
        query = IndexQuery.term_query(schema, "when", word, "basic")
        queries.append(IndexQuery.const_score_query(query, _DATE))
    runs = {term: None for run in cjk_runs(task) for term in cjk_terms(run)}
    queries += [IndexQuery.term_query(schema, "cjk", term) for term in list(runs)[:_TERMS]]
    if not queries:
        return None
    return IndexQuery.boolean_query([(Occur.Should, query) for query in queries])


def _date_words(words: Sequence[str]) -> list[str]:
    """Return the words of a date (`8 May 2023`) where a task speaks of one."""
    named = {word for word in words if word in _DATE_NAMES or _YEAR.fullmatch(word)}
    days = {word for word in words if len(word) <= 2 and word.isdigit()} if named else set()
    return sorted(named | days)


def _blend(
    found: _Found, around: IndexQuery, own: Mapping[Digest, float], scores: dict[Digest, float]
) -> None:
    """Score every observation of the sessions found with its neighbours' and its session's scores,
    and note where it is.
    """
    searcher, blend = found.searcher, [*_BLEND.items()]
    addresses = [address for _, address in searcher.search(around, _NEIGHBOURS, count=False).hits]
    columns = [searcher.fast_field_values(name, addresses) for name in ("session", "time", "place")]
    # Of one time and place, the first in the index comes first.
    rows = sorted(zip(*columns, range(len(addresses)), found.add(addresses), strict=True))
    for _, members in groupby(rows, itemgetter(0)):
        ordered = [*map(itemgetter(-1), members)]
        heard = [*map(own.get, ordered, repeat(0.0))]
        best = sorted(heard, reverse=True)[:_BEST_OF_SESSION]
        # As many places before the first and after the last as a score reaches.
        totals = [_SESSION * sum(best) / _BEST_OF_SESSION] * (len(heard) + 2 * _REACH)
        for at, score in enumerate(heard, _REACH):
            if score:
                for step, share in blend:
                    totals[at - step] += share * score
        scores.update(zip(ordered, totals[_REACH:-_REACH], strict=True))


def _by_agents(
    searcher: Searcher, schema: Schema, agents: Sequence[str], limits: Sequence[Limit]
) -> set[Digest]:
    """Return the documents of the agents that the task names, by their digests."""
    one_of = _inside(_one_of(schema, "agent", agents), limits)
    hits = searcher.search(one_of, 20_000, count=False).hits
    return set(searcher.fast_field_values("digest", [address for _, address in hits]))


def _length_prior(length: float | None) -> float:
    """Return a little more for a longer text, which BM25's length norm holds back too much."""
    return 1 + _LENGTH * log2(1 + (length or 0) / 50)


def _inside(query: IndexQuery, limits: Sequence[Limit]) -> IndexQuery:
    """Return a query within limits. Without any it is asked as it is: relevance takes 4% less."""
    if not limits:
        return query
    return IndexQuery.boolean_query([(Occur.Must, query), *limits])


def _one_of(schema: Schema, field: str, values: Sequence[str | int | float]) -> IndexQuery:
    """Return what has one of these values: for a set of them an automaton is built with each
    question, which takes three times as long.
    """
    queries = [IndexQuery.term_query(schema, field, value, "basic") for value in values]
    any_of = IndexQuery.boolean_query([(Occur.Should, query) for query in queries])
    return IndexQuery.const_score_query(any_of, 0.0)
