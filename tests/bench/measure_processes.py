"""What a command costs as a whole process, beside a Python that imports the two libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Series, Target, measurement, timings
from tests.bench.world import World

BARE = 'bare python -c "import tantivy, pydantic"'
_ROOT = Path(__file__).parents[2]


@measurement
def commands(world: World) -> Iterator[Series]:
    """`memtui search`, `show` and `--help`, from the start of Python to the exit code."""
    _run(world, "-m", "memtui", "search", "lock")
    yield Series(BARE, _times(world, "-c", "import tantivy, pydantic"))
    for name, arguments in (
        ("memtui search", ("search", "lock timeout")),
        ("memtui show", ("show", world.any_id())),
        ("memtui --help", ("--help",)),
    ):
        samples = _times(world, "-m", "memtui", *arguments)
        yield Series(name, samples, Target(times=3), per=BARE)


def _times(world: World, *arguments: str) -> list[float]:
    return timings(lambda: _run(world, *arguments), runs=world.runs(10), warm_up=1)


def _run(world: World, *arguments: str) -> None:
    """Run Python in the world's project, its cache folder beside it."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(_ROOT),
        "XDG_CACHE_HOME": str(world.root / "user-cache"),
        "MEMTUI_DIR": str(world.folder),
    }
    subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=world.root,
        check=True,
        capture_output=True,
    )
