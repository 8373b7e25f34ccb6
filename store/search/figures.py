"""The store's figures and totals, answered by the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from tantivy import FieldType, Occur, Schema, Searcher
from tantivy import Query as IndexQuery

from store.model import Category, Location, StoreStats, layer_of
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
DAYS = 364
"""Days, up to now, whose observations are counted day by day."""
_DAY = timedelta(days=1) // timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Measure:
    count: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """Figures of the records in issue files, archived flag or not (as AgentX counts them).

    `issues` has the tokens first; `agent_layers` counts the memories of each agent by layer; `days`
    counts each of the last `DAYS` days, the newest last;
    `archived` counts the archive.
    """

    total: Measure = Measure()
    agents: Mapping[str, Measure] = field(default_factory=dict)
    agent_layers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    layers: Mapping[str, Measure] = field(default_factory=dict)
    categories: Mapping[str, Measure] = field(default_factory=dict)
    issues: Mapping[int, Measure] = field(default_factory=dict)
    issue_count: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    never_recalled: int = 0
    archived: int = 0
    days: tuple[int, ...] = (0,) * DAYS


def index_figures(searcher: Searcher, schema: Schema, now: datetime) -> IndexFigures:
    """Return the figures of the records in issue files at the time `now`."""
    counted = at_location(Location.ISSUE, schema)
    found = searcher.aggregate(
        counted,
        {
            "agents": _measured("agent", {"categories": _terms("category")}),
            "categories": _measured("category"),
            "issues": _measured("issue"),
            "oldest": {"min": {"field": "time"}},
            "newest": {"max": {"field": "time"}},
            "recalled": {"range": {"field": "recalled", "ranges": [{"to": 1}]}},
        },
    )
    categories = {
        shown_name(key): measure for key, measure in _measures(found["categories"]).items()
    }
    issues = {int(key): measure for key, measure in _measures(found["issues"]).items()}
    never = sum(b["doc_count"] for b in found["recalled"]["buckets"] if b.get("to") == 1)
    archive = at_location(Location.ARCHIVE, schema)
    return IndexFigures(
        total=Measure(
            sum(measure.count for measure in categories.values()),
            sum(measure.tokens for measure in categories.values()),
        ),
        agents={shown_name(key): measure for key, measure in _measures(found["agents"]).items()},
        agent_layers={
            shown_name(agent["key"]): _layer_counts(counts_of(agent["categories"]))
            for agent in found["agents"]["buckets"]
        },
        layers=_by_layer(categories),
        categories=categories,
        issues=dict(sorted(issues.items(), key=lambda item: -item[1].tokens)),
        issue_count=len(issues),
        oldest=from_millis(found["oldest"]["value"]),
        newest=from_millis(found["newest"]["value"]),
        never_recalled=int(never),
        archived=count_of(searcher, archive),
        days=_days(searcher, schema, counted, now),
    )


def index_stats(
    searcher: Searcher, schema: Schema, now: datetime, size_bytes: int | None
) -> StoreStats:
    """Return the totals of SPEC-29, by the same figures. `size_bytes` is passed through."""
    figures = index_figures(searcher, schema, now)
    by_category = {name: measure.count for name, measure in figures.categories.items()}
    return StoreStats(
        total_observations=figures.total.count,
        total_tokens=figures.total.tokens,
        issue_count=figures.issue_count,
        oldest_timestamp=figures.oldest,
        newest_timestamp=figures.newest,
        by_category={**{str(name): 0 for name in SPEC_CATEGORIES}, **by_category},
        by_agent={name: measure.count for name, measure in figures.agents.items()},
        archived_observations=figures.archived,
        size_bytes=size_bytes,
    )


def held(searcher: Searcher, schema: Schema) -> tuple[int, int]:
    """Count records in issue files, archived flag or not, and their tokens."""
    found = searcher.aggregate(
        at_location(Location.ISSUE, schema), {"tokens": {"stats": {"field": "tokens"}}}
    )["tokens"]
    return int(found["count"]), int(found["sum"] or 0)


def at_location(location: Location, schema: Schema) -> IndexQuery:
    archive = IndexQuery.term_query(schema, "is", "on-archive", "basic")
    if location is Location.ARCHIVE:
        return archive
    everything = IndexQuery.all_query()
    return IndexQuery.boolean_query([(Occur.Must, everything), (Occur.MustNot, archive)])


def shown_counts(names: Mapping[str, int]) -> dict[str, int]:
    return {shown_name(name): count for name, count in names.items()}


def counts_of(answer: Mapping[str, Any]) -> dict[str, int]:
    """Return the names that an aggregation of terms found, each with how many have it."""
    return {bucket["key"]: int(bucket["doc_count"]) for bucket in answer["buckets"]}


def from_millis(millis: float | None) -> datetime | None:
    """Return the time that so many milliseconds since 1970 are, where there are any."""
    return None if millis is None else datetime.fromtimestamp(round(millis) / 1000, UTC)


def _days(searcher: Searcher, schema: Schema, wanted: IndexQuery, now: datetime) -> tuple[int, ...]:
    """Observations of each of the last `DAYS` days, the 24 hours up to `now` last."""
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


def _by_layer(categories: Mapping[str, Measure]) -> dict[str, Measure]:
    layers: dict[str, Measure] = {}
    for category, measure in categories.items():
        held = layers.get(layer_of(category), Measure())
        layers[layer_of(category)] = Measure(
            held.count + measure.count, held.tokens + measure.tokens
        )
    return dict(sorted(layers.items(), key=lambda item: -item[1].count))


def _layer_counts(categories: Mapping[str, int]) -> dict[str, int]:
    layers: Counter[str] = Counter()
    for category, number in categories.items():
        layers[layer_of(category)] += number
    return dict(layers)


def _terms(name: str) -> dict[str, Any]:
    return {"terms": {"field": name, "size": MANY}}


def _measured(name: str, also: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    return {**_terms(name), "aggs": {"tokens": {"sum": {"field": "tokens"}}, **also}}


def _measures(answer: dict[str, Any]) -> dict[Any, Measure]:
    """Return the measures of an aggregation, most observations first."""
    return {
        bucket["key"]: Measure(int(bucket["doc_count"]), int(bucket["tokens"]["value"] or 0))
        for bucket in answer["buckets"]
    }
