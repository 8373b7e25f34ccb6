"""Running the measurements of one size."""

from __future__ import annotations

import gc
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from memtui.cli.main import GARBAGE
from tests.bench import (
    measure_app,
    measure_compacting,
    measure_opening,
    measure_postgres,
    measure_processes,
    measure_recalling,
    measure_searching,
    measure_serving,
    measure_sessions,
    measure_writing,
)
from tests.bench.measure import (
    ONCE,
    REGISTRY,
    THRICE,
    Figure,
    Measurement,
    Series,
    each_median,
    pace,
    sum_up,
    take,
)
from tests.bench.world import World

MODULES = (
    measure_searching,
    measure_recalling,
    measure_opening,
    measure_processes,
    measure_app,
    measure_sessions,
    measure_serving,
    measure_postgres,
    measure_compacting,
    measure_writing,
)
"""Where the measurements are, in the order in which they are taken; a new module becomes known by
standing here. Writing comes last: it leaves another store, and an index of more segments.
"""


def measured(size: int, only: str = "", *, first: bool = True) -> list[Figure]:
    """The figures of a size, as `run` gives them, all of one store laid out for them.

    Each measurement is taken in a process of its own, whose memory no other has left in pieces.
    """
    figures: list[Figure] = []
    with TemporaryDirectory(prefix="memtui-bench-") as folder:
        os.environ["XDG_CONFIG_HOME"] = folder  # settings of one's own would be measured, too
        for part, function in enumerate(chosen(only, first=first)):
            print(f"{size:,}: {function.__name__} …", file=sys.stderr)
            runs, paces = [], []
            for _ in range(3 if function in THRICE else 1):
                with ProcessPoolExecutor(1, get_context("spawn")) as alone:
                    asked = alone.submit(_alone, function, size, Path(folder), part)
                    taken, around = asked.result()
                runs.append(taken)
                paces.append(around)
            found = sum_up(function, size, each_median(runs))
            figures += [replace(figure, pace=fmean(paces)) for figure in found]
    return figures


def chosen(only: str = "", *, first: bool = True) -> list[Measurement]:
    """The measurements whose name contains `only`, or one of its words between commas, in order.

    `first` is whether their world is the first of the run: those that need no size are taken then.
    """
    order = [module.__name__ for module in MODULES]
    return [
        function
        for function in sorted(REGISTRY, key=lambda it: order.index(it.__module__))
        if any(word in function.__name__ for word in only.split(","))
        and (first or function not in ONCE)
    ]


def _alone(function: Measurement, size: int, folder: Path, part: int) -> tuple[list[Series], float]:
    """The series of one measurement, garbage being collected as in memtui's own processes, and the
    machine's pace around it.
    """
    gc.set_threshold(GARBAGE)
    with World(size, folder, part=part) as world:
        # What the layout or another measurement left unsynced may be written at our first fsync.
        os.sync()
        before = pace()
        taken = take(function, world)
        return taken, (before + pace()) / 2
