"""What memory says about a task: BM25 over its words, carried over to what was said around.

An observation is judged with its neighbours of the same session, whose scores are blended in after
the query, so that the answer after a question and the reason before a decision are found too.
Nothing is indexed twice for that.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from math import log2
from typing import Any, NamedTuple

from tantivy import DocAddress, Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import MAX_CONTENT
from store.search.analyzers import cjk_runs, cjk_terms, plain_terms, stem, with_parts, without_cjk
from store.search.documents import Key, key_of

_HITS = 300
_SESSIONS = 40
_NEIGHBOURS = 1_200
_TERMS = 48
"""The rarest words of a long task that are asked for; the rest would add time, not sense."""
_BLEND: Mapping[int, float] = {-2: 0.25, -1: 0.5, 0: 1.0, 1: 0.35, 2: 0.25}
"""How much of the score of an observation so many places away counts for the one here."""
_SESSION = 0.5
"""What the mean of a session's best adds to each observation of it. What this and the five numbers
below are worth, at nothing, half and twice, stands in `docs/recall-weights.md`."""
_BEST_OF_SESSION = 3
_AGENT = 8.0
"""Added for the agent that the task names."""
_AGENT_IN_TEXT = 0.3
"""What a word that names the agent counts for where it stands in the text."""
_PHRASE = 0.5
"""What two words side by side count for, beside what each does."""
_COMMON = 2_000
_DATE = 3.0
"""Added for each word of a date that the task names."""
_LENGTH = 0.2
"""The share of its score that a text gains with each doubling of its length."""

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
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


class Relevant(NamedTuple):
    """A document and how relevant it is; the scale is that of the query, greater is better.

    `own` is the BM25 score of its own words, without what is around it.
    """

    address: DocAddress
    score: float
    own: float = 0.0


class _Words(NamedTuple):
    """The words of a task: all in order, those that say something, and the agents it names."""

    all: tuple[str, ...]
    telling: tuple[str, ...]
    agents: tuple[str, ...]

    @property
    def agent_words(self) -> frozenset[str]:
        return frozenset(word for agent in self.agents for word in plain_terms(agent))


def relevant(
    searcher: Searcher,
    schema: Schema,
    task: str,
    *,
    most: int | None = None,
    within: IndexQuery | None = None,
    around: int = _SESSIONS,
) -> list[Relevant]:
    """The `most` relevant active observations for a task, best first; empty where it says nothing.

    `within` limits them to what a query finds (an issue, an agent); in the sessions of
    the `around` best, what stands beside them counts.
    """
    words = _words_of(searcher, task)
    asked = _query(searcher, schema, task, words)
    if asked is None:
        return []
    limits = [(Occur.MustNot, _exact(schema, "is", "archived"))]
    if within is not None:
        limits.append((Occur.Must, within))
    found = searcher.search(_inside(asked, limits), _HITS, count=False).hits
    if not found:
        return []
    places = {key_of(address): address for _, address in found}
    own = dict(zip(places, (float(score) for score, _ in found), strict=True))
    scores = dict(own)
    if around:
        sessions = searcher.fast_field_values("session", list(places.values()))
        wanted = list(dict.fromkeys(it for it in sessions[:around] if it))
        if wanted:
            beside = _inside(IndexQuery.term_set_query(schema, "session", wanted), limits)
            _blend(searcher, beside, own, places, scores)
    for key in _by_agents(searcher, schema, words.agents, limits) & scores.keys():
        scores[key] += _AGENT if scores[key] else 0.0
    lengths = searcher.fast_field_values("length", [places[key] for key in scores])
    priors = map(_length_prior, lengths)
    totals = [score * prior for score, prior in zip(scores.values(), priors, strict=True)]
    least = _least_of(totals, most)
    ranked = sorted(
        (-total, key)
        for total, (key, score) in zip(totals, scores.items(), strict=True)
        if total >= least and score > 0
    )
    return [Relevant(places[key], -total, own.get(key, 0.0)) for total, key in ranked[:most]]


def _least_of(totals: Sequence[float], most: int | None) -> float:
    """What the last of the `most` greatest is: fewer are put in order then."""
    return 0.0 if most is None or most >= len(totals) else sorted(totals)[-most]


def significant_words(task: str) -> tuple[str, ...]:
    """The words of a task that say something: without question words, auxiliaries, pronouns."""
    words = tuple(dict.fromkeys(_spoken(task)))
    return tuple(word for word in words if word not in _STOP_WORDS) or words


def stems_of(text: str) -> frozenset[str]:
    """The words of a text that say something, as stems, to compare texts by."""
    return frozenset(stem(word) for word in significant_words(text))


@lru_cache(maxsize=8)
def _spoken(task: str) -> tuple[str, ...]:
    """All words of a task in order; memories, messages and sessions are asked with the same."""
    return tuple(plain_terms(with_parts(without_cjk(task))))


def _words_of(searcher: Searcher, task: str) -> _Words:
    everything = _spoken(task)
    telling = significant_words(task)
    if len(telling) > _TERMS:
        rarity = {word: searcher.doc_freq("plain", word) or 1 << 40 for word in telling}
        telling = tuple(sorted(telling, key=rarity.__getitem__)[:_TERMS])
    spoken = set(everything)
    agents = tuple(
        agent for agent, _ in searcher.terms_with_prefix("agent", "", limit=1_000)
        if (parts := plain_terms(agent)) and spoken.issuperset(parts)
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
    """The words of a date (`8 May 2023`) where a task speaks of one."""
    named = {word for word in words if word in _MONTHS or word in _DAYS or _YEAR.fullmatch(word)}
    days = {word for word in words if len(word) <= 2 and word.isdigit()} if named else set()
    return sorted(named | days)


def _blend(
    searcher: Searcher,
    around: IndexQuery,
    own: Mapping[Key, float],
    places: dict[Key, DocAddress],
    scores: dict[Key, float],
) -> None:
    """Score every observation of the sessions found with its neighbours' and its session's scores,
    and note where it is.
    """
    addresses = [address for _, address in searcher.search(around, _NEIGHBOURS, count=False).hits]
    columns = [searcher.fast_field_values(name, addresses) for name in ("session", "time", "place")]
    keys = list(map(key_of, addresses))
    places.update(zip(keys, addresses, strict=True))
    sessions: dict[object, list[tuple[Any, Any, Key]]] = defaultdict(list)
    for session, time, place, key in zip(*columns, keys, strict=True):
        sessions[session].append((time, place, key))
    for members in sessions.values():
        members.sort()
        ordered = [key for _, _, key in members]
        heard = [own.get(key, 0.0) for key in ordered]
        best = sorted(heard, reverse=True)[:_BEST_OF_SESSION]
        totals = [_SESSION * sum(best) / _BEST_OF_SESSION] * len(heard)
        for at, score in enumerate(heard):
            if score:
                for step, share in _BLEND.items():
                    if 0 <= at - step < len(totals):
                        totals[at - step] += share * score
        scores.update(zip(ordered, totals, strict=True))


def _by_agents(
    searcher: Searcher, schema: Schema, agents: Sequence[str], limits: Sequence[Limit]
) -> set[Key]:
    """The documents of the agents that the task names."""
    if not agents:
        return set()
    queries = [_exact(schema, "agent", agent) for agent in agents]
    one_of = IndexQuery.boolean_query([(Occur.Should, query) for query in queries])
    hits = searcher.search(_inside(one_of, limits), 20_000, count=False).hits
    return {key_of(address) for _, address in hits}


@lru_cache(maxsize=MAX_CONTENT)
def _length_prior(length: float | None) -> float:
    """A little more for longer texts, which BM25's length norm holds back too much."""
    return 1 + _LENGTH * log2(1 + (length or 0) / 50)


def _inside(query: IndexQuery, limits: Sequence[Limit]) -> IndexQuery:
    return IndexQuery.boolean_query([(Occur.Must, query), *limits])


def _exact(schema: Schema, field: str, value: str) -> IndexQuery:
    return IndexQuery.const_score_query(IndexQuery.term_query(schema, field, value, "basic"), 0.0)
