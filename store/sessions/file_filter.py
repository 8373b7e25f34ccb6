"""`file:` in messages: those of the sessions that changed or read such a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tantivy import Query as IndexQuery
from tantivy import Searcher

from store.search.documents import observation_of
from store.search.fields import FIELDS, SESSION, Values, is_named
from store.search.query import Filter, Query
from store.sessions.documents import CHANGED, READ, session_key_of


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
