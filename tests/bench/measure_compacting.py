"""What it costs to plan the compaction of everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import orjson

from store import open_memory
from store.text.facts import facts_of
from tests.bench.generate import NOW
from tests.bench.measure import Series, Target, measurement
from tests.bench.world import World

_RETOLD = 10
"""One observation of so many is told again, later and in other words."""
_TIMED = 20_000
"""As many observations at least are planned for in all: a small store's plan takes a moment."""
_NEAR_LINEAR = 1.6
"""What n log n costs more for each observation at 50,000 than at 1,000."""


@measurement
def compacting(world: World) -> Iterator[Series]:
    """The plan for the whole store, its files read; a tenth of it was learned twice."""
    if world.is_large:
        return
    folder = world.another("compacted")
    retold = sum(_tell_again(path) for path in folder.glob("issue-*.json"))
    samples = []
    found = 0
    with open_memory(folder, cache=world.root / "compacted-cache", clock=lambda: NOW) as memory:
        for run in range(-world.warm_up(1), world.runs(max(3, _TIMED // world.size))):
            facts_of.cache_clear()  # it holds all texts of a small store, and few of a large one
            start = perf_counter()
            plan = memory.compaction.plan(all=True)
            if run >= 0:
                samples.append(perf_counter() - start)
            found = sum(len(each.originals) for each in plan.clusters)
    if found < retold:  # two of a pair: some are too young, or tasks, and half are enough
        raise RuntimeError(
            f"{found} were to be merged, {retold} are told twice: too little to measure."
        )
    yield Series(
        "compaction plan for the whole store", samples, Target(10, linear=_NEAR_LINEAR), unit="s"
    )


def _tell_again(path: Path) -> int:
    """Add the retellings of an issue's observations to its file; how many."""
    file = orjson.loads(path.read_bytes())
    retold = [
        {**record, "id": f"{record['id'][:-6]}again{at % 10}", "content": _reworded(record)}
        for at, record in enumerate(file["observations"])
        if at % _RETOLD == _RETOLD - 1
    ]
    file["observations"] += retold
    path.write_bytes(orjson.dumps(file))
    return len(retold)


def _reworded(record: dict[str, str]) -> str:
    """The same with a sentence less, so that it says nothing of its own and is merged."""
    sentences = record["content"].split(". ")
    return ". ".join(sentences[:-1]) + "."
