"""Many related observations into few."""

from store.compaction.changes import prune_to_plan, to_plan
from store.compaction.compact import moved_out, plan_compaction, without
from store.compaction.model import (
    Alone,
    Cluster,
    CompactionPlan,
    CompactionResult,
    CompactionSettings,
    LeftAlone,
    LeftOut,
    Reason,
    Strength,
    is_stale,
    stale_issues,
)
from store.compaction.prune import Pruning, Strategy, prune

__all__ = [
    "Alone",
    "Cluster",
    "CompactionPlan",
    "CompactionResult",
    "CompactionSettings",
    "LeftAlone",
    "LeftOut",
    "Pruning",
    "Reason",
    "Strategy",
    "Strength",
    "is_stale",
    "moved_out",
    "plan_compaction",
    "prune",
    "prune_to_plan",
    "stale_issues",
    "to_plan",
    "without",
]
