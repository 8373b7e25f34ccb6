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
from store.search.schema import CHECK, hashed

Tail = Mapping[str, Sequence[str]]
"""When observations were recalled since the index last counted, by id: ISO timestamps in UTC."""
NO_TAIL: Tail = MappingProxyType({})
Key = tuple[int, int]
"""What tells a document from the others of one state of the index."""
key_of: Callable[[DocAddress], Key] = attrgetter("segment_ord", "doc")


def unarchived(searcher: Searcher, schema: Schema) -> list[tuple[Occur, IndexQuery]]:
    """The clause that leaves out what is archived; none in an index that holds nothing archived:
    asking for it takes a search a fifth longer.
    """
    if not searcher.doc_freq("is", "archived"):
        return []
    return [(Occur.MustNot, IndexQuery.term_query(schema, "is", "archived", "basic"))]


def count_of(searcher: Searcher, query: IndexQuery) -> int:
    """Count the documents that a query finds."""
    return int(searcher.search(query, 1).count)  # type: ignore[attr-defined]


def observation_of(document: Document, tail: Tail = NO_TAIL) -> Observation:
    """The observation a document was made from, with the recalls in `tail` counted in.

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
    """The observations that a session left under some issues, in no order."""
    keys = (hashed(f"{issue}\0{session_id}") for issue in issues)
    terms = [(Occur.Should, IndexQuery.term_query(schema, "session", key)) for key in keys]
    query = IndexQuery.boolean_query(terms)
    most = max(1, count_of(searcher, query))
    hits = searcher.search(query, most, count=False).hits
    found = (observation_of(searcher.doc(address), tail) for _, address in hits)
    return [it for it in found if it.session_id == session_id]
