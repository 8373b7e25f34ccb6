"""A sync from the app: what would go where is shown, and done where the user agrees."""

from __future__ import annotations

from memtui.tui.operations import PreviewPlan, Proposal
from memtui.words.sync import marked_lines, sync_done, sync_title, undone_elsewhere, waiting
from store import Memory
from store.action import Action, ActionKind
from store.errors import Away
from store.notice import quoted
from store.operations.apply import Applied
from store.operations.plan import Plan
from store.sync.sync import Sync


def sync_all() -> PreviewPlan:
    """Asks to have the user's memories the same on all machines."""
    return PreviewPlan(_proposed, "All machines have the same memories.")


def _proposed(memory: Memory) -> Proposal | None:
    """Plan a sync. Raises `Away` with what waits where the repository can't be reached."""
    sync = Sync(memory.settings)
    plan = sync.plan()
    if plan.away:
        raise Away(plan.away, f"Waiting: {waiting(plan)}.")
    if plan.is_in_step:
        return None

    def carry_out(memory: Memory) -> Applied:
        synced = sync.run()
        operation = synced.operations.get(memory.path, "")
        others = [place for place in synced.operations if place != memory.path]
        done = filter(None, (sync_done(synced.plan), undone_elsewhere(others)))
        return Applied(
            operation,
            Action(ActionKind.SYNC, title=". ".join(done)),
            synced.plan.sent + synced.plan.received,
            tuple(map(quoted, synced.left)),
        )

    shown = Plan(Action(ActionKind.SYNC, title=sync_title(plan)))
    return Proposal(shown, plan.sent + plan.received, carry_out, also=list(marked_lines(plan)))
