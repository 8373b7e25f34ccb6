"""What it costs to plan what a session would be told."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from time import perf_counter
from typing import NamedTuple

from tests.bench.generate import AGENTS
from tests.bench.measure import Series, Target, measurement
from tests.bench.world import World

_BUDGETS = (2_000, 20_000)
_KINDS = 6
_WARM_UP = len(_BUDGETS) * _KINDS


class Asked(NamedTuple):
    """What a recall is asked for."""

    agent: str | None
    issue: int | None
    task: str


@measurement
def recalling(world: World) -> Iterator[Series]:
    """The plan of a recall, with a look first whether any file changed; no situation twice.

    Sessions of every kind: about an issue, the whole project or nothing in particular, with a
    task and without, an agent's own and any agent's.
    """
    memory = world.memory
    memory.refresh()
    took: dict[int, list[float]] = {budget: [] for budget in _BUDGETS}
    silent = 0
    gc.collect()
    for run, asked in enumerate(
        _situations(world, len(_BUDGETS) * world.runs(60, large=24) + _WARM_UP)
    ):
        budget = _BUDGETS[run % len(_BUDGETS)]
        start = perf_counter()
        recall = memory.recall(*asked, budget)
        if run >= _WARM_UP:
            took[budget].append((perf_counter() - start) * 1_000)
        silent += not recall.text
    if silent:
        raise RuntimeError(f"{silent} recalls had nothing to say: nothing was measured.")
    for budget, samples in took.items():
        yield Series(f"recall plan, {budget:,} tokens", samples, Target(p95=16))


def _situations(world: World, number: int) -> Iterator[Asked]:
    """Six kinds of session in turn, one for each budget, each about something else."""
    tasks = world.tasks(number)
    for at, task in enumerate(tasks):
        agent = world.random.choice(AGENTS)
        issue = world.usual_issue()
        yield (
            Asked(agent, issue, task),
            Asked(agent, issue, ""),
            Asked(None, issue, task),
            Asked(agent, 0, task),
            Asked(agent, None, task),
            Asked(None, None, task),
        )[at // len(_BUDGETS) % _KINDS]
