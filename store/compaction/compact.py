"""Planning a compaction: from observations to clusters, without touching anything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from store.compaction import relate
from store.compaction.merge import JOINS, merge, merge_whole, newest_first
from store.compaction.model import (
    Alone,
    Cluster,
    CompactionPlan,
    CompactionSettings,
    LeftAlone,
    Reason,
    Strength,
    stale_issues,
)
from store.compaction.neighbours import Item, Pair, near_pairs
from store.compaction.takeovers import takeovers
from store.model import Category, Observation
from store.platform.garbage import gc_paused

_PAYS = 0.9
"""The share of what was told that may be left of decisions on one subject."""
_SETTLING = frozenset({Category.DECISION, Category.LESSON})
Progress = Callable[[int, int], None]
"""Told how many of the observations are planned, and of how many; may raise to stop."""

_Rule = tuple[Reason, Callable[[Sequence[Item], Sequence[Pair]], list[relate.Group]]]

_GENTLE: tuple[_Rule, ...] = (
    (Reason.DUPLICATE, relate.duplicates),
    (Reason.SUPERSEDED, relate.superseded),
)
_NORMAL: tuple[_Rule, ...] = (
    *_GENTLE,
    (Reason.ERROR_AND_FIX, relate.errors_and_fixes),
    (Reason.FILE_HISTORY, relate.file_histories),
)
_THOROUGH: tuple[_Rule, ...] = (
    *_NORMAL,
    (Reason.RELATED, relate.related),
)
_RULES = {
    Strength.GENTLE: _GENTLE,
    Strength.NORMAL: _NORMAL,
    Strength.THOROUGH: _THOROUGH,
}


@gc_paused()
def plan_compaction(
    observations: Iterable[Observation],
    *,
    now: datetime,
    settings: CompactionSettings,
    progress: Progress | None = None,
) -> CompactionPlan:
    """The plan that compacts `observations`; archived ones among them are passed over.

    Deterministic: the same observations in any order give the same plan. Planning again after it
    was applied gives an empty plan.
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
        kept_back, free = _kept_back(active, now, settings)
        stale = bool(stale_issues(active, now=now, days=settings.stale_days))
        found = _clusters(free, Strength.THOROUGH if stale else settings.strength)
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


def without(plan: CompactionPlan, cluster_id: str) -> CompactionPlan:
    """The plan without that cluster: its originals stay as they are."""
    return _replaced(plan, cluster_id, [])


def moved_out(plan: CompactionPlan, observation_id: str) -> CompactionPlan:
    """The plan with that observation out of its cluster, which is planned again without it."""
    for cluster in plan.clusters:
        others = [one for one in cluster.originals if one.id != observation_id]
        if len(others) < len(cluster.originals):
            return _replaced(plan, cluster.id, _clusters(others, _strength_for(cluster.reason)))
    return plan


def _strength_for(reason: Reason) -> Strength:
    """The least strength whose rules find clusters of this kind."""
    return next(each for each in Strength if any(rule[0] is reason for rule in _RULES[each]))


def _replaced(plan: CompactionPlan, cluster_id: str, instead: Sequence[Cluster]) -> CompactionPlan:
    kept: list[Cluster] = []
    alone = list(plan.left_alone)
    told = {original.id for cluster in instead for original in cluster.originals}
    for cluster in plan.clusters:
        if cluster.id != cluster_id:
            kept.append(cluster)
            continue
        kept.extend(instead)
        alone.extend(
            LeftAlone(observation=one, why=Alone.CHOSEN)
            for one in cluster.originals
            if one.id not in told
        )
    return CompactionPlan(clusters=tuple(kept), left_alone=tuple(alone))


