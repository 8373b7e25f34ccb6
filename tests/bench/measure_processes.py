"""What a command costs as a whole process, beside a Python that imports the two libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter

from tests.bench.measure import IMPORTING, Series, Target, interleaved, measurement
from tests.bench.transcripts import write_transcript
from tests.bench.world import World

BARE = f'bare python -c "{IMPORTING}"'
ROOT = Path(__file__).parents[2]
_TASK = "the lock times out when two agents write the manifest"
_MEGABYTE = 1_000_000
_CAPTURED = 20
"""The observations that a session must leave at least."""


@measurement
def commands(world: World) -> Iterator[Series]:
    """`search`, `show`, `inject` and `--help`, from the start of Python to the exit code."""
    world.memory.refresh()
    about = ("inject", "--agent", "engineer", "--issue", str(world.usual_issue()))
    named = {
        "memtui search": ("search", "lock timeout"),
        "memtui show": ("show", world.any_id()),
        **{
            f"memtui inject, {tokens:,} tokens{told}": (*about, "--budget", str(tokens), *task)
            for tokens in (2_500, 20_000)
            for told, task in (("", ()), (", with a task", ("--task", _TASK)))
        },
        "memtui --help": ("--help",),
    }
    took = interleaved(
        {
            BARE: partial(_run, world, "-c", IMPORTING),
            **{name: partial(_run, world, "-m", "memtui", *said) for name, said in named.items()},
        },
        runs=world.runs(15, large=7),
        warm_up=world.warm_up(2),
    )
    yield Series(BARE, took.pop(BARE))
    for name, samples in took.items():
        yield Series(name, samples, Target(times=3), per=BARE)


@measurement
def capturing(world: World) -> Iterator[Series]:
    """A transcript of 1 MB read, cleaned and stored, index and manifest in step at the end.

    Each is another session: what was captured before is only seen again.
    """
    if world.is_large:
        return
    sessions = count(world.size)
    samples = []
    for run in range(-world.warm_up(1), world.runs(10)):
        session = next(sessions)
        path = write_transcript(world.root / f"session-{session}.jsonl", session, _MEGABYTE)
        issue = str(world.usual_issue())
        start = perf_counter()
        stored = _run(world, "-m", "memtui", "capture", str(path), "--issue", issue)
        if run >= 0:
            samples.append((perf_counter() - start) * 1_000)
        if len(stored.split()) < _CAPTURED:
            raise RuntimeError(f"Only {stored!r} was captured of a session: nothing was measured.")
    yield Series("memtui capture, a transcript of 1 MB", samples, Target(median=500))


def _run(world: World, *arguments: str) -> str:
    """What Python prints, run in the world's project with the world's index."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(world.user_cache),
        "MEMTUI_DIR": str(world.folder),
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=world.root,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout
