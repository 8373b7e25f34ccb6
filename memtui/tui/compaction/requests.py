"""Compaction as the app sees it: what to look at, planning and applying it, both in threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from threading import Event

from textual.message import Message

from memtui.formatting import memories, plural
from memtui.tui.frame.ask import Progress
from memtui.tui.frame.routes import Scope
from store import Memory
from store.action import Action
from store.compaction.compact import without
from store.compaction.model import Alone, CompactionPlan
from store.operations.apply import Applied
from store.statistics import StoreState


def plan_scope(
    memory: Memory, scope: Scope, progress: Progress
) -> tuple[CompactionPlan, StoreState]:
    """Plan the compaction of what `scope` names, telling how far it is in memories; and what the
    store says of itself.
    """
    plan = memory.compaction.plan(
        scope.issue,
        stale=scope.stale,
        all=scope.issue is None and not scope.stale,
        progress=progress,
    )
    return plan, memory.state()


@dataclass
class ApplyProgress(Message, bubble=False):
    done: int = 0
    total: int = 0

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ApplyProgress)


class CompactionRun:
    def __init__(
        self, plan: CompactionPlan, left_out: Sequence[str], tell: Callable[[Message], object]
    ) -> None:
        """`left_out` are ids of clusters that stay as they are; `tell` is told how far it is."""
        self._plan = plan
        self._left_out = left_out
        self._tell = tell
        self._stop = Event()
        self.far = ApplyProgress(0, 0)
        self.applied: Applied | None = None

    def run(self, memory: Memory) -> Applied:
        """Apply it, in a thread. Where it was stopped, its title says how far it came."""
        chosen = reduce(without, self._left_out, self._plan)
        applied = memory.apply(memory.compaction.to_plan(chosen), self._advance)
        done, total = self.far.done, self.far.total
        self._tell(ApplyProgress(total, total))
        if self._stop.is_set() and applied.left:
            figures = {"issues_done": done, "issues": total}
            applied = replace(applied, action=Action("compact", figures))
        self.applied = applied
        return applied

    def _advance(self, done: int, total: int) -> bool:
        self.far = ApplyProgress(done, total)
        self._tell(self.far)
        return not self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def status(self, far: ApplyProgress, key: str) -> tuple[str, str]:
        """What is going on, and what the user can do meanwhile; `key` leads back."""
        if far.done and far.done == far.total:
            return "Updating the index …", ""
        if self._stop.is_set():
            return "Stopping after this issue …", "What is done can be undone."
        return "Compacting …", f"{key} stops after this issue."


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


def why_alone(plan: CompactionPlan) -> tuple[str, ...]:
    """Reasons why observations are left as they are, the commonest first: `12 too young`."""
    reasons = Counter(left.why for left in plan.left_alone)
    return tuple(plural(number, *_WHY[why]) for why, number in reasons.most_common())


def nothing_to_compact(plan: CompactionPlan, scope: Scope, days: int) -> tuple[str, ...]:
    """The sentences for a plan without clusters; `days` after which an issue is stale."""
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
        " · ".join(why_alone(plan)),
    )