def _kept_back(
    active: Sequence[Observation], now: datetime, settings: CompactionSettings
) -> tuple[list[LeftAlone], list[Observation]]:
    """Divide observations into those that no compaction may touch, and the rest. `active` is newest
    first.
    """
    young = now - timedelta(days=settings.young_days)
    named = Counter(one.id for one in active)
    handed_off: set[str] = set()
    kept_back: list[LeftAlone] = []
    free: list[Observation] = []
    for one in active:
        latest_handoff = one.category == Category.HANDOFF and one.agent not in handed_off
        if latest_handoff:
            handed_off.add(one.agent)
        rules = (
            (Alone.PINNED, one.pinned),
            (Alone.MUTED, one.muted),
            (Alone.OPEN_TASK, one.is_open_task),
            (Alone.LATEST_HANDOFF, latest_handoff),
            (Alone.YOUNG, one.timestamp > young),
            (Alone.AMBIGUOUS, named[one.id] > 1),
        )
        why = next((why for why, holds in rules if holds), None)
        if why:
            kept_back.append(LeftAlone(observation=one, why=why))
        else:
            free.append(one)
    return kept_back, free


def _clusters(observations: Sequence[Observation], strength: Strength) -> list[Cluster]:
    """Merge until nothing is left to merge, so that a second run finds nothing."""
    items = {one.id: Item(one) for one in observations}
    clusters: dict[str, Cluster] = {}
    everything = fresh = frozenset(items)
    while True:
        found = _round(list(items.values()), fresh, strength)
        taken: list[str] = []
        for cluster in found:
            made = [one.id for one in cluster.originals if one.id in clusters]
            whole = _flattened(cluster, [clusters[part] for part in made])
            if whole is None:
                continue
            for part in made:
                del clusters[part]
            clusters[whole.id] = whole
            for original in cluster.originals:
                del items[original.id]
            items[whole.id] = Item(whole.merged)
            taken.append(whole.id)
        if not taken and fresh == everything:
            return list(clusters.values())
        ordered = newest_first([item.observation for item in items.values()])
        items = {one.id: items[one.id] for one in ordered}
        everything = frozenset(items)
        fresh = frozenset(taken) or everything


def _round(items: Sequence[Item], fresh: frozenset[str], strength: Strength) -> list[Cluster]:
    """The clusters of each rule in turn, each observation in the first that takes it."""
    clusters = takeovers([item.observation for item in items])
    over = {original.id for cluster in clusters for original in cluster.originals}
    free = [item for item in items if item.observation.id not in over]
    pairs = list(near_pairs(free, fresh - over))
    for reason, groups_of in _RULES[strength]:
        taken: set[str] = set()
        for group in groups_of(free, pairs):
            found = merge([item.observation for item in group.items], reason, group.about)
            found = [cluster for cluster in found if _is_worthwhile(cluster)]
            taken.update(original.id for cluster in found for original in cluster.originals)
            clusters.extend(found)
        free = [item for item in free if item.observation.id not in taken]
    return clusters


def _is_worthwhile(cluster: Cluster) -> bool:
    """Whether what is only on one subject may be told together.

    Decisions and lessons are told alone, unless that says it in less: of two days, the later may
    take back what the earlier settled.
    """
    if cluster.reason is not Reason.RELATED:
        return True
    if not any(original.category in _SETTLING for original in cluster.originals):
        return True
    before = sum(len(original.content) for original in cluster.originals)
    return len(cluster.merged.content) <= _PAYS * before


def _flattened(cluster: Cluster, parts: Sequence[Cluster]) -> Cluster | None:
    """A cluster of merged observations as one of the originals that these were merged from.

    Where statements fold that are not quite the same, it is told anew from the originals, since
    folding what was folded before wears facts away; None where these can't be told as one.
    """
    if not parts:
        return cluster
    merged_before = {part.id: part for part in parts}
    originals = newest_first(
        [
            original
            for one in cluster.originals
            for original in (merged_before[one.id].originals if one.id in merged_before else (one,))
        ]
    )
    if cluster.reason not in JOINS:
        return merge_whole(originals, cluster.reason, cluster.about)
    left_out = [left for part in parts for left in part.left_out]
    for left in cluster.left_out:
        part = merged_before.get(left.observation_id)
        left_out.append(
            replace(left, observation_id=_speaker(left.statement, part)) if part else left
        )
    return replace(
        cluster,
        originals=tuple(originals),
        merged=cluster.merged._replace(sources=tuple(original.id for original in originals)),
        left_out=tuple(left_out),
    )


def _speaker(statement: str, part: Cluster) -> str:
    """The id of the original that made a statement of a merged observation."""
    for original in part.originals:
        if statement in original.content:
            return original.id
    return part.originals[0].id
