"""Pruning: what goes to the archive when a layer holds more than it should."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from store.action import Action, ActionKind
from store.compaction.compact import changes_of
from store.compaction.merge import latest_handoffs, merged_observation, newest_first
from store.compaction.model import Cluster, Reason
from store.model import MAX_CONTENT, Category, Layer, Observation, layer_of
from store.notice import quoted
from store.operations.changes import Where
from store.operations.plan import Plan
from store.text.shortening import cut

EXAMPLE_CAPACITIES: Mapping[Layer, int] = {Layer.EPISODIC: 50, Layer.SEMANTIC: 1_000}
"""Observations of an agent that a layer may hold, as an example; pruning is off by default."""
CAP = 30
"""Observations of one category of an agent above which `Strategy.CAP` folds the oldest."""
CAP_KEPT = 20
"""The newest observations that `Strategy.CAP` keeps."""
_PREVIEW, _LEAST_PREVIEW = 200, 20
"""Characters of each memory in the summary of many."""
COMPACTED = "compacted"
"""The tag of a memory that sums up archived ones."""


class Strategy(StrEnum):
    LEAST_RELEVANT = "least_relevant"
    """Those of the lowest relevance; of equals, those least recent and least recalled together
    (the formula of SPEC-29)."""
    OLDEST_FIRST = "oldest_first"
    FREQUENCY_BASED = "frequency_based"
    """Those recalled least, then seen least."""
    CAP = "cap"
    """In each category of an agent the newest stay, the rest is folded into one summary."""


class Pruning(NamedTuple):
    """The result of a strategy: `archived` as they are, `clusters` folded into a summary."""

    archived: tuple[Observation, ...] = ()
    clusters: tuple[Cluster, ...] = ()

    @property
    def going(self) -> list[Observation]:
        return [*self.archived, *(one for cluster in self.clusters for one in cluster.originals)]

    def to_plan(self, where: Where) -> Plan:
        """Return the plan that carries it out; `where` holds the records of its issues. Raises
        `NotFound` where an observation is gone.
        """
        notes = tuple(quoted(cluster.merged.summary) for cluster in self.clusters)
        action = Action(ActionKind.PRUNE, {"memories": len(self.going)})
        return Plan(action, changes_of(self.archived, self.clusters, where), notes)


def prune(
    observations: Iterable[Observation],
    strategy: Strategy,
    *,
    now: datetime,
    capacities: Mapping[Layer, int] = EXAMPLE_CAPACITIES,
    is_vault: bool = False,
    keep: Collection[str] = (),
) -> Pruning:
    """Choose what `strategy` takes out so that each layer of an agent is within its capacity.

    A layer without a capacity is left alone. Those to `keep`, by id, pinned ones, open tasks and
    each agent's latest handoff of an issue never go, even where the rest is above the capacity.
    `Strategy.CAP` has limits of its own and looks at no capacity; in a vault its summaries stay in
    the category, whose file is all that the vault's own program reads.
    """
    active = newest_first([one for one in observations if not one.archived])
    if strategy is Strategy.CAP:
        return Pruning(clusters=tuple(_capped(active, is_vault=is_vault)))
    order = _ORDERS[strategy]
    going: list[Observation] = []
    for (_, layer), held in _grouped(active, lambda one: (one.agent, layer_of(one.category))):
        excess = len(held) - capacities.get(Layer(layer), len(held))
        movable = [one for one in _movable(held) if one.id not in keep]
        movable.sort(key=lambda one: (order(one, now), one.id))
        going.extend(movable[: max(excess, 0)])
    return Pruning(archived=tuple(newest_first(going)))


def _relevance(one: Observation, now: datetime) -> tuple[float, float]:
    """The relevance it was given, 1.0 unless somebody gave another; then recency
    `1 / (1 + days / 30)` and recall `min(n / 10, 1)`, weights 0.4 and 0.2 (SPEC-29).
    """
    days = max((now - one.timestamp) / timedelta(days=1), 0)
    use = 0.4 / (1 + days / 30) + 0.2 * min(one.recall_count / 10, 1)
    return one.relevance_score, use


_ORDERS: Mapping[Strategy, Callable[[Observation, datetime], Any]] = {
    Strategy.LEAST_RELEVANT: _relevance,
    Strategy.OLDEST_FIRST: lambda one, _: one.timestamp,
    Strategy.FREQUENCY_BASED: lambda one, _: (one.recall_count, one.seen_count, one.timestamp),
}


def _capped(active: Sequence[Observation], *, is_vault: bool) -> Iterable[Cluster]:
    for (agent, category, _), held in _grouped(
        active, lambda one: (one.agent, one.category, one.level)
    ):
        movable = {one.id for one in _movable(held)}
        rest = [one for one in held[CAP_KEPT:] if one.id in movable]
        if len(held) > CAP and len(rest) > 1:
            kept_as = category if is_vault else Category.COMPACTION_SUMMARY
            yield _folded(f"{len(rest)} older {category} memories of {agent}", kept_as, rest)


def _folded(summary: str, category: str, rest: Sequence[Observation]) -> Cluster:
    """One summary entry of many observations: a line for each, as long as their number allows."""
    content = f"Compacted {len(rest)} older entries:"
    share = (MAX_CONTENT - len(content)) // len(rest)
    for one in rest:
        mark = f"\n- [{one.timestamp:%Y-%m-%d}] "
        line = mark + cut(one.summary, min(_PREVIEW, max(share - len(mark), _LEAST_PREVIEW)))
        content += line if len(content) + len(line) <= MAX_CONTENT else ""
    merged = merged_observation(rest, content, summary, category)
    tags = tuple(dict.fromkeys((*merged.tags, COMPACTED)))
    return Cluster(reason=Reason.FOLDED, originals=tuple(rest), merged=merged._replace(tags=tags))


def _movable(held: Sequence[Observation]) -> list[Observation]:
    """Return those that a pruning may take. Expects the newest first."""
    handoffs = latest_handoffs(held)
    return [one for one in held if not (one.pinned or one.is_open_task or one.id in handoffs)]


def _grouped(
    active: Sequence[Observation], key: Callable[[Observation], tuple[str, ...]]
) -> list[tuple[tuple[str, ...], list[Observation]]]:
    groups: dict[tuple[str, ...], list[Observation]] = defaultdict(list)
    for one in active:
        groups[key(one)].append(one)
    return sorted(groups.items())
