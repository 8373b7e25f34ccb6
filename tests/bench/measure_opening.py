"""What it costs to open memory: from nothing, unchanged, and after somebody else's edit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from store import open_memory
from store.backends.files.layout import issue_name
from tests.bench.measure import AT_AIM, Series, Target, measurement, timed, timings
from tests.bench.world import World


@measurement
def building(world: World) -> Iterator[Series]:
    """The index from nothing: every file read and validated."""
    held = world.memory.search("").total
    speeds = []
    for run in range(-world.warm_up(1), world.runs(5, large=1)):
        with open_memory(world.folder, cache=world.root / f"build-{run}") as memory:
            took = timed(memory.index.refresh)
        if run >= 0:
            speeds.append(held / took * 1_000)
    target = Target(at_least=15_000, sizes=AT_AIM)
    yield Series("index from nothing", speeds, target, unit="obs/s")


@measurement
def opening(world: World) -> Iterator[Series]:
    """A memory whose files did not change since its index was written."""
    world.memory.index.refresh()

    def open_and_look() -> None:
        with open_memory(world.folder, cache=world.cache) as memory:
            memory.index.refresh()

    samples = timings(open_and_look, runs=world.runs(20, large=8))
    yield Series("open memory, nothing changed", samples, Target(median=20))


@measurement
def catching_up(world: World) -> Iterator[Series]:
    """After another program changed one observation of one issue."""
    marks = count()
    memory = world.memory
    memory.index.refresh()
    samples = []
    for run in range(world.runs(12, large=4) + 1):
        path = world.folder / issue_name(world.usual_issue())
        text = path.read_text(encoding="utf-8")
        path.write_text(
            text.replace('"content": "', f'"content": "Edit {next(marks)}. ', 1), encoding="utf-8"
        )
        took = timed(memory.index.refresh)
        if run:
            samples.append(took)
    yield Series("catch up with one issue changed", samples, Target(median=80))
