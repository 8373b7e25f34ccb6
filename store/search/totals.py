"""The store's totals, answered by the index."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tantivy import Query as IndexQuery
from tantivy import Schema, Searcher

from store.disk.layout import Shelf
from store.disk.totals import SPEC_CATEGORIES
from store.model import StoreStats

_MANY = 10_000


def index_stats(
    searcher: Searcher, schema: Schema, size_bytes: int, *, active: bool = False
) -> StoreStats:
    """The totals over the records in issue files, archived flag or not (as AgentX counts them).

    With `active`, over the active observations only. `size_bytes` is passed through.
    """
    standing = "active" if active else f"on-{Shelf.ISSUE}"
    totals = searcher.aggregate(
        IndexQuery.term_query(schema, "is", standing, "basic"),
        {
            "agents": {"terms": {"field": "agent", "size": _MANY}},
            "categories": {"terms": {"field": "category", "size": _MANY}},
            "issues": {"terms": {"field": "issue", "size": _MANY}},
            "tokens": {"sum": {"field": "tokens"}},
            "oldest": {"min": {"field": "time"}},
            "newest": {"max": {"field": "time"}},
        },
    )
    archive = IndexQuery.term_query(schema, "is", f"on-{Shelf.ARCHIVE}", "basic")
    by_agent = _counts(totals["agents"])
    by_category = {**{str(name): 0 for name in SPEC_CATEGORIES}, **_counts(totals["categories"])}
    return StoreStats(
        total_observations=sum(by_agent.values()),
        total_tokens=int(totals["tokens"]["value"] or 0),
        issue_count=len(totals["issues"]["buckets"]),
        oldest_timestamp=_time(totals["oldest"]["value"]),
        newest_timestamp=_time(totals["newest"]["value"]),
        by_category=by_category,
        by_agent=by_agent,
        archived_observations=int(searcher.search(archive, 1).count),  # type: ignore[attr-defined]
        size_bytes=size_bytes,
    )


def _counts(answer: dict[str, Any]) -> dict[str, int]:
    return {bucket["key"]: int(bucket["doc_count"]) for bucket in answer["buckets"]}


def _time(millis: float | None) -> datetime | None:
    return None if millis is None else datetime.fromtimestamp(round(millis) / 1000, UTC)
