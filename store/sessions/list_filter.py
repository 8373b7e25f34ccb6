"""Sessions of a list that match the filters of a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from store.search.fields import FIELDS
from store.search.query import Filter, Query
from store.sessions.documents import ended
from store.sessions.listing import Listed
from store.sessions.model import SessionDigest


def narrowed(rows: Iterable[Listed], query: Query) -> list[Listed]:
    """Return the sessions that match a query's filters and dates; its words are ignored."""
    return [row for row in rows if row.digest is not None and _matches_query(row.digest, query)]


def _matches_query(digest: SessionDigest, query: Query) -> bool:
    at = ended(digest)
    if query.after is not None and at < query.after:
        return False
    if query.before is not None and at >= query.before:
        return False
    return all(_matches_filter(digest, item) is not item.negated for item in query.filters)


def _matches_filter(digest: SessionDigest, wanted: Filter) -> bool:
    field = FIELDS[wanted.field]
    held = [text for name in field.sessions for text in _texts(getattr(digest, name))]
    return any(field.matches(value, held) for value in wanted.values)


def _texts(value: object) -> Iterable[str]:
    return map(str, value) if isinstance(value, Mapping) else [str(value)]
