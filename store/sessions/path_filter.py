"""`file:` and `project:` in messages: those of the sessions whose digests name such a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tantivy import Query as IndexQuery
from tantivy import Searcher

from store.search.documents import observation_of
from store.search.fields import FIELDS, SESSION, Values, is_named
from store.search.query import Filter, Query
from store.sessions.documents import session_key_of


def in_sessions_with_paths(query: Query, sessions: Searcher) -> Query:
    """The query with each filter by a path as the sessions that it finds: `file:` those that
    changed or read such a file, `project:` those of such a project.
    """

    def narrowed(item: Filter) -> Filter:
        field = FIELDS[item.field]
        if field.values is not Values.PATH:
            return item
        keys = (
            str(session_key_of(session))
            for session, names in _paths_by_session(sessions, field.sessions).items()
            if any(is_named(names, value) for value in item.values)
        )
        return Filter(SESSION.name, tuple(keys), item.negated)

    return query._replace(filters=tuple(map(narrowed, query.filters)))


@lru_cache(maxsize=4)
def _paths_by_session(sessions: Searcher, keys: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    """The paths that each session's digest has under some keys; kept for as long as the index stays
    as it is.
    """
    hits = sessions.search(IndexQuery.all_query(), max(1, sessions.num_docs), count=False).hits
    found = (observation_of(sessions.doc(address)) for _, address in hits)
    return {
        digest.session_id: [path for key in keys for path in digest.extra.get(key, ())]
        for digest in found
    }
