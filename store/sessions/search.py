"""Hits in sessions next to those in memories, and the memories that a session left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from tantivy import Query as IndexQuery
from tantivy import Searcher

from store.errors import AmbiguousId, NotFound
from store.model import Facets, Hit, Observation, SearchResult
from store.notice import Notice
from store.search.documents import observation_of
from store.search.fields import FIELDS, SESSION, Values, is_named
from store.search.query import Filter, Query
from store.search.reader import IndexReader
from store.sessions.documents import CHANGED, READ, session_key_of

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
        query.text,
        sum(page.total for page in pages),
        tuple(hits[offset : offset + limit]),
        Facets(_summed([page.facets.counts for page in pages])),
        tuple(dict.fromkeys((*query.notes, *_notes(pages)))),
        tuple(dict.fromkeys(near for page in pages for near in page.near)),
        any(page.relaxed for page in pages if page.hits),
        next((page.notice for page in pages if page.notice), None),
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


def in_sessions_of_files(query: Query, sessions: Searcher) -> Query:
    """The query with each `file:` filter as the sessions that changed or read such a file."""
    if not any(FIELDS[item.field].values is Values.PATH for item in query.filters):
        return query
    files = _files_by_session(sessions)

    def narrowed(item: Filter) -> Filter:
        if FIELDS[item.field].values is not Values.PATH:
            return item
        keys = (
            str(session_key_of(session))
            for session, names in files.items()
            if any(is_named(names, value) for value in item.values)
        )
        return Filter(SESSION.name, tuple(keys), item.negated)

    return query._replace(filters=tuple(map(narrowed, query.filters)))


@lru_cache(maxsize=2)
def _files_by_session(sessions: Searcher) -> Mapping[str, Sequence[str]]:
    """The files that each session changed or read; kept for as long as the index stays as it is."""
    hits = sessions.search(IndexQuery.all_query(), max(1, sessions.num_docs), count=False).hits
    found = (observation_of(sessions.doc(address)) for _, address in hits)
    return {
        digest.session_id: (*digest.extra.get(CHANGED, ()), *digest.extra.get(READ, ()))
        for digest in found
    }


def memories_of(
    answers: IndexReader, session_id: str, issue: int, known: Sequence[str]
) -> list[Observation]:
    """Return the memories that a session left, oldest first: those filed under its issue or under
    none, and those whose ids are `known`.
    """
    found = {
        memory.id: memory for memory in answers.of_session(session_id, dict.fromkeys((issue, 0)))
    }
    for identifier in known:
        if identifier not in found:
            with suppress(NotFound, AmbiguousId):
                found[identifier] = answers.get(identifier)
    return sorted(found.values(), key=lambda memory: (memory.timestamp, memory.id))
