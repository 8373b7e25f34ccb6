"""What it costs to plan what a session would be told."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from store import Memory, open_memory
from store.agents.files import files_at
from store.recall.values import CLIENT_TOKENS, Recall
from tests.bench.generate import AGENTS
from tests.bench.measure import Series, Target, measurement, thrice
from tests.bench.transcripts import write_transcript
from tests.bench.world import World

_BUDGETS = (2_000, CLIENT_TOKENS, 20_000)
"""Tokens of a vault's text, of what the preview of a client's next session shows, and of a text."""
_KINDS = 6
_WARM_UP = len(_BUDGETS) * _KINDS
_FRAME = Target(p95=16)
_WITH_SESSIONS = Target(p95=20)


class Asked(NamedTuple):
    """What a recall is asked for."""

    agent: str | None
    issue: int | None
    task: str


@thrice
def recalling(world: World) -> Iterator[Series]:
    """The plan of a recall as the preview asks for it, by what the index knows of the files.

    No situation twice: sessions about an issue, the whole project or nothing in particular, with a
    task and without, an agent's own and any agent's. Then something about it is changed, as the
    preview's keys do: the budget, the channel, a mute. Apart from that, the plan as commands ask
    for it, who look first whether any file changed.
    """
    memory = world.memory
    memory.index.refresh()
    took, changed = _planned(world, memory)
    fresh = [
        _timed(partial(memory.recall.plan, *asked, budget=_BUDGETS[-1]))[0]
        for asked in _situations(world, world.runs(24, large=12))
    ]
    for budget, samples in took.items():
        yield Series(f"recall plan, {budget:,} tokens", samples, _FRAME)
    yield Series("recall plan, something about it changed", changed, _FRAME)
    yield Series("recall plan, after a look at all files", fresh)


@measurement
def recalling_sessions(world: World) -> Iterator[Series]:
    """The same plans in a copy of the memory that has taken in 300 sessions of 400 KB too."""
    if world.is_large:
        return
    folder = world.root / "recalling-sessions"
    shutil.copytree(world.folder, folder / "memory")
    count, size = (2, 20_000) if world.is_quick else (300, 400_000)
    paths = [write_transcript(folder / f"s-{at}.jsonl", at, size) for at in range(count)]
    with open_memory(folder / "memory", cache=folder / "cache") as memory:
        memory.index.refresh()
        memory.session_indexing.index(list(files_at(paths, "claude-code")))
        took, changed = _planned(world, memory)
    shutil.rmtree(folder)
    for budget, samples in took.items():
        yield Series(f"recall plan, {budget:,} tokens, 300 sessions", samples, _WITH_SESSIONS)
    yield Series("recall plan, something changed, 300 sessions", changed, _WITH_SESSIONS)


def _planned(world: World, memory: Memory) -> tuple[dict[int, list[float]], list[float]]:
    """The milliseconds that plans take, by their budgets, and those of what is changed then."""
    changed: list[float] = []
    took: dict[int, list[float]] = {budget: [] for budget in _BUDGETS}
    silent = 0
    number = len(_BUDGETS) * world.runs(60, large=24) + _WARM_UP
    for run, asked in enumerate(_situations(world, number)):
        budget = _BUDGETS[run % len(_BUDGETS)]
        plan = partial(memory.recall.plan, *asked, budget=budget, fresh=False)
        first, recall = _timed(plan)
        again = [_timed(partial(plan, **change))[0] for change in _changes(budget, recall)]
        if run >= _WARM_UP:
            took[budget].append(first)
            changed += again
        silent += not recall.text
    if 2 * silent > number:
        raise RuntimeError(f"{silent} of {number} recalls had nothing to say: too few to measure.")
    return took, changed


def _changes(budget: int, recall: Recall) -> tuple[dict[str, Any], ...]:
    """What the keys of the preview change about a recall."""
    best = [candidate.id for candidate in recall.candidates[:1]]
    return {"budget": budget * 3 // 4}, {"channel": "codex"}, {"muted": best}


def _timed(plan: Callable[..., Recall]) -> tuple[float, Recall]:
    """The milliseconds that a plan takes, and what it comes to."""
    start = perf_counter()
    recall = plan()
    return (perf_counter() - start) * 1_000, recall


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
