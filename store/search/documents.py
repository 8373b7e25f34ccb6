"""Documents of the index: counting them, and the observation one was made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from zlib import crc32

import orjson
from tantivy import DocAddress, Document, Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import Observation
from store.records import InvalidRecord, RawRecord, format_time, from_record, time_or_none
from store.search.analyzers import backwards, plain_terms
from store.search.schema import CHECK, hashed

Tail = Mapping[str, Sequence[str]]
"""When observations were recalled since the index last counted, by id: ISO timestamps in UTC."""
NO_TAIL: Tail = MappingProxyType({})
Key = tuple[int, int]
"""What distinguishes the documents of one state of the index."""
key_of: Callable[[DocAddress], Key] = attrgetter("segment_ord", "doc")
_NAMES, _EACH = 12, 8
"""How many names of a task are looked up, and how many documents of each are taken."""
_SHORTEST, _LONG_ENOUGH = 3, 12
"""The fewest letters of an ending, and those of the first that is asked about."""
_FEW = 16
"""The ids that have an ending in common from which on a longer one is asked about."""


def unarchived(searcher: Searcher, schema: Schema) -> list[tuple[Occur, IndexQuery]]:
    """Return the clause that leaves out what is archived; none in an index that holds nothing
    archived: asking for it takes a search a fifth longer.
    """
    if not searcher.doc_freq("is", "archived"):
        return []
    return [(Occur.MustNot, IndexQuery.term_query(schema, "is", "archived", "basic"))]


def count_of(searcher: Searcher, query: IndexQuery) -> int:
    return int(searcher.search(query, 1).count)  # type: ignore[attr-defined]


def observation_of(document: Document, tail: Tail = NO_TAIL) -> Observation:
    """Return the observation a document was made from, with the recalls in `tail` counted in.

    Raises `InvalidRecord` for a damaged index: a bit of it may have flipped since it was written.
    """
    data = bytes(document.get_first("record") or b"")
    text = data[CHECK:]
    if crc32(text).to_bytes(CHECK, "big") != data[:CHECK]:
        raise InvalidRecord("not as it was written")
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = RawRecord(text, None).exact()
    observation = from_record(value, int(document.get_first("issue") or 0))
    if document.get_first("archived") and not observation.archived:
        observation = observation._replace(archived=True)
    indexed = document.get_first("recalls")
    times = tail.get(observation.id)
    if indexed is None and times is None:
        return observation
    count, _, last = bytes(indexed or b"0").decode().partition(" ")
    recorded = observation.last_recalled
    known = max(last, "" if recorded is None else format_time(recorded))
    later = [time for time in times or () if time > known]
    return observation._replace(
        recall_count=observation.recall_count + int(count) + len(later),
        last_recalled=time_or_none(max(later, default=known)) or recorded,
    )


def of_session(
    searcher: Searcher, schema: Schema, session_id: str, issues: Iterable[int], tail: Tail = NO_TAIL
) -> list[Observation]:
    """Return the observations that a session left under some issues, in no order."""
    keys = (hashed(f"{issue}\0{session_id}") for issue in issues)
    terms = [(Occur.Should, IndexQuery.term_query(schema, "session", key)) for key in keys]
    query = IndexQuery.boolean_query(terms)
    most = max(1, count_of(searcher, query))
    hits = searcher.search(query, most, count=False).hits
    found = (observation_of(searcher.doc(address), tail) for _, address in hits)
    return [memory for memory in found if memory.session_id == session_id]


def naming(
    searcher: Searcher, schema: Schema, names: Iterable[str], within: IndexQuery | None = None
) -> list[DocAddress]:
    """Return the active documents with the rarest of some names, the best of each name first.

    `within` limits them to what a query finds (an issue, an agent).
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
    for _, terms in sorted(known, key=lambda pair: pair[0])[:_NAMES]:
        asked = (
            IndexQuery.phrase_query(schema, "plain", list(terms))
            if len(terms) > 1
            else IndexQuery.term_query(schema, "plain", terms[0])
        )
        query = IndexQuery.boolean_query([(Occur.Must, asked), *limits])
        for _, address in searcher.search(query, _EACH, count=False).hits:
            found.setdefault(key_of(address), address)
    return list(found.values())


class Endings:
    """The endings of ids in one state of an index; what was asked about is kept."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self._known: dict[str, str] = {}
        self._usual = _LONG_ENOUGH

    def of(self, identifier: str) -> str:
        """Return the shortest ending, from three letters and beginning with a letter or digit, that
        no other id has; the whole where there is none.
        """
        known = self._known.get(identifier)
        if known is None:
            known = self._known[identifier] = self._found(backwards(identifier)) or identifier
        return known

    def _found(self, reverse: str) -> str:
        """Return the ending of an id that is written backwards, by those that have a shorter one in
        common with it: these are asked for at once. About as long as the last ones were, since
        asking costs as much as ids have it.
        """
        length = max(_SHORTEST, min(self._usual - 1, len(reverse) - 1))
        others = self._others(reverse, length)
        while not others and length > _SHORTEST:
            length -= 1
            others = self._others(reverse, length)
        while len(others) >= _FEW and length < len(reverse):
            length += 1
            others = self._others(reverse, length)
        shared = length if others else length - 1
        for other in others:
            while shared < len(reverse) and other.startswith(reverse[: shared + 1]):
                shared += 1
        for length in range(max(_SHORTEST, shared + 1), len(reverse)):
            if reverse[length - 1].isalnum():
                self._usual = length
                return reverse[:length][::-1]
        return ""

    def _others(self, reverse: str, length: int) -> list[str]:
        """Other ids that end in so many letters of this one, a few of them where they are many."""
        found = self._searcher.terms_with_prefix("id", reverse[:length], limit=_FEW + 1)
        return [other for other, _ in found if other != reverse]
