"""Planning a compaction, without touching anything: from observations to clusters, and from these
to the plan of an operation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain

from store.action import Action, ActionKind
from store.compaction.cover import Item, covers, named_pairs, near_pairs
from store.compaction.merge import latest_handoffs, merge, newest_first
from store.compaction.model import Alone, Cluster, CompactionPlan, LeftAlone, Reason
from store.model import Location, Observation
from store.notice import notice
from store.operations.changes import Where, plan_archive
from store.operations.plan import Change, Plan
from store.platform.garbage import gc_paused
from store.records import to_record

Progress = Callable[[int, int], None]
"""Told how many of the observations are planned, and of how many; may raise to stop."""


@gc_paused()
def plan_compaction(
    observations: Iterable[Observation],
    *,
    now: datetime,
    young_days: float = 7,
    progress: Progress | None = None,
) -> CompactionPlan:
    """Return the plan that compacts `observations`; archived ones among them are passed over.

    What is less than `young_days` old stays as it is. Deterministic: the same observations in any
    order give the same plan. Planning again after it was applied gives an empty plan.
    """
    issues: dict[int, list[Observation]] = defaultdict(list)
    for observation in observations:
        if not observation.archived:
            issues[observation.issue_number].append(observation)
    total, done = sum(map(len, issues.values())), 0
    clusters: list[Cluster] = []
    left_alone: list[LeftAlone] = []
    for number in sorted(issues):
        active = newest_first(issues[number])
        kept_back = _kept_back(active, now - timedelta(days=young_days))
        untouched = {left.observation.id for left in kept_back}
        free = [one for one in active if one.id not in untouched]
        found = _clusters(free)
        merged = {original.id for cluster in found for original in cluster.originals}
        clusters.extend(found)
        left_alone.extend(kept_back)
        left_alone.extend(
            LeftAlone(observation=one, why=Alone.UNRELATED) for one in free if one.id not in merged
        )
        done += len(active)
        if progress:
            progress(done, total)
    return CompactionPlan(clusters=tuple(clusters), left_alone=tuple(left_alone))


def without(
    plan: CompactionPlan, cluster_id: str, instead: Sequence[Cluster] = ()
) -> CompactionPlan:
    """The plan without that cluster: its originals stay as they are, but for those in `instead`."""
    at = next((at for at, one in enumerate(plan.clusters) if one.id == cluster_id), None)
    if at is None:
        return plan
    merged = {original.id for cluster in instead for original in cluster.originals}
    alone = (
        LeftAlone(observation=one, why=Alone.CHOSEN)
        for one in plan.clusters[at].originals
        if one.id not in merged
    )
    return CompactionPlan(
        clusters=(*plan.clusters[:at], *instead, *plan.clusters[at + 1 :]),
        left_alone=(*plan.left_alone, *alone),
    )


def moved_out(plan: CompactionPlan, observation_id: str) -> CompactionPlan:
    """The plan with that observation out of its cluster, which is planned again without it."""
    for cluster in plan.clusters:
        others = [one for one in cluster.originals if one.id != observation_id]
        if len(others) < len(cluster.originals):
            return without(plan, cluster.id, _clusters(others))
    return plan


def to_plan(compaction: CompactionPlan, where: Where) -> Plan:
    """Return the plan that carries out a compaction; `where` holds the records of its issues.
    Raises `NotFound` where an original is gone.
    """
    observations, tokens = compaction.observations, compaction.tokens
    figures = {
        "memories": observations.before,
        "merged": observations.after,
        "tokens": tokens.before,
        "tokens_after": tokens.after,
    }
    notes = tuple(
        notice(
            "merges",
            issue=cluster.merged.issue_number,
            reason=str(cluster.reason),
            summary=cluster.merged.summary,
        )
        for cluster in compaction.clusters
    )
    changes = changes_of((), compaction.clusters, where)
    return Plan(Action(ActionKind.COMPACT, figures), changes, notes)


def changes_of(
    archived: Sequence[Observation], clusters: Sequence[Cluster], where: Where
) -> tuple[Change, ...]:
    """Return the changes that archive some observations, and merge clusters of others.

    The originals' copies in the archive come first, then what they merge into, and they leave
    their issue last, so that at no moment a text is missing. Raises `NotFound`
    where one is gone.
    """
    going: dict[int, list[str]] = defaultdict(list)
    for one in (*archived, *(one for cluster in clusters for one in cluster.originals)):
        going[one.issue_number].append(one.id)
    moves: list[Change] = []
    for issue, identifiers in sorted(going.items()):
        records = {issue: where[issue]} if issue in where else {}
        moves.extend(plan_archive(records, identifiers).changes)
    merged = [cluster.merged for cluster in clusters]
    return (
        *(move for move in moves if move.location is Location.ARCHIVE),
        *(Change(Location.ISSUE, one.issue_number, one.id, None, to_record(one)) for one in merged),
        *(move for move in moves if move.location is Location.ISSUE),
    )


def _kept_back(active: Sequence[Observation], young: datetime) -> list[LeftAlone]:
    """Return those of an issue's observations, newest first, that no compaction may touch."""
    count = Counter(one.id for one in active)
    handoffs = latest_handoffs(active)
    kept_back: list[LeftAlone] = []
    for one in active:
        reasons = (
            (Alone.PINNED, one.pinned),
            (Alone.MUTED, one.muted),
            (Alone.OPEN_TASK, one.is_open_task),
            (Alone.LATEST_HANDOFF, one.id in handoffs),
            (Alone.YOUNG, one.timestamp > young),
            (Alone.AMBIGUOUS, count[one.id] > 1),
        )
        if why := next((why for why, holds in reasons if holds), None):
            kept_back.append(LeftAlone(observation=one, why=why))
    return kept_back


def _clusters(observations: Sequence[Observation]) -> list[Cluster]:
    """Merge until nothing is left to merge, so that a second run finds nothing."""
    items = {one.id: Item(one) for one in newest_first(observations)}
    clusters: dict[str, Cluster] = {}
    while found := list(_covered(list(items.values()))):
        for base, others in found:
            originals: list[Observation] = []
            for one in (base, *others):
                earlier = clusters.pop(one.id, None)
                originals.extend(earlier.originals if earlier else [one])
                del items[one.id]
            cluster = merge(base, originals)
            clusters[cluster.id] = cluster
            items[cluster.id] = Item(cluster.merged)
        ordered = newest_first([item.observation for item in items.values()])
        items = {one.id: items[one.id] for one in ordered}
    return list(clusters.values())


def _covered(items: Sequence[Item]) -> Iterator[tuple[Observation, list[Observation]]]:
    """Yield observations that cover others, with those; the one that covers most comes first, of
    as many the newest. What one of these supersedes goes with it. Expects the newest first.
    """
    covered: dict[Item, dict[Item, Reason]] = {item: {} for item in items}
    for one, other in chain(near_pairs(items), named_pairs(items)):
        if one.observation.level != other.observation.level:
            continue  # what is of all projects stays so
        for base, covering in ((one, other), (other, one)):
            if reason := covers(base, covering):
                covered[base][covering] = reason
    merged: set[Item] = set()
    for base in sorted(items, key=lambda item: len(covered[item]), reverse=True):
        if base in merged:
            continue
        merged.add(base)
        found: list[Item] = []
        waiting = [base]
        while waiting:
            at = waiting.pop()
            going = [
                other
                for other, reason in covered[at].items()
                if other not in merged and (at is base or reason is Reason.SUPERSEDED)
            ]
            merged.update(going)
            found += going
            waiting += going
        if found:
            yield base.observation, [item.observation for item in found]
        else:
            merged.remove(base)
