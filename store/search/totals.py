"""The store's totals and figures, answered by the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tantivy import FieldType, Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.disk.layout import Shelf
from store.disk.totals import SPEC_CATEGORIES
from store.model import StoreStats

DAYS = 364
"""Days, up to now, whose observations are counted day by day."""
_MANY = 10_000
_DAY = timedelta(days=1) // timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Measure:
    """How many observations, and their tokens."""

    count: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """What the records in issue files are made of, archived flag or not (as AgentX counts them).

    `issues` has the tokens first; `days` counts each of the last `DAYS` days, the newest last;
    `archived` counts the archive.
    """

    total: Measure = Measure()
    agents: Mapping[str, Measure] = field(default_factory=dict)
    layers: Mapping[str, Measure] = field(default_factory=dict)
    categories: Mapping[str, Measure] = field(default_factory=dict)
    issues: Mapping[int, Measure] = field(default_factory=dict)
    issue_count: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    never_recalled: int = 0
    archived: int = 0
    days: tuple[int, ...] = (0,) * DAYS


def index_stats(searcher: Searcher, schema: Schema, size_bytes: int) -> StoreStats:
    """The totals over the records in issue files, archived flag or not (as AgentX counts them).

    `size_bytes` is passed through.
    """
    totals = searcher.aggregate(
        _on(Shelf.ISSUE, schema),
        {
            "agents": {"terms": {"field": "agent", "size": _MANY}},
            "categories": {"terms": {"field": "category", "size": _MANY}},
            "issues": {"terms": {"field": "issue", "size": _MANY}},
            "tokens": {"sum": {"field": "tokens"}},
            "oldest": {"min": {"field": "time"}},
            "newest": {"max": {"field": "time"}},
        },
    )
    archive = _on(Shelf.ARCHIVE, schema)
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


def index_figures(searcher: Searcher, schema: Schema, now: datetime) -> Figures:
    """The figures of the records in issue files at the time `now`."""
    counted = _on(Shelf.ISSUE, schema)
    found = searcher.aggregate(
        counted,
        {
            "agents": _measured("agent"),
            "layers": _measured("layer"),
            "categories": _measured("category"),
            "issues": _measured("issue"),
            "oldest": {"min": {"field": "time"}},
            "newest": {"max": {"field": "time"}},
            "recalled": {"range": {"field": "recalled", "ranges": [{"to": 1}]}},
        },
    )
    layers = _measures(found["layers"])
    issues = {int(key): measure for key, measure in _measures(found["issues"]).items()}
    never = sum(b["doc_count"] for b in found["recalled"]["buckets"] if b.get("to") == 1)
    archive = _on(Shelf.ARCHIVE, schema)
    return Figures(
        total=Measure(
            sum(measure.count for measure in layers.values()),
            sum(measure.tokens for measure in layers.values()),
        ),
        agents=_measures(found["agents"]),
        layers=layers,
        categories=_measures(found["categories"]),
        issues=dict(sorted(issues.items(), key=lambda item: -item[1].tokens)),
        issue_count=len(issues),
        oldest=_time(found["oldest"]["value"]),
        newest=_time(found["newest"]["value"]),
        never_recalled=int(never),
        archived=int(searcher.search(archive, 1).count),  # type: ignore[attr-defined]
        days=_days(searcher, schema, counted, now),
    )


def _on(shelf: Shelf, schema: Schema) -> IndexQuery:
    return IndexQuery.term_query(schema, "is", f"on-{shelf}", "basic")


def _days(searcher: Searcher, schema: Schema, wanted: IndexQuery, now: datetime) -> tuple[int, ...]:
    """How many observations each of the last `DAYS` days has, the 24 hours up to `now` last."""
    end = round(now.timestamp() * 1000)
    start = end - DAYS * _DAY
    within = IndexQuery.range_query(
        schema, "time", FieldType.Integer, start, end, include_lower=False
    )
    found = searcher.aggregate(
        IndexQuery.boolean_query([(Occur.Must, wanted), (Occur.Must, within)]),
        # A bucket holds its lower end; ours hold their upper one, hence the millisecond.
        {"days": {"histogram": {"field": "time", "interval": _DAY, "offset": (end + 1) % _DAY}}},
    )
    counts = [0] * DAYS
    for bucket in found["days"]["buckets"]:
        counts[(round(bucket["key"]) - start - 1) // _DAY] += int(bucket["doc_count"])
    return tuple(counts)


def _measured(name: str) -> dict[str, Any]:
    return {
        "terms": {"field": name, "size": _MANY},
        "aggs": {"tokens": {"sum": {"field": "tokens"}}},
    }


def _measures(answer: dict[str, Any]) -> dict[Any, Measure]:
    """The measures of an aggregation, most observations first."""
    return {
        bucket["key"]: Measure(int(bucket["doc_count"]), int(bucket["tokens"]["value"] or 0))
        for bucket in answer["buckets"]
    }


def _counts(answer: dict[str, Any]) -> dict[str, int]:
    return {bucket["key"]: int(bucket["doc_count"]) for bucket in answer["buckets"]}


def _time(millis: float | None) -> datetime | None:
    return None if millis is None else datetime.fromtimestamp(round(millis) / 1000, UTC)
