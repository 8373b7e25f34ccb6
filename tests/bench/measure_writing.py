"""What a write costs an agent that waits for it, and what follows after the answer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from store.backends.files.layout import issue_name
from tests.bench.measure import ANY_SIZE, Series, Target, measurement, timed
from tests.bench.world import World

STORE = "store() of 10, an issue of 30"
BESIDE = "store() into 1,000 beside it"
BARE = "bare durable replace of that file"
STORE_PROJECT = "store() of 10, issue 0 with a fifth of all"
BARE_PROJECT = "bare durable replace of issue 0"
SETTLE = "settle manifest and index after it"
_FEW = 1_000


class _Took(NamedTuple):
    """Milliseconds of store(), of a bare replace of the same file, and of settle()."""

    stored: float
    replaced: float
    settled: float


@measurement
def storing(world: World) -> Iterator[Series]:
    """A batch of ten into an issue of thirty, beside a bare durable replace of the same file.

    A store of a thousand is given as much in turn, so that only the size differs.
    """
    with World(_FEW, world.root / "few", quick=world.is_quick) as few:
        runs = world.runs(30, large=15) + 1
        issues = {it: [it.new_issue() for _ in range(runs)] for it in (world, few)}
        took: dict[World, list[_Took]] = {world: [], few: []}
        for it in issues:
            it.memory.index.settle()
        for run in range(runs):
            for it in (world, few)[:: 1 if run % 2 else -1]:
                took[it].append(_store_and_settle(it, issues[it][run]))
    (ours, bare, settling), (beside, *_) = _series(took[world]), _series(took[few])
    target = Target(over=10, same=1.3, beside=BESIDE, sizes=ANY_SIZE)
    yield Series(BARE, bare)
    yield Series(STORE, ours, target, per=BARE)
    yield Series(BESIDE, beside)
    yield Series(SETTLE, settling, Target(median=250))


@measurement
def storing_into_the_project(world: World) -> Iterator[Series]:
    """A batch of ten into issue 0, which holds a fifth of all observations."""
    if world.is_large:
        return
    ours, bare, settling = _series([_store_and_settle(world, 0) for _ in range(world.runs(12) + 1)])
    yield Series(BARE_PROJECT, bare)
    yield Series(STORE_PROJECT, ours, Target(median=60), per=BARE_PROJECT)
    yield Series("settle after it", settling)


def _store_and_settle(world: World, issue: int) -> _Took:
    """Store a batch, and settle.

    What settling leaves unsynced is synced before the next one, which comes long after it where
    people work.
    """
    stored = timed(world.memory.store, world.batch(issue))
    path = world.folder / issue_name(issue)
    replaced = timed(replace_bare, path, path.read_bytes())
    settled = timed(world.memory.index.settle)
    os.sync()
    return _Took(stored, replaced, settled)


def _series(took: Sequence[_Took]) -> list[list[float]]:
    """The samples of store(), bare replace and settle(); the first of each is the warm-up."""
    return [list(samples) for samples in zip(*took[1:], strict=True)]


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
