"""What a key typed costs, beside the peers on the same queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec

from tests.bench.measure import Series, Target, measurement, timed, timings
from tests.bench.peers import Bm25s, Fts5, KeywordOverlap
from tests.bench.world import World

SEARCH = "search with counts, finished words"
_LARGEST_FOR_PEERS = 100_000


@measurement
def typing(world: World) -> Iterator[Series]:
    """Fifty rows with marks for each key of some queries, as the app asks while one types."""
    keys = world.typed_keys()

    def rows(typed: str) -> object:
        return world.memory.search(typed, 50, facets=False, fresh=False)

    def rows_and_facets(typed: str) -> object:
        return world.memory.search(typed, 50, fresh=False)

    large = world.size > 100_000
    target = Target(p95=25, any_size=True) if large else Target(median=2, p95=6)
    yield Series("rows for a key typed", _each(keys, rows), target)
    yield Series("rows and facets for a key typed", _each(keys, rows_and_facets), Target(p95=12))


@measurement
def searching(world: World) -> Iterator[Series]:
    """The same work by each: rank, fifty rows, counts by agent and category."""
    queries = world.queries(world.runs(40))
    yield Series(SEARCH, _each(queries, lambda query: world.memory.search(query, fresh=False)))
    if world.size > _LARGEST_FOR_PEERS:
        return
    made = list(world.observations())
    with closing(Fts5(world.root / "fts5.sqlite", made)) as fts5:
        yield Series("SQLite FTS5, the same", _each(queries, fts5.search), per=SEARCH)
    overlap = KeywordOverlap(made)
    yield Series("keyword overlap (SPEC-29), 20 rows", _each(queries, overlap.search), per=SEARCH)
    if find_spec("bm25s"):
        bm25s = Bm25s(made)
        yield Series("bm25s, no prefixes", _each(queries, bm25s.search), per=SEARCH)


@measurement
def getting(world: World) -> Iterator[Series]:
    """One observation by its whole id, and by the end of it."""
    ids = iter([world.any_id() for _ in range(3 * world.runs(50) + 9)])
    memory = world.memory
    whole = timings(lambda: memory.get(next(ids), fresh=False), runs=world.runs(50))
    yield Series("get by id", whole, Target(median=1))
    ending = timings(lambda: memory.get(next(ids)[-12:], fresh=False), runs=world.runs(50))
    yield Series("get by the end of an id", ending)


def _each(queries: list[str], search: Callable[[str], object]) -> list[float]:
    """Milliseconds of each query, after the first twenty were asked once without counting."""
    for query in queries[:20]:
        search(query)
    return [timed(search, query) for query in queries]
