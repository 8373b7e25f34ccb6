"""Answering a query from the index: rows, marks, facets, near spellings, single observations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tantivy import DocAddress, Occur, Order, Schema, Searcher
from tantivy import Query as IndexQuery

from store.errors import AmbiguousId, NotFound
from store.model import Facets, Hit, Observation, SearchResult, Verdict, layer_of
from store.notice import Notice, notice
from store.redaction.labels import public_id
from store.search.analyzers import MAX_TERM, backwards, plain_terms, stem, without_surrogates
from store.search.compile import (
    NEAR_FROM,
    Compiler,
    Match,
    near_distance,
    unsearchable,
)
from store.search.documents import NO_TAIL, Tail, count_of, observation_of, of_session
from store.search.fields import FIELDS, TABLE, Field, IdsOf, Values, no_ids
from store.search.figures import counts_of, shown_counts
from store.search.highlight import Wanted, marks, passage, wanted
from store.search.query import Query, short
from store.search.schema import context_of
from store.text.closest_match import nearest

_MOST_NEAR = 8
"""Near spellings that are reported."""
FEW = 3
"""Where fewer match exactly, near spellings are tried too."""
_UNNAMED = (Values.NUMBER, Values.VERDICT)
"""Fields whose values are no names."""
_FACET_SIZE = 1_000
_OF_MOMENT = 10
_ISSUES = 10_000
"""The most issues that are counted for one query; the rest are found by their number."""
_ORDERS: Mapping[str, tuple[str, Order]] = {
    "newest": ("time", Order.Desc),
    "oldest": ("time", Order.Asc),
    "tokens": ("tokens", Order.Desc),
    "recalled": ("recalled", Order.Desc),
}


class _Best(NamedTuple):
    match: Match
    compiled: IndexQuery
    addresses: list[tuple[float, DocAddress]]
    total: int


class IndexReader:
    """A reader of one state of the index. Cheap to make; holds no state of its own.

    Rows of a search show observations as `clean` leaves a page of them. `is_whole`: the files were
    all read, so that what is not in the index is nowhere.
    """

    def __init__(
        self,
        searcher: Searcher,
        schema: Schema,
        tail: Tail = NO_TAIL,
        clean: Callable[[Sequence[Observation]], list[Observation]] = list,
        *,
        is_whole: bool = True,
        ids_of: IdsOf = no_ids,
    ) -> None:
        self._is_whole = is_whole
        self._ids_of = ids_of
        self._clean = clean
        self._searcher = searcher
        self._schema = schema
        self._tail = tail

    def search(
        self,
        query: Query,
        now: datetime,
        stale: timedelta,
        *,
        limit: int,
        offset: int,
        facets: tuple[str, ...],
        freshness: Notice | None = None,
    ) -> SearchResult:
        """One page of what a query finds. Never fails, whatever the query is."""
        compiler = self._compiler(now, stale)
        best = self._best(query, compiler, limit, offset)
        observations = self._clean([self._observation(at) for _, at in best.addresses])
        near = () if best.match is Match.EXACT else _near_words(query, observations)
        what = wanted(query, near)
        hits = tuple(
            _hit(observation, score, what)
            for (score, _), observation in zip(best.addresses, observations, strict=True)
        )
        counted = self._facets(query, compiler, best, facets)
        notes = [*query.notes]
        if skipped := unsearchable(query):
            terms = ", ".join(f"`{short(text)}`" for text in skipped)
            notes.append(notice("term-too-long", terms=terms, letters=MAX_TERM))
        if not best.total:
            notes += self._unknown_names(query)
        return SearchResult(
            query=query.text,
            total=best.total,
            hits=hits,
            facets=counted,
            notes=tuple(notes),
            near=near,
            relaxed=best.match is Match.SOME,
            notice=freshness,
        )

    def _compiler(self, now: datetime, stale: timedelta) -> Compiler:
        return Compiler(self._searcher, self._schema, now, stale, self._ids_of)

    def _best(self, query: Query, compiler: Compiler, limit: int, offset: int) -> _Best:
        """Return the page, and how it matches: near spellings where few match, half of the words
        where none does.
        """

        def page(match: Match) -> _Best:
            compiled = compiler.compile(query, match=match)
            return _Best(match, compiled, *self._page(compiled, query, limit, offset))

        best = page(Match.EXACT)
        if best.total < FEW and _can_be_misspelt(query):
            near = page(Match.NEAR)
            best = near if near.total > best.total else best
        if best.total == 0 and sum(not term.negated for term in query.terms) > 1:
            some = page(Match.SOME)
            best = some if some.total else best
        return best

    def _unknown_names(self, query: Query) -> Iterator[Notice]:
        """Yield each name that a filter asks for and nothing stored has."""
        for item in query.filters:
            field = FIELDS[item.field]
            if item.negated or not field.is_counted or field.values in _UNNAMED:
                continue
            known = self._known(field)
            for value in item.values:
                name = field.bare(value)
                if name not in known:
                    meant = nearest(name, known)
                    shown = short(name)
                    if meant:
                        yield notice(
                            "name-misspelt", field=item.field, name=shown, meant=short(meant)
                        )
                    else:
                        yield notice("name-unknown", field=item.field, name=shown)

    def _known(self, field: Field) -> dict[str, int]:
        counted = self._searcher.aggregate(IndexQuery.all_query(), {"": _terms(field.index_field)})
        names = counts_of(counted[""])
        return _by_layer(names) if field.values is Values.LAYER else names

    def _facets(
        self, query: Query, compiler: Compiler, best: _Best, kinds: tuple[str, ...]
    ) -> Facets:
        """Return the counts of a query; each facet leaves out the filters of its own kind."""
        used = {item.field for item in query.filters}
        groups: dict[frozenset[str], dict[str, Any]] = {}
        counts: defaultdict[str, dict[Any, int]] = defaultdict(dict)
        for kind in kinds:
            if FIELDS[kind].values is Values.VERDICT:
                counts[kind] = self._verdicts(query, compiler, best)
                continue
            own = {field.name for field in TABLE if field.is_counted and field.index_field == kind}
            groups.setdefault(frozenset(own & used), {})[kind] = _terms(kind)
        for without, aggregations in groups.items():
            compiled = best.compiled
            if without:
                compiled = compiler.compile(query, without=without, match=best.match)
            for kind, answer in self._searcher.aggregate(compiled, aggregations).items():
                counts[kind] = counts_of(answer)
        shown = {kind: _shown(FIELDS[kind], found) for kind, found in counts.items()}
        if "category" in shown:
            shown["layer"] = _by_layer(counts["category"])
        return Facets(shown)

    def _verdicts(self, query: Query, compiler: Compiler, best: _Best) -> dict[Any, int]:
        """Count the memories of a query by the verdict on them, which the index does not know."""
        found = compiler.compile(query, without={"drift"}, match=best.match)
        each = {
            str(verdict): IndexQuery.boolean_query(
                [(Occur.Must, found), (Occur.Must, compiler.verdict(verdict))]
            )
            for verdict in Verdict
            if self._ids_of(verdict)
        }
        counted = {name: count_of(self._searcher, compiled) for name, compiled in each.items()}
        return {name: number for name, number in counted.items() if number}

    def of_moment(self, millis: str) -> list[str]:
        """Return the ids `obs-…-{millis}-{six signs}`, at most ten."""
        pattern = f"[0-9a-z]{{6}}-{backwards(millis)}-.*"
        query = IndexQuery.regex_query(self._schema, "id", pattern)
        hits = self._searcher.search(query, _OF_MOMENT, count=False).hits
        return [self._observation(address).id for _, address in hits]

    def get(self, identifier: str) -> Observation:
        """Return the observation with this id, or the only one whose id ends so.

        Raises `NotFound`, or `AmbiguousId` naming some of those it could be.
        """
        clean = public_id(without_surrogates(identifier.strip()))
        whole = self._with_id(backwards(clean))
        if whole is not None:
            return whole
        if clean:
            # The filter leaves out the ids of what was deleted but not yet merged away.
            terms = self._searcher.terms_with_prefix(
                "id", backwards(clean), filter_query=IndexQuery.all_query(), limit=6
            )
            ids = [backwards(term) for term, _ in terms]
            if len(ids) == 1:
                only = self._with_id(terms[0][0])
                if only is not None:
                    return only
            if len(ids) > 1:
                raise AmbiguousId(
                    f"{len(ids) if len(ids) < 6 else 'More than five'} ids end in {clean!r}.",
                    "One of: " + ", ".join(sorted(ids)[:5]),
                )
        if not self._is_whole:
            raise NotFound(
                f"No memory that could be read has an id that ends in {clean!r}.",
                "See with `memtui doctor` what could not be read.",
            )
        raise NotFound(
            f"No memory has an id that ends in {clean!r}.", "Find it with `memtui search`."
        )

    def issues_of(self, identifiers: Iterable[str]) -> dict[str, int]:
        """Return the issue of each observation that is there, by its whole id."""
        found = (
            (identifier, self._with_id(backwards(without_surrogates(identifier))))
            for identifier in identifiers
        )
        return {
            identifier: observation.issue_number for identifier, observation in found if observation
        }

    def ids(self, query: Query, now: datetime, stale: timedelta) -> list[str]:
        """Return the ids of all that a query finds exactly, in its order."""
        compiled = self._compiler(now, stale).compile(query)
        total = count_of(self._searcher, compiled)
        found, _ = self._page(compiled, query, total, 0)
        return [self._observation(address).id for _, address in found]

    def of_session(self, session_id: str, issues: Iterable[int]) -> list[Observation]:
        """Return the observations that a session left under some issues, in no order."""
        return of_session(self._searcher, self._schema, session_id, issues, self._tail)

    def _with_id(self, reverse: str) -> Observation | None:
        query = IndexQuery.term_query(self._schema, "id", reverse, "basic")
        hits = self._searcher.search(query, 1, count=False, order_by_field="time").hits
        return self._observation(hits[0][1]) if hits else None

    def _page(
        self, compiled: IndexQuery, query: Query, limit: int, offset: int
    ) -> tuple[list[tuple[float, DocAddress]], int]:
        # tantivy makes room for as many as it is asked for, and there can't be more than these.
        limit, offset = (min(number, self._searcher.num_docs) for number in (limit, offset))
        if limit <= 0:
            return [], count_of(self._searcher, compiled)
        if query.order == "relevance":
            result = self._searcher.search(compiled, limit, offset=offset)
            hits = [(float(score), address) for score, address in result.hits]
        else:
            field, order = _ORDERS[query.order]
            result = self._searcher.search(
                compiled, limit, order_by_field=field, order=order, offset=offset
            )
            hits = [(0.0, address) for _, address in result.hits]
        return hits, int(result.count)  # type: ignore[attr-defined]

    def _observation(self, address: DocAddress) -> Observation:
        return observation_of(self._searcher.doc(address), self._tail)


def _hit(observation: Observation, score: float, what: Wanted) -> Hit:
    in_summary = marks(observation.summary, what)
    if in_summary or not what:
        return Hit(observation, score, observation.summary, in_summary, in_summary)
    snippet, places = passage(observation.content, what)
    return Hit(observation, score, snippet, places, ())


def _can_be_misspelt(query: Query) -> bool:
    """Return whether a term has other ways to be found: near spellings, or its parts one by one."""
    wanted = (
        plain_terms(term.text) for term in query.terms if not term.negated and not term.phrase
    )
    return any(len(words) > 1 or len(words[0]) >= NEAR_FROM for words in wanted if words)


def _near_words(query: Query, observations: Sequence[Observation]) -> tuple[tuple[str, str], ...]:
    """Each word typed with the spellings of it by which results were found that have it not."""
    typed = [
        (word, term.prefix)
        for term in query.terms
        if not (term.negated or term.phrase)
        for word in plain_terms(term.text)
        if len(word) >= NEAR_FROM
    ]
    found: dict[tuple[str, str], None] = {}
    for observation in observations if typed else ():
        words = dict.fromkeys(plain_terms(f"{observation.content}\n{observation.summary}"))
        context = plain_terms(context_of(observation))
        for word, prefix in typed:
            if not _is_found_by(word, {**words, **dict.fromkeys(context)}, prefix=prefix):
                spelt = _nearest_spelling(word, words, prefix=prefix)
                found |= {(word, spelt): None} if spelt else {}
    return tuple(found)[:_MOST_NEAR]


def _is_found_by(word: str, words: Collection[str], *, prefix: bool) -> bool:
    """Return whether a text with these words is found by a word as it was typed."""
    if word in words or (prefix and any(other.startswith(word) for other in words)):
        return True
    stemmed = stem(word)
    return any(stem(other) == stemmed for other in words)


def _nearest_spelling(word: str, words: Iterable[str], *, prefix: bool) -> str:
    """The word that is spelt most like another, within what counts as near; empty for none."""
    from rapidfuzz.distance import OSA  # few words are misspelt

    longest = len(word) if prefix else None
    distances = ((OSA.distance(word, other[:longest]), other) for other in words)
    distance, nearest = min(distances, default=(99, ""))
    return nearest if distance <= near_distance(word) else ""


def _terms(field: str) -> dict[str, Any]:
    return {"terms": {"field": field, "size": _ISSUES if field == "issue" else _FACET_SIZE}}


def _shown(field: Field, counts: Mapping[Any, int]) -> dict[Any, int]:
    if field.values is Values.NUMBER:
        return {int(number): count for number, count in counts.items()}
    return shown_counts(counts)


def _by_layer(categories: Mapping[str, int]) -> dict[str, int]:
    """Count memories by layer, the largest first; a category is of one layer."""
    counts: Counter[str] = Counter()
    for category, count in categories.items():
        counts[str(layer_of(category))] += count
    return dict(counts.most_common())
