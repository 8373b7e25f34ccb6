"""Pruning: what goes to the archive when a layer holds more than it should."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from store.compaction.merge import merged_observation, newest_first
from store.compaction.model import Cluster, LeftOut, Reason
from store.model import MAX_CONTENT, Category, Layer, Observation, layer_of

EXAMPLE_CAPACITIES: Mapping[Layer, int] = {Layer.EPISODIC: 50, Layer.SEMANTIC: 1_000}
"""Observations of an agent that a layer may hold, as an example; pruning is off by default."""
CAP = 30
"""Observations of one category of an agent above which `Strategy.CAP` folds the oldest."""
CAP_KEPT = 20
"""The newest observations that `Strategy.CAP` keeps."""


class Strategy(StrEnum):
    """The orders in which observations are pruned."""

    LEAST_RELEVANT = "least_relevant"
    """Those least recent and least recalled together (the formula of SPEC-29)."""
    OLDEST_FIRST = "oldest_first"
    FREQUENCY_BASED = "frequency_based"
    """Those recalled least, then seen least."""
    CAP = "cap"
    """In each category of an agent the newest stay, the rest is folded into one summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruning:
    """The result of a strategy: `archived` as they are, `clusters` folded into a summary."""

    strategy: Strategy
    archived: tuple[Observation, ...] = ()
    clusters: tuple[Cluster, ...] = ()


def prune(
    observations: Iterable[Observation],
    strategy: Strategy,
    *,
    now: datetime,
    capacities: Mapping[Layer, int] = EXAMPLE_CAPACITIES,
) -> Pruning:
    """Choose what `strategy` takes out so that each layer of an agent is within its capacity.

    A layer without a capacity is left alone. Pinned ones, open tasks and each agent's latest
    handoff of an issue never go, even where the rest is above the capacity. `Strategy.CAP` has
    limits of its own and looks at no capacity.
    """
    active = newest_first([one for one in observations if not one.archived])
    if strategy is Strategy.CAP:
        return Pruning(strategy=strategy, clusters=tuple(_capped(active)))
    order = _ORDERS[strategy]
    going: list[Observation] = []
    for (_, layer), held in _grouped(active, lambda one: (one.agent, layer_of(one.category))):
        excess = len(held) - capacities.get(Layer(layer), len(held))
        staying = _staying(held)
        movable = [one for one in held if one.id not in staying]
        going.extend(sorted(movable, key=lambda one: (order(one, now), one.id))[: max(excess, 0)])
    return Pruning(strategy=strategy, archived=tuple(newest_first(going)))


def _relevance(one: Observation, now: datetime) -> float:
    """Recency `1 / (1 + days / 30)` and recall `min(n / 10, 1)`, weights 0.4 and 0.2 (SPEC-29)."""
    days = max((now - one.timestamp) / timedelta(days=1), 0)
    return 0.4 / (1 + days / 30) + 0.2 * min(one.recall_count / 10, 1)


_ORDERS: Mapping[Strategy, Callable[[Observation, datetime], Any]] = {
    Strategy.LEAST_RELEVANT: _relevance,
    Strategy.OLDEST_FIRST: lambda one, _: one.timestamp,
    Strategy.FREQUENCY_BASED: lambda one, _: (one.recall_count, one.seen_count, one.timestamp),
}


def _capped(active: Sequence[Observation]) -> Iterable[Cluster]:
    for (agent, category), held in _grouped(active, lambda one: (one.agent, one.category)):
        if len(held) <= CAP:
            continue
        staying = _staying(held)
        rest = [one for one in held[CAP_KEPT:] if one.id not in staying]
        if len(rest) > 1:
            yield _folded(agent, category, rest)


def _folded(agent: str, category: str, rest: Sequence[Observation]) -> Cluster:
    """One summary entry of many observations: the first lines of as many as its limit allows."""
    title = f"{len(rest)} older {category} memories of {agent}, to be found in the archive:"
    lines = [title]
    room = MAX_CONTENT - len(title)
    left_out: list[LeftOut] = []
    for one in rest:
        line = f"- {one.timestamp:%Y-%m-%d} {' '.join(one.summary.split())}"
        if len(line) + 1 <= room:
            lines.append(line)
            room -= len(line) + 1
        else:
            left_out.append(LeftOut(observation_id=one.id, statement=one.content, instead=title))
    return Cluster(
        reason=Reason.FOLDED,
        originals=tuple(rest),
        merged=merged_observation(
            rest, "\n".join(lines), title.rstrip(":"), Category.COMPACTION_SUMMARY
        ),
        left_out=tuple(left_out),
    )


def _staying(held: Sequence[Observation]) -> frozenset[str]:
    """The ids of those that no pruning takes. `held` is newest first."""
    handed_off: set[tuple[str, int]] = set()
    staying: set[str] = set()
    for one in held:
        latest = (
            one.category == Category.HANDOFF and (one.agent, one.issue_number) not in handed_off
        )
        if latest:
            handed_off.add((one.agent, one.issue_number))
        if one.pinned or one.is_open_task or latest:
            staying.add(one.id)
    return frozenset(staying)


def _grouped(
    active: Sequence[Observation], key: Callable[[Observation], tuple[str, str]]
) -> list[tuple[tuple[str, str], list[Observation]]]:
    groups: dict[tuple[str, str], list[Observation]] = defaultdict(list)
    for one in active:
        groups[key(one)].append(one)
    return sorted(groups.items())
