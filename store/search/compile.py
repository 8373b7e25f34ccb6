"""A parsed query as a query of the index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from tantivy import FieldType, Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import DRIFTED, LAYER_OF, USES, Layer, Verdict, layer_of
from store.redaction.labels import agent_spellings
from store.search.analyzers import (
    backwards,
    camel_parts,
    cjk_runs,
    cjk_terms,
    plain_terms,
    stem,
    without_cjk,
    without_surrogates,
)
from store.search.fields import FIELDS, Field, IdsOf, Values, no_ids
from store.search.query import Filter, Query, Term
from store.search.relevance import has_meaning

_EXACT, _PREFIX, _CONTEXT = 0.5, 0.3, 0.4
"""Weights of the ways a word may match beside its stem, whose BM25 score leads."""
NEAR_FROM = 6
"""Letters a word must have before near spellings of it are tried: of shorter ones every other is
another word.
"""
_ARCHIVED = "archived"
_ENDINGS, _FEW_ENDINGS = 48, 16
"""Words that the last word of a phrase, still being typed, is tried as: few while it has so few
letters that nearly everything begins with them.
"""
_FEW_LETTERS = 2
_MANY = 50_000
"""Observations that have the words before it, from which one letter more tells them apart too
little for what it costs.
"""


class Match(Enum):
    """Strictness of a query: every word as typed, near spellings of them, or half."""

    EXACT = "exact"
    NEAR = "near"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Compiler:
    """Turns parsed queries into index queries. `stale` is the age limit of `is:stale`, `ids_of`
    finds the memories on which there is a verdict.

    `searcher` knows which words a phrase whose last word is still being typed may end in.
    """

    searcher: Searcher
    schema: Schema
    now: datetime
    stale: timedelta
    ids_of: IdsOf = no_ids

    def compile(
        self, query: Query, *, without: Collection[str] = (), match: Match = Match.EXACT
    ) -> IndexQuery:
        """The index query; filters on the fields in `without` are left out (for their facets)."""
        musts: list[IndexQuery] = []
        nots: list[IndexQuery] = []
        wanted: dict[Term, IndexQuery] = {}
        for term in query.terms:
            near = match is not Match.EXACT and not term.negated
            compiled = self._term(term, near=near)
            if compiled is None:
                continue
            if term.negated:
                nots.append(compiled)
            else:
                wanted[term] = compiled
        if not wanted and any(not term.negated for term in query.terms):
            return IndexQuery.empty_query()  # what no term can hold is found nowhere
        if match is Match.SOME and len(wanted) > 1:
            musts.append(self._half(wanted))
        else:
            musts += wanted.values()
        for item in query.filters:
            if item.field not in without:
                (nots if item.negated else musts).append(self._filter(item))
        for flag in query.flags:
            (nots if flag.negated else musts).append(self._any(map(self._flag, flag.values)))
        if query.before is not None or query.after is not None:
            musts.append(self._between(query.after, query.before))
        kept = not any(_ARCHIVED in flag.values for flag in query.flags)
        if kept and self._is_held("is", _ARCHIVED):
            # Few are: to leave them out costs less than to look at all others twice.
            nots.append(self._exact("is", _ARCHIVED))
        if not musts:
            musts.append(IndexQuery.all_query())
        clauses = [(Occur.Must, must) for must in musts] + [(Occur.MustNot, item) for item in nots]
        return IndexQuery.boolean_query(clauses)

    def _half(self, wanted: Mapping[Term, IndexQuery]) -> IndexQuery:
        """At least half of the terms that mean something by themselves; the others only rank."""
        telling = [term for term in wanted if has_meaning(term.text)] or [*wanted]
        half = IndexQuery.boolean_query(
            [(Occur.Should, wanted[term]) for term in telling],
            minimum_number_should_match=(len(telling) + 1) // 2,
        )
        others = [(Occur.Should, item) for term, item in wanted.items() if term not in telling]
        if not others:
            return half
        return IndexQuery.boolean_query([(Occur.Must, half), *others])

    def _term(self, term: Term, *, near: bool) -> IndexQuery | None:
        """Return a word or phrase, or `None` where nothing in it can be searched."""
        parts = [self._cjk(run) for run in cjk_runs(term.text)]
        latin = without_cjk(term.text)
        words = plain_terms(latin)
        if len(words) == 1:
            parts.append(self._word(words[0], prefix=term.prefix, near=near, phrase=term.phrase))
        elif words and term.phrase:
            parts.append(self._phrase(words, prefix=term.prefix))
        elif words:
            parts.append(self._joined(words, prefix=term.prefix, near=near))
        pieces = camel_parts(latin.strip()) if len(words) == 1 and not term.phrase else []
        if len(pieces) > 1:
            parts[-1] = self._any([parts[-1], self._phrase(pieces, prefix=term.prefix)])
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else self._all(parts)

    def _word(self, word: str, *, prefix: bool, near: bool, phrase: bool = False) -> IndexQuery:
        ways = []
        # A letter still being typed begins nearly every text, and nothing ranks those that have it
        # as a word; it may be an issue's only digit.
        if not (prefix and len(word) == 1):
            if self._is_held("plain", word):
                exact = IndexQuery.term_query(self.schema, "plain", word)
                ways.append(IndexQuery.boost_query(exact, _EXACT))
            if not phrase and self._is_held("stems", stem(word)):
                ways.append(IndexQuery.term_query(self.schema, "stems", stem(word), "freq"))
        if not phrase and self._is_held("context", word):
            context = IndexQuery.term_query(self.schema, "context", word, "basic")
            ways.append(IndexQuery.const_score_query(context, _CONTEXT))
        if prefix:
            started = IndexQuery.fuzzy_term_query(self.schema, "plain", word, 0, True, True)
            ways.append(IndexQuery.const_score_query(started, _PREFIX))
        if near and len(word) >= NEAR_FROM:
            spelt = IndexQuery.fuzzy_term_query(
                self.schema, "plain", word, near_distance(word), True, prefix
            )
            ways.append(IndexQuery.const_score_query(spelt, _PREFIX))
        return self._any(ways)

    def _is_held(self, field: str, term: str) -> bool:
        """Some document has the term: searching for one that none has costs as much."""
        return bool(self.searcher.doc_freq(field, term))

    def _joined(self, words: Sequence[str], *, prefix: bool, near: bool) -> IndexQuery:
        """`manifest.json`: its parts one after the other, or near spellings of each."""
        whole = self._phrase(words, prefix=prefix)
        if not near:
            return whole
        last = len(words) - 1
        parts = [
            self._word(word, prefix=prefix and at == last, near=True)
            for at, word in enumerate(words)
        ]
        return self._any([whole, self._all(parts)])

    def _phrase(self, words: Sequence[str], *, prefix: bool) -> IndexQuery:
        """Words one after the other; with `prefix`, the last is still being typed."""
        if len(words) == 1:
            return IndexQuery.term_query(self.schema, "plain", words[0])
        whole = IndexQuery.phrase_query(self.schema, "plain", list(words))
        if not prefix:
            return whole
        *first, last = words
        known = min(self.searcher.doc_freq("plain", word) or 0 for word in first)
        if len(last) == 1 and last.isalpha() and known > _MANY:
            before = (Occur.Must, self._phrase(first, prefix=False))
            return IndexQuery.boolean_query([before, (Occur.Should, whole)])
        endings = self._endings(first, last)
        phrases = (
            IndexQuery.phrase_query(self.schema, "plain", [*first, ending]) for ending in endings
        )
        return self._any([whole, *phrases])

    def _endings(self, first: Sequence[str], last: str) -> list[str]:
        """Return the commonest words that begin with `last`, where the words before it are, too.

        tantivy's own prefix phrases look at fifty words in the order of the alphabet.
        """
        before = self._all(
            IndexQuery.term_query(self.schema, "plain", word, "basic") for word in first
        )
        known = self.searcher.terms_with_prefix("plain", last, filter_query=before)
        ranked = sorted(known, key=lambda pair: (-pair[1], pair[0]))
        most = _FEW_ENDINGS if len(last) <= _FEW_LETTERS else _ENDINGS
        return [word for word, _ in ranked[:most] if word != last]

    def _cjk(self, run: str) -> IndexQuery:
        *pairs, last = cjk_terms(run)
        if not pairs:
            return IndexQuery.fuzzy_term_query(self.schema, "cjk", last, 0, True, True)
        if len(pairs) == 1:
            return IndexQuery.term_query(self.schema, "cjk", pairs[0])
        return IndexQuery.phrase_query(self.schema, "cjk", list(pairs))

    def _filter(self, item: Filter) -> IndexQuery:
        field = FIELDS[item.field]
        return self._any(self._value(field, value) for value in item.values)

    def _value(self, field: Field, value: str) -> IndexQuery:
        match field.values:
            case Values.NUMBER:
                return IndexQuery.term_query(self.schema, field.index_field, int(value))
            case Values.ENDING:
                return IndexQuery.fuzzy_term_query(
                    self.schema, "id", backwards(value), 0, True, True
                )
            case Values.LAYER:
                return self._layer(value)
            case Values.PATH:
                words = plain_terms(value)
                return self._phrase(words, prefix=False) if words else IndexQuery.empty_query()
            case Values.VERDICT:
                return self.verdict(value)
            case Values.NAME:
                bare = field.bare(value)
                names = agent_spellings(bare) if field.name == "agent" else (bare,)
                return self._any(self._exact(field.index_field, name) for name in names)

    def _layer(self, name: str) -> IndexQuery:
        if name != Layer.OTHER:
            return self._any(self._exact("category", of) for of in LAYER_OF if layer_of(of) == name)
        known = [(Occur.MustNot, self._exact("category", category)) for category in LAYER_OF]
        others = IndexQuery.boolean_query([(Occur.Must, IndexQuery.all_query()), *known])
        return IndexQuery.const_score_query(others, 0.0)

    def verdict(self, name: str) -> IndexQuery:
        """Return the memories with a verdict; unknown are those not looked at, too."""
        if name != Verdict.UNKNOWN:
            return self._with_ids(self.ids_of(name))
        known = [id_ for verdict in Verdict if verdict != name for id_ in self.ids_of(verdict)]
        clauses = [(Occur.Must, IndexQuery.all_query()), (Occur.MustNot, self._with_ids(known))]
        return IndexQuery.const_score_query(IndexQuery.boolean_query(clauses), 0.0)

    def _with_ids(self, identifiers: Iterable[str]) -> IndexQuery:
        terms = [backwards(without_surrogates(identifier)) for identifier in identifiers]
        return IndexQuery.const_score_query(
            IndexQuery.term_set_query(self.schema, "id", terms), 0.0
        )

    def _flag(self, flag: str) -> IndexQuery:
        if flag == "drifted":
            return self._any(map(self.verdict, DRIFTED))
        if flag in USES:
            return self._with_ids(self.ids_of(flag))
        if flag != "stale":
            return self._exact("is", flag)
        old = self._between(None, self.now - self.stale, "used")
        return IndexQuery.boolean_query(
            [(Occur.Must, old), (Occur.MustNot, self._exact("is", "pinned"))]
        )

    def _between(
        self, after: datetime | None, before: datetime | None, field: str = "time"
    ) -> IndexQuery:
        return IndexQuery.range_query(
            self.schema,
            field,
            FieldType.Integer,
            None if after is None else round(after.timestamp() * 1000),
            None if before is None else round(before.timestamp() * 1000),
            include_upper=before is None,
        )

    def _exact(self, field: str, value: str) -> IndexQuery:
        term = IndexQuery.term_query(self.schema, field, without_surrogates(value), "basic")
        return IndexQuery.const_score_query(term, 0.0)

    def _any(self, queries: Iterable[IndexQuery]) -> IndexQuery:
        queries = list(queries)
        if not queries:
            return IndexQuery.empty_query()
        if len(queries) == 1:
            return queries[0]
        return IndexQuery.boolean_query([(Occur.Should, query) for query in queries])

    def _all(self, queries: Iterable[IndexQuery]) -> IndexQuery:
        return IndexQuery.boolean_query([(Occur.Must, query) for query in queries])


def near_distance(word: str) -> int:
    """Letters in which a near spelling may differ: one, from eight letters on two."""
    return 1 if len(word) < 8 else 2


def unsearchable(query: Query) -> list[str]:
    """The terms of a query in which nothing can be searched: words longer than what is indexed."""
    return [
        term.text
        for term in query.terms
        if not cjk_runs(term.text) and not plain_terms(without_cjk(term.text))
    ]
