"""A compaction that is planned, then applied an issue after the other until somebody stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event

from textual.message import Message

from memtui.tui.frame.ask import Progress
from memtui.tui.frame.routes import Scope
from store import Memory
from store.action import Action
from store.compaction.model import CompactionPlan
from store.operations.apply import Applied
from store.store_state import StoreState


def plan_scope(
    memory: Memory, scope: Scope, progress: Progress
) -> tuple[CompactionPlan, StoreState]:
    """Plan the compaction of a scope, and return it with the state of the store; progress is
    reported in memories.
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
    """A plan that is being applied, one issue after the other."""

    def __init__(self, plan: CompactionPlan, post: Callable[[Message], object]) -> None:
        self._plan = plan
        self._post = post
        self._stop = Event()
        self.progress = ApplyProgress(0, 0)
        self.applied: Applied | None = None

    def run(self, memory: Memory) -> Applied:
        """Apply it, in a thread; the action of one that was stopped has how far it came."""
        applied = memory.apply(memory.compaction.to_plan(self._plan), self._advance)
        done, total = self.progress.done, self.progress.total
        self._post(ApplyProgress(total, total))
        if self._stop.is_set() and applied.left:
            figures = {"issues_done": done, "issues": total}
            applied = replace(applied, action=Action("compact", figures))
        self.applied = applied
        return applied

    def _advance(self, done: int, total: int) -> bool:
        self.progress = ApplyProgress(done, total)
        self._post(self.progress)
        return not self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def status(self, progress: ApplyProgress, key: str) -> tuple[str, str]:
        """Return what is going on, and what the user can do meanwhile; `key` leads back."""
        if progress.done and progress.done == progress.total:
            return "Updating the index …", ""
        if self._stop.is_set():
            return "Stopping after this issue …", "What is done can be undone."
        return "Compacting …", f"{key} stops after this issue."
