"""Sessions: taking in a project's months of them, listing them, opening a large one."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from store import open_memory
from store.agents.files import files_at
from tests.bench.measure import Series, Target, once, timings
from tests.bench.transcripts import write_transcript
from tests.bench.world import World

_COUNT, _SIZE, _LARGE = 300, 400_000, 4_000_000
_QUICK = (2, 20_000, 40_000)


@once
def sessions(world: World) -> Iterator[Series]:
    """A memory of its own takes in 300 sessions of 120 MB in all, and opens one of 4 MB."""
    count, size, large = _QUICK if world.is_quick else (_COUNT, _SIZE, _LARGE)
    folder = world.root / "sessions"
    folder.mkdir()
    paths = [write_transcript(folder / f"s-{at}.jsonl", at, size) for at in range(count)]
    big = write_transcript(folder / f"bench-{count}.jsonl", count, large)
    files = list(files_at(paths, "claude-code"))
    opened = list(files_at([big], "claude-code"))
    name = f"bench-{count}"
    with open_memory(folder / "memory", cache=folder / "cache") as memory:
        start = perf_counter()
        taken = memory.session_indexing.index(files).taken
        took = (perf_counter() - start) * 1_000
        if taken != count:
            raise AssertionError(f"{taken} of {count} sessions were taken in")
        yield Series("take in 300 sessions of 400 KB", [took], Target(median=60_000))
        listing = timings(lambda: memory.sessions.listing(files), runs=world.runs(20))
        yield Series("list 300 sessions", listing)
        opening = timings(lambda: memory.sessions.open(name, opened), runs=world.runs(10))
        yield Series("open a session of 4 MB", opening, Target(median=500, p95=500))
