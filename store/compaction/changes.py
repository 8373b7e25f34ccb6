"""Compactions and prunings as plans of operations, which are applied and undone like any other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from store.action import Action, ActionKind
from store.compaction.model import Cluster, CompactionPlan
from store.compaction.prune import Pruning
from store.model import Observation
from store.notice import notice, quoted
from store.operations.changes import Where, plan_archive
from store.operations.plan import Change, Location, Plan
from store.records import to_record


def to_plan(compaction: CompactionPlan, where: Where) -> Plan:
    """The plan that carries out a compaction; `where` holds the records of its issues.

    The originals' copies in the archive come first, then what they merge into, and they leave
    their issue last, so that no moment has less than once what each says. Raises `NotFound`
    where an original is gone.
    """
    figures = {
        "memories": compaction.observations_before,
        "merged": compaction.observations_after,
        "tokens": compaction.tokens_before,
        "tokens_after": compaction.tokens_after,
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
    return Plan(
        Action(ActionKind.COMPACT, figures), _changes((), compaction.clusters, where), notes
    )


def prune_to_plan(pruning: Pruning, where: Where) -> Plan:
    """The plan that carries out a pruning. Raises `NotFound` where an observation is gone."""
    count = len(pruning.archived) + sum(len(cluster.originals) for cluster in pruning.clusters)
    notes = tuple(quoted(cluster.merged.summary) for cluster in pruning.clusters)
    changes = _changes(pruning.archived, pruning.clusters, where)
    return Plan(Action(ActionKind.PRUNE, {"memories": count}), changes, notes)


def _changes(
    archived: Sequence[Observation], clusters: Sequence[Cluster], where: Where
) -> tuple[Change, ...]:
    merged = [cluster.merged for cluster in clusters]
    originals = [original for cluster in clusters for original in cluster.originals]
    moves = _archived([*archived, *originals], where)
    return (
        *(move for move in moves if move.location is Location.ARCHIVE),
        *(Change(Location.ISSUE, one.issue_number, one.id, None, to_record(one)) for one in merged),
        *(move for move in moves if move.location is Location.ISSUE),
    )


def _archived(observations: Iterable[Observation], where: Where) -> list[Change]:
    by_issue: dict[int, list[str]] = defaultdict(list)
    for one in observations:
        by_issue[one.issue_number].append(one.id)
    moves: list[Change] = []
    for issue, identifiers in sorted(by_issue.items()):
        records = {issue: where[issue]} if issue in where else {}
        moves.extend(plan_archive(records, identifiers).changes)
    return moves
