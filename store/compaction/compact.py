"""Planning a compaction, without touching anything: from observations to clusters, and from these
to the plan of an operation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from store.action import Action, ActionKind
from store.compaction import relate
from store.compaction.merge import JOINS, latest_handoffs, merge, merge_whole, newest_first
from store.compaction.model import (
    Alone,
    Cluster,
    CompactionPlan,
    LeftAlone,
    Reason,
    stale_issues,
)
from store.compaction.relate import Group, Item, Pair, near_pairs, takeovers
from store.model import Category, Location, Observation
from store.notice import notice
from store.operations.changes import Where, plan_archive
from store.operations.plan import Change, Plan
from store.platform.garbage import gc_paused
from store.records import to_record

_PAYS = 0.9
"""The share of their length that may be left of decisions on one subject."""
_SETTLING = frozenset({Category.DECISION, Category.LESSON})
Progress = Callable[[int, int], None]
"""Told how many of the observations are planned, and of how many; may raise to stop."""

_RULES: Mapping[Reason, Callable[[Sequence[Item], Sequence[Pair]], list[Group]]] = {
    Reason.DUPLICATE: relate.duplicates,
    Reason.SUPERSEDED: relate.superseded,
    Reason.ERROR_AND_FIX: relate.errors_and_fixes,
    Reason.FILE_HISTORY: relate.file_histories,
    Reason.RELATED: relate.related,
}
"""The rules in their order. The last is for stale issues."""


@gc_paused()
def plan_compaction(
    observations: Iterable[Observation],
    *,
    now: datetime,
    young_days: float = 7,
    stale_days: float = 90,
    progress: Progress | None = None,
) -> CompactionPlan:
    """Return the plan that compacts `observations`; archived ones among them are passed over.

    What is less than `young_days` old stays as it is. Of an issue whose newest observation is more
    than `stale_days` old, observations about the same file or error, or in similar words, are
    merged, too. Deterministic: the same observations in any order give the same plan. Planning
    again after it was applied gives an empty plan.
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
        is_stale = bool(stale_issues(active, now=now, days=stale_days))
        found = _clusters(free, is_stale=is_stale)
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
            is_stale = cluster.reason is Reason.RELATED
            return without(plan, cluster.id, _clusters(others, is_stale=is_stale))
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
    their issue last, so that no moment has less than once what each says. Raises `NotFound`
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


def _clusters(observations: Sequence[Observation], *, is_stale: bool) -> list[Cluster]:
    """Merge until nothing is left to merge, so that a second run finds nothing."""
    items = {one.id: Item(one) for one in observations}
    clusters: dict[str, Cluster] = {}
    is_done = False
    while not is_done:
        is_done = True
        for cluster in _round(list(items.values()), is_stale=is_stale):
            whole = _flattened(cluster, clusters)
            if whole is None:
                continue
            for original in cluster.originals:
                clusters.pop(original.id, None)
                del items[original.id]
            clusters[whole.id] = whole
            items[whole.id] = Item(whole.merged)
            is_done = False
        ordered = newest_first([item.observation for item in items.values()])
        items = {one.id: items[one.id] for one in ordered}
    return list(clusters.values())


def _round(items: Sequence[Item], *, is_stale: bool) -> list[Cluster]:
    """Return the clusters of each rule in turn, each observation in the first that takes it."""
    clusters = takeovers([item.observation for item in items])
    free = _free_of(clusters, items)
    pairs = list(near_pairs(free))
    for reason, find_groups in _RULES.items():
        if reason is Reason.RELATED and not is_stale:
            continue
        found = [
            cluster
            for group in find_groups(free, pairs)
            for cluster in merge([item.observation for item in group.items], reason, group.about)
            if _is_worthwhile(cluster)
        ]
        free = _free_of(found, free)
        clusters += found
    return clusters


def _free_of(clusters: Iterable[Cluster], items: Sequence[Item]) -> list[Item]:
    taken = {original.id for cluster in clusters for original in cluster.originals}
    return [item for item in items if item.observation.id not in taken]


def _is_worthwhile(cluster: Cluster) -> bool:
    """Return whether what is only on one subject may be merged.

    Decisions and lessons stay apart, unless merging makes them shorter: of two days, the later may
    take back what the earlier settled.
    """
    if cluster.reason is not Reason.RELATED:
        return True
    if not any(original.category in _SETTLING for original in cluster.originals):
        return True
    return cluster.characters.after <= _PAYS * cluster.characters.before


def _flattened(cluster: Cluster, known: Mapping[str, Cluster]) -> Cluster | None:
    """Return a cluster of merged observations as one of the originals that these were merged from.

    Where statements fold that are not quite the same, it is merged anew from the originals, since
    folding what was folded before wears facts away; None where these don't fit into one.
    """
    parts = {one.id: known[one.id] for one in cluster.originals if one.id in known}
    if not parts:
        return cluster
    originals = newest_first(
        [
            original
            for one in cluster.originals
            for original in (parts[one.id].originals if one.id in parts else (one,))
        ]
    )
    if cluster.reason not in JOINS:
        return merge_whole(originals, cluster.reason, cluster.about)
    left_out = [left for part in parts.values() for left in part.left_out]
    for left in cluster.left_out:
        if part := parts.get(left.observation_id):
            left = replace(left, observation_id=_source(left.statement, part))
        left_out.append(left)
    return replace(
        cluster,
        originals=tuple(originals),
        merged=cluster.merged._replace(sources=tuple(original.id for original in originals)),
        left_out=tuple(left_out),
    )


def _source(statement: str, part: Cluster) -> str:
    """Return the id of the original that made a statement of a merged observation."""
    speakers = (one.id for one in part.originals if statement in one.content)
    return next(speakers, part.originals[0].id)
