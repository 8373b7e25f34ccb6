"""Memory in PostgreSQL, beside files and beside what the server alone takes; its log is synced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

from store import Memory, open_memory
from store.model import Observation
from store.records import format_time
from tests.bench.measure import (
    AIMED_AT,
    ANY_SIZE,
    Series,
    Target,
    interleaved,
    measurement,
    timed,
)
from tests.bench.world import World
from tests.postgres import database, project_of, server

FROM_FILES = "index from nothing, of files"
FROM_DATABASE = "index from nothing, of a database"
SEARCH_FILES = "search with counts, of files"
SEARCH_DATABASE = "search with counts, of a database"
BARE = "bare INSERT of ten with commit"
STORE = "store() of 10 into a database, an issue of 30"
_AS_FAST = 1.1
_BARE_TABLE = "create table bare (like memtui.memories including all)"
_COLUMNS = (
    "project, issue, memory_id, agent_id, memory_type, session_id, category, content, summary, "
    'tokens, "timestamp"'
)
_ROW = f"({', '.join(['%s'] * len(_COLUMNS.split(',')))})"


@measurement
def postgres(world: World) -> Iterator[Series]:
    """The same memory in files and in a database of this machine, asked in turn."""
    with server(durable=True) as url, database(url) as made:
        place = project_of(made, "bench")
        world.memory.exchange.copy(world.memory.exchange.plan_copy(place))
        yield Series("bytes a memory in a database", [_bytes(made) / world.size], unit="B")
        yield from _taken_in(world, place)
        with _followed(world, place) as memory:
            yield from _searched(world, memory)
            yield from _stored(world, made, memory)


@contextmanager
def _followed(world: World, place: str) -> Iterator[Memory]:
    with open_memory(place, cache=world.root / "database") as memory:
        memory.index.refresh()
        yield memory


def _taken_in(world: World, place: str) -> Iterator[Series]:
    """An index from nothing, of one and the other."""
    speeds: dict[str, list[float]] = {FROM_FILES: [], FROM_DATABASE: []}
    for run in range(world.runs(3, large=1)):
        for name, location in ((FROM_FILES, world.folder), (FROM_DATABASE, place)):
            with open_memory(location, cache=world.root / f"{name} {run}") as memory:
                took = timed(memory.index.refresh)
            speeds[name].append(world.size / took * 1_000)
    yield Series(FROM_FILES, speeds[FROM_FILES], unit="obs/s")
    target = Target(at_least=15_000, sizes=(AIMED_AT, 1_000_000_000))
    yield Series(FROM_DATABASE, speeds[FROM_DATABASE], target, unit="obs/s")


def _searched(world: World, memory: Memory) -> Iterator[Series]:
    """The same queries of one and the other."""
    queries = world.queries(world.runs(60, large=30))
    asked: dict[str, list[float]] = {SEARCH_FILES: [], SEARCH_DATABASE: []}
    for query in queries:
        took = interleaved(
            {
                SEARCH_FILES: partial(world.memory.search, query, fresh=False),
                SEARCH_DATABASE: partial(memory.search, query, fresh=False),
            },
            runs=1,
        )
        for name, samples in took.items():
            asked[name] += samples
    yield Series(SEARCH_FILES, asked[SEARCH_FILES])
    target = Target(times=_AS_FAST, sizes=ANY_SIZE)
    yield Series(SEARCH_DATABASE, asked[SEARCH_DATABASE], target, per=SEARCH_FILES)


def _stored(world: World, url: str, memory: Memory) -> Iterator[Series]:
    """A batch of ten into an issue of thirty, in turn with ten rows into a table like ours."""
    import psycopg

    issues, ours, bare = count(20_000_000), [], []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_BARE_TABLE)
        insert = f"insert into bare ({_COLUMNS}) values {', '.join([_ROW] * 10)}"
        for run in range(world.runs(30) + 1):
            issue = next(issues)
            memory.store(world.batch(issue, 30))
            memory.index.settle()
            stored = timed(memory.store, world.batch(issue))
            values = [value for it in world.batch(issue) for value in _row(it)]
            inserted = timed(partial(connection.execute, insert, values, prepare=True))
            if run:
                ours.append(stored)
                bare.append(inserted)
    yield Series(BARE, bare)
    yield Series(STORE, ours, Target(over=5, sizes=ANY_SIZE), per=BARE)


def _row(it: Observation) -> tuple[Any, ...]:
    kind, time = "semantic", format_time(it.timestamp)
    told = (it.agent, kind, it.session_id, it.category, it.content, it.summary, it.tokens, time)
    return 1, it.issue_number, it.id, *told


def _bytes(url: str) -> int:
    """Bytes of the table of memories with its indexes."""
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute("select pg_total_relation_size('memtui.memories')").fetchone()
    return int(row[0]) if row else 0
