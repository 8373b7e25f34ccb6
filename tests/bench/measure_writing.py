"""What a write costs an agent that waits for it, and what follows after the answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from store.disk.layout import issue_name
from tests.bench.measure import Series, Target, measurement, timed, timings
from tests.bench.peers import ManifestStore
from tests.bench.world import World

STORE = "store() of 10, an issue of 30"
BARE = "bare durable replace of that file"


@measurement
def storing(world: World) -> Iterator[Series]:
    """A batch of ten into a usual issue, beside a bare durable replace of the same file."""
    issues = [world.usual_issue() for _ in range(world.runs(30) + 1)]
    ours, bare, settling = _store_and_settle(world, issues)
    yield Series(BARE, bare)
    yield Series(STORE, ours, Target(over=10), per=BARE)
    yield Series("settle manifest and index after it", settling, Target(median=250))


@measurement
def storing_into_the_project(world: World) -> Iterator[Series]:
    """A batch of ten into issue 0, which holds a fifth of all observations."""
    held = world.size // 5
    name = f"store() of 10, issue 0 of {held:,}"
    bare_name = f"bare durable replace, issue 0 of {held:,}"
    ours, bare, settling = _store_and_settle(world, [0] * (world.runs(12) + 1))
    yield Series(bare_name, bare)
    yield Series(name, ours, Target(median=60), per=bare_name)
    yield Series(f"settle after it, issue 0 of {held:,}", settling)


@measurement
def storing_as_specified(world: World) -> Iterator[Series]:
    """The same batch into a store that rewrites its whole manifest, without fsync."""
    peer = ManifestStore(world.copy("spec29"), world.observations())
    batches = iter([world.batch(world.usual_issue()) for _ in range(world.runs(20) + 3)])
    samples = timings(lambda: peer.store(next(batches)), runs=world.runs(20))
    yield Series("SPEC-29 manifest store of 10, no fsync", samples, per=STORE)


def _store_and_settle(
    world: World, issues: list[int]
) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds of store(), of a bare replace of the same file, and of settle().

    The first issue is the warm-up.
    """
    memory = world.memory
    ours, bare, settling = [], [], []
    for run, issue in enumerate(issues):
        stored = timed(memory.store, world.batch(issue))
        path = world.folder / issue_name(issue)
        replaced = timed(replace_bare, path, path.read_bytes())
        settled = timed(memory.settle)
        if run:
            ours.append(stored)
            bare.append(replaced)
            settling.append(settled)
    return ours, bare, settling


def replace_bare(path: Path, data: bytes) -> None:
    """The least a durable replace can be: write, fsync, rename, fsync of the folder."""
    temporary = path.with_name(f".{path.name}.bare.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        os.write(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    temporary.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
