"""What a key typed costs, beside the peers on the same queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

from tests.bench.measure import (
    ANY_SIZE,
    AT_AIM,
    Series,
    Target,
    measurement,
    thrice,
    timed,
    timings,
)
from tests.bench.peers import Fts5
from tests.bench.world import World

SEARCH = "search with counts, finished words"
FTS5 = "SQLite FTS5 (porter), the same work"
_COUNTED: tuple[str, ...] = ("agent", "category")
_WARM_UP = 20
_BLOCK = 20


@thrice
def typing(world: World) -> Iterator[Series]:
    """Fifty rows with marks for each key of some queries, as the app asks while one types."""
    keys = world.typed_keys()

    def rows(typed: str) -> object:
        return world.memory.search(typed, 50, facets=(), fresh=False)

    def rows_and_facets(typed: str) -> object:
        return world.memory.search(typed, 50, fresh=False)

    took = _each(keys, {"rows": rows, "rows and facets": rows_and_facets})
    target = Target(p95=25, sizes=ANY_SIZE) if world.is_large else Target(median=2, p95=6)
    yield Series("rows for a key typed", took["rows"], target)
    yield Series("rows and facets for a key typed", took["rows and facets"], Target(p95=12))


@measurement
def searching(world: World) -> Iterator[Series]:
    """The same work by each: rank, fifty rows, counts by agent and category."""
    queries = world.queries(world.runs(60, large=30))
    with closing(Fts5(world.root / "fts5.sqlite", world.observations())) as fts5:
        searches: dict[str, Callable[[str], object]] = {
            SEARCH: lambda query: world.memory.search(query, facets=_COUNTED, fresh=False),
            FTS5: fts5.search,
        }
        took = _each(queries, searches)
    yield Series(SEARCH, took[SEARCH])
    yield Series(FTS5, took[FTS5], Target(at_least_times=1, sizes=AT_AIM), per=SEARCH)


@measurement
def getting(world: World) -> Iterator[Series]:
    """One observation by its whole id, and by the end of it."""
    ids = iter([world.any_id() for _ in range(3 * world.runs(50) + 9)])
    memory = world.memory
    whole = timings(lambda: memory.get(next(ids), fresh=False), runs=world.runs(50))
    yield Series("get by id", whole, Target(median=1))
    ending = timings(lambda: memory.get(next(ids)[-12:], fresh=False), runs=world.runs(50))
    yield Series("get by the end of an id", ending)


def _each(
    queries: list[str], searches: Mapping[str, Callable[[str], object]]
) -> dict[str, list[float]]:
    """Milliseconds of each query by each search, after some were asked without counting.

    The searches take turns in blocks, so that none finds the processor's cache full of another's
    data at each query.
    """
    for search in searches.values():
        for query in queries[:_WARM_UP]:
            search(query)
    took: dict[str, list[float]] = {name: [] for name in searches}
    for start in range(0, len(queries), _BLOCK):
        for name, search in searches.items():
            took[name] += [timed(search, query) for query in queries[start : start + _BLOCK]]
    return took
