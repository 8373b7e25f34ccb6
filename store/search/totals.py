"""The store's totals, answered by the index."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tantivy import Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import Category, Location, StoreStats
from store.redaction.labels import shown_name
from store.search.documents import count_of

SPEC_CATEGORIES = (
    Category.DECISION,
    Category.CODE_CHANGE,
    Category.ERROR,
    Category.KEY_FACT,
    Category.COMPACTION_SUMMARY,
)
"""The categories that SPEC-29's StoreStats always name, also where there are none."""
MANY = 10_000
"""The most names or issues that are counted."""


def held(searcher: Searcher, schema: Schema) -> tuple[int, int]:
    """Count records in issue files, archived flag or not, and their tokens."""
    found = searcher.aggregate(
        at_location(Location.ISSUE, schema), {"tokens": {"stats": {"field": "tokens"}}}
    )["tokens"]
    return int(found["count"]), int(found["sum"] or 0)


def index_stats(searcher: Searcher, schema: Schema, size_bytes: int | None) -> StoreStats:
    """The totals over the records in issue files, archived flag or not (as AgentX counts them).

    `size_bytes` is passed through.
    """
    totals = searcher.aggregate(
        at_location(Location.ISSUE, schema),
        {
            "agents": {"terms": {"field": "agent", "size": MANY}},
            "categories": {"terms": {"field": "category", "size": MANY}},
            "issues": {"terms": {"field": "issue", "size": MANY}},
            "tokens": {"sum": {"field": "tokens"}},
            "oldest": {"min": {"field": "time"}},
            "newest": {"max": {"field": "time"}},
        },
    )
    archive = at_location(Location.ARCHIVE, schema)
    by_agent = shown_counts(counts_of(totals["agents"]))
    by_category = shown_counts(counts_of(totals["categories"]))
    by_category = {**{str(name): 0 for name in SPEC_CATEGORIES}, **by_category}
    return StoreStats(
        total_observations=sum(by_agent.values()),
        total_tokens=int(totals["tokens"]["value"] or 0),
        issue_count=len(totals["issues"]["buckets"]),
        oldest_timestamp=from_millis(totals["oldest"]["value"]),
        newest_timestamp=from_millis(totals["newest"]["value"]),
        by_category=by_category,
        by_agent=by_agent,
        archived_observations=count_of(searcher, archive),
        size_bytes=size_bytes,
    )


def at_location(location: Location, schema: Schema) -> IndexQuery:
    """Query for all in a location, archived flag or not."""
    archive = IndexQuery.term_query(schema, "is", "on-archive", "basic")
    if location is Location.ARCHIVE:
        return archive
    everything = IndexQuery.all_query()
    return IndexQuery.boolean_query([(Occur.Must, everything), (Occur.MustNot, archive)])


def shown_counts(names: Mapping[str, int]) -> dict[str, int]:
    """Counted names as they may be shown."""
    return {shown_name(name): count for name, count in names.items()}


def counts_of(answer: Mapping[str, Any]) -> dict[str, int]:
    """The names that an aggregation of terms found, each with how many have it."""
    return {bucket["key"]: int(bucket["doc_count"]) for bucket in answer["buckets"]}


def from_millis(millis: float | None) -> datetime | None:
    """The time that so many milliseconds since 1970 are, where there are any."""
    return None if millis is None else datetime.fromtimestamp(round(millis) / 1000, UTC)
