"""Documents of the index: counting them, and the observation one was made from."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import orjson
from tantivy import Document, Searcher
from tantivy import Query as IndexQuery

from store.disk.issue_file import RawRecord
from store.disk.layout import Shelf
from store.disk.records import from_record, parse_time
from store.model import Observation


def count_of(searcher: Searcher, query: IndexQuery) -> int:
    """How many documents a query finds."""
    return int(searcher.search(query, 1).count)  # type: ignore[attr-defined]


def observation_of(document: Document) -> Observation:
    """The observation a document was made from. Raises `InvalidRecord` for a damaged index."""
    text = bytes(document.get_first("record") or b"")
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = RawRecord(text, None).exact()
    observation = from_record(value, int(document.get_first("number") or 0))
    if document.get_first("shelf") == Shelf.ARCHIVE and not observation.archived:
        observation = replace(observation, archived=True)
    recalls = document.get_first("recalls")
    if recalls is None:
        return observation
    count, _, last = bytes(recalls).decode().partition(" ")
    return replace(
        observation,
        recall_count=observation.recall_count + int(count),
        last_recalled=_moment(last) or observation.last_recalled,
    )


def _moment(text: str) -> datetime | None:
    try:
        return parse_time(text)
    except ValueError:
        return None
