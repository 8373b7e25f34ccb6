"""Running the measurements of one size."""

from __future__ import annotations

import sys

from tests.bench import (
    measure_app,
    measure_compacting,
    measure_importing,
    measure_opening,
    measure_processes,
    measure_recalling,
    measure_searching,
    measure_writing,
)
from tests.bench.measure import ONCE, REGISTRY, Figure, sum_up
from tests.bench.world import World, world_of

MODULES = (
    measure_searching,
    measure_recalling,
    measure_opening,
    measure_processes,
    measure_importing,
    measure_app,
    measure_compacting,
    measure_writing,
)
"""Where the measurements are, in the order in which they are taken; a new module becomes known by
standing here. Writing comes last: it leaves another store, and an index of more segments.
"""


def measured(size: int, only: str = "", *, first: bool = True) -> list[Figure]:
    """The figures of a size, as `run` gives them, on a world made for them."""
    with world_of(size) as world:
        return run(world, only, first=first)


def run(world: World, only: str = "", *, first: bool = True) -> list[Figure]:
    """The figures of all measurements whose name contains `only`, on one world.

    `first` is whether the world is the first of the run: those that need no size are taken then.
    """
    figures: list[Figure] = []
    order = [module.__name__ for module in MODULES]
    for function in sorted(REGISTRY, key=lambda it: order.index(it.__module__)):
        if only in function.__name__ and (first or function not in ONCE):
            print(f"{world.size:,}: {function.__name__} …", file=sys.stderr)
            figures += sum_up(function, world)
    return figures
