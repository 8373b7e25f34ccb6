"""Keeping memory small, from the app: one key for what is offered, and a vault that is due."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from memtui.tui.operations import PreviewPlan, Proposal, RunOperation
from memtui.tui.toasts import tell_error
from store.errors import InvalidObservation, StoreError

if TYPE_CHECKING:
    from memtui.tui.navigation import NavigatingApp
    from store.pipeline import MemoryPipeline


def make_room() -> PreviewPlan:
    """Asks to make a vault's flat files entries, to compact a vault, or to archive what is stale or
    beyond a capacity: the first of these that there is.
    """
    return PreviewPlan(_proposed, "Nothing to archive: nothing is stale or beyond a capacity.")


def _proposed(memory: MemoryPipeline) -> Proposal | None:
    return (
        _of_migration(memory)
        or (_of_vault(memory) if memory.is_vault else None)
        or Proposal.of(memory.plan_upkeep())
    )


def _of_migration(memory: MemoryPipeline) -> Proposal | None:
    try:
        return Proposal.of(memory.plan_migration()) if memory.is_vault else None
    except InvalidObservation:
        return None  # a vault of Obsidian's has no flat files


def _of_vault(memory: MemoryPipeline) -> Proposal | None:
    plan = memory.plan_vault_compaction()
    count = sum(plan.action.figures.values())
    return None if plan.is_empty else Proposal(plan, count, lambda it: it.compact_vault(plan))


def keep_vault_small(app: NavigatingApp, memory: MemoryPipeline) -> None:
    """Compact a vault now, where it is due, and again after as many minutes as the settings say."""
    if not (memory.is_vault and (minutes := memory.settings.auto_compact)):
        return

    def look() -> None:
        worker = get_current_worker()
        try:
            plan = memory.plan_vault_if_due()
        except StoreError as error:
            if not worker.is_cancelled:
                app.call_from_thread(partial(tell_error, app, error))
            return
        if plan is not None and not worker.is_cancelled:
            asked = RunOperation(lambda it: it.compact_vault(plan), shows_progress=True)
            app.call_from_thread(app.post_message, asked)

    def tick() -> None:
        app.run_worker(look, group="upkeep", exclusive=True, thread=True)

    app.set_interval(minutes * 60, tick)
    tick()
