"""Sentences of the compaction preview: what it would do, why it leaves memories as they are."""

from __future__ import annotations

from collections import Counter

from textual.content import Content

from memtui.formatting import count, memories, plural
from memtui.tui.frame.routes import Scope
from store.compaction.model import Alone, CompactionPlan

_WHY = {
    Alone.PINNED: ("pinned", "pinned"),
    Alone.MUTED: ("muted", "muted"),
    Alone.OPEN_TASK: ("open task", "open tasks"),
    Alone.LATEST_HANDOFF: ("latest handoff", "latest handoffs"),
    Alone.YOUNG: ("too recent", "too recent"),
    Alone.AMBIGUOUS: ("with a duplicate id", "with duplicate ids"),
    Alone.UNRELATED: ("unrelated", "unrelated"),
    Alone.CHOSEN: ("left out", "left out"),
}


def compaction_question(plan: CompactionPlan) -> Content:
    (before, after), (characters, less) = plan.observations, plan.characters
    originals = sum(len(cluster.originals) for cluster in plan.clusters)
    return Content.assemble(
        "Compact ",
        (count(before), "bold"),
        " memories into ",
        (count(after), "bold $accent-text"),
        ", ",
        (count(characters), "bold"),
        " characters into ",
        (count(less), "bold $accent-text"),
        "?\n\n",
        (
            f"{plural(originals, 'memory', 'memories')} become {count(len(plan.clusters))}; the "
            "originals are archived. You can undo this.",
            "$dim",
        ),
    )


def _why_alone(plan: CompactionPlan) -> tuple[str, ...]:
    """Reasons why observations are left as they are, the commonest first: `12 too young`."""
    reasons = Counter(left.why for left in plan.left_alone)
    return tuple(plural(number, *_WHY[why]) for why, number in reasons.most_common())


def nothing_to_compact(plan: CompactionPlan, scope: Scope, days: int) -> tuple[str, ...]:
    """Return the sentences for a plan without clusters; `days` after which an issue is stale."""
    if not plan.left_alone:
        if scope.stale:
            return (
                "No issue is stale.",
                f"An issue is stale when its newest memory is more than {plural(days, 'day')} old.",
            )
        return ("Nothing to compact.", "There are no active memories here.")
    looked_at = memories(plan.observations.before)
    return (
        "Nothing to compact.",
        f"{scope.name}: {looked_at}, unchanged:",
        " · ".join(_why_alone(plan)),
    )
