"""A query in words: what was understood of it, and what was not."""

from __future__ import annotations

from datetime import datetime

from memtui.words.notices import sentence
from store.model import SearchResult
from store.search.query import Query, parse_query, short

_ORDERS = {"newest": "newest first", "oldest": "oldest first"}
_PLACES = {"sessions": "in sessions", "all": "in memories and sessions"}


def understood(found: SearchResult, now: datetime) -> str:
    """Return a search as it was understood: `"a b" + not c · agent x or y`, and its notes."""
    parts = (in_words(parse_query(found.query, now)), *map(sentence, found.notes))
    return " · ".join(filter(None, parts))


def in_words(query: Query) -> str:
    words = " + ".join(_term(*term) for term in query.terms)
    filters = [
        _negated(part.negated, f"{part.field} {' or '.join(part.values)}") for part in query.filters
    ]
    flags = [_negated(flag.negated, " or ".join(flag.values)) for flag in query.flags]
    place = _PLACES.get(query.place, "")
    after = f"from {query.after:%Y-%m-%d}" if query.after is not None else ""
    before = f"before {query.before:%Y-%m-%d}" if query.before is not None else ""
    parts = list(filter(None, (words, *filters, *flags, place, after, before))) or ["everything"]
    if query.sort is not None or not words:
        parts.append(_ORDERS.get(query.order, f"by {query.order}"))
    return " · ".join(parts)


def _term(text: str, phrase: bool, negated: bool, prefix: bool) -> str:
    named = short(text)
    shown = f'"{named}"' if phrase else named
    return _negated(negated, f"{shown}…" if prefix and named == text else shown)


def _negated(negated: bool, text: str) -> str:
    return f"not {text}" if negated else text
