"""The answers of several indexes as one: hits in memories among those in sessions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from store.model import Facets, Hit, SearchResult
from store.notice import Notice
from store.search.query import Query

_ORDERS: Mapping[str, Callable[[Hit], Any]] = {
    "newest": lambda hit: -hit.entry.timestamp.timestamp(),
    "oldest": lambda hit: hit.entry.timestamp.timestamp(),
    "tokens": lambda hit: -hit.entry.tokens,
    "recalled": lambda hit: -hit.entry.recall_count,
    "relevance": lambda hit: -hit.score,
}


def together(query: Query, pages: Sequence[SearchResult], limit: int, offset: int) -> SearchResult:
    """Return the answers of several indexes as one page, in the order that the query asks for.

    Each page begins with its first hit and has at least `offset + limit` of them where it can.
    """
    hits = sorted((hit for page in pages for hit in page.hits), key=_ORDERS[query.order])
    return SearchResult(
        query=query.text,
        total=sum(page.total for page in pages),
        hits=tuple(hits[offset : offset + limit]),
        facets=Facets(_summed([page.facets.counts for page in pages])),
        notes=tuple(dict.fromkeys((*query.notes, *_notes(pages)))),
        near=tuple(dict.fromkeys(near for page in pages for near in page.near)),
        relaxed=any(page.relaxed for page in pages if page.hits),
        notice=next((page.notice for page in pages if page.notice), None),
    )


def _notes(pages: Sequence[SearchResult]) -> Iterator[Notice]:
    """Yield the notes of all pages; that there is no such name only where none of them has it."""
    missing = [{_name_missing(note) for note in page.notes} for page in pages]
    for note in (note for page in pages for note in page.notes):
        name = _name_missing(note)
        if name is None or all(name in names for names in missing):
            yield note


def _name_missing(notice: Notice) -> tuple[str, str] | None:
    """Return the field and the name that a note reports as missing."""
    if notice.kind not in ("name-unknown", "name-misspelt"):
        return None
    return str(notice.values["field"]), str(notice.values["name"])


def _summed(pages: Sequence[Mapping[str, Mapping[Any, int]]]) -> dict[str, Mapping[Any, int]]:
    totals: defaultdict[str, Counter[Any]] = defaultdict(Counter)
    for counts in pages:
        for field, of_field in counts.items():
            totals[field].update(of_field)
    return dict(totals)
