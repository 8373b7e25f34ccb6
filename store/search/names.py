"""Documents that name a file or an identifier: asked for by name, whatever else a task says."""

from __future__ import annotations

from collections.abc import Iterable

from tantivy import DocAddress, Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.search.analyzers import plain_terms
from store.search.documents import Key, key_of, unarchived

_NAMES, _EACH = 12, 8
"""How many names of a task are looked up, and how many documents of each are taken."""


def naming(
    searcher: Searcher,
    schema: Schema,
    names: Iterable[str],
    within: IndexQuery | None = None,
    each: int = _EACH,
) -> list[DocAddress]:
    """The active documents in which the rarest of some names stand, the best of each name first.

    `within` limits them to what a query finds (an issue, an agent); `each` is how many are taken
    of a name.
    """
    known = []
    for name in dict.fromkeys(names):
        terms = plain_terms(name)
        rarest = min((searcher.doc_freq("plain", term) for term in terms), default=0)
        if rarest:
            known.append((rarest, terms))
    limits = unarchived(searcher, schema)
    if within is not None:
        limits.append((Occur.Must, within))
    found: dict[Key, DocAddress] = {}
    for _, terms in sorted(known, key=lambda it: it[0])[:_NAMES]:
        asked = (
            IndexQuery.phrase_query(schema, "plain", list(terms))
            if len(terms) > 1
            else IndexQuery.term_query(schema, "plain", terms[0])
        )
        query = IndexQuery.boolean_query([(Occur.Must, asked), *limits])
        for _, address in searcher.search(query, each, count=False).hits:
            found.setdefault(key_of(address), address)
    return list(found.values())
