"""Reading sessions from their index: a conversation in order, and hits beside those of memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tantivy import Query as IndexQuery

from store.model import Facets, Hit, Observation, SearchResult
from store.search.documents import count_of, observation_of
from store.search.query import Query, understood
from store.sessions.documents import session_key_of
from store.sessions.index import SessionIndex

_ORDERS: Mapping[str, Callable[[Hit], Any]] = {
    "newest": lambda hit: -hit.entry.timestamp.timestamp(),
    "oldest": lambda hit: hit.entry.timestamp.timestamp(),
    "tokens": lambda hit: -hit.entry.tokens,
    "recalled": lambda hit: -hit.entry.recall_count,
    "relevance": lambda hit: -hit.score,
}


def conversation(index: SessionIndex, session_id: str) -> list[Observation]:
    """The messages of a session in order; none where they are not indexed."""
    searcher = index.messages
    of_session = IndexQuery.term_query(index.schema, "session", session_key_of(session_id))
    hits = searcher.search(of_session, max(1, count_of(searcher, of_session)), count=False).hits
    addresses = [address for _, address in hits]
    places = searcher.fast_field_values("place", addresses)
    ordered = sorted(zip(places, addresses, strict=True), key=lambda it: it[0] or 0)
    found = (observation_of(searcher.doc(address)) for _, address in ordered)
    return [it for it in found if it.session_id == session_id]


def together(query: Query, pages: Sequence[SearchResult], limit: int, offset: int) -> SearchResult:
    """The answers of several indexes as one page, in the order that the query asks for.

    Each page begins with its first hit and has at least `offset + limit` of them where it can.
    """
    hits = sorted((hit for page in pages for hit in page.hits), key=_ORDERS[query.order])
    return SearchResult(
        query.text,
        sum(page.total for page in pages),
        tuple(hits[offset : offset + limit]),
        Facets(*(_summed(page.facets[at] for page in pages) for at in range(len(Facets._fields)))),
        understood(query),
        tuple(dict.fromkeys(near for page in pages for near in page.near)),
        any(page.relaxed for page in pages if page.hits),
        next((page.notice for page in pages if page.notice), ""),
    )


def _summed(counts: Any) -> Any:  # noqa: ANN401 - maps of names or numbers to counts
    total: Counter[Any] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
