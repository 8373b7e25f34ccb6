"""Making room: flat files migrated, a vault compacted, what is stale or too much archived."""

from __future__ import annotations

from functools import partial

from textual.worker import get_current_worker

from memtui.tui.frame.toasts import toast_error
from memtui.tui.frame.type_ahead import TypeAhead
from memtui.tui.operations import PreviewPlan, Proposal, RunOperation
from store import Memory
from store.errors import InvalidObservation, StoreError


def make_room() -> PreviewPlan:
    """Asks to make a vault's flat files entries, to compact a vault, or to archive what is stale or
    beyond a capacity: the first of these that there is.
    """
    return PreviewPlan(_proposed, "Nothing to archive: nothing is stale or beyond a capacity.")


def prune_by(strategy: str) -> PreviewPlan:
    """Asks to archive what a strategy finds to be beyond a capacity."""
    return PreviewPlan(
        lambda memory: Proposal.of(memory.compaction.plan_prune(strategy)),
        "Nothing to prune. The setting `capacities` limits the memories of a layer.",
    )


def _proposed(memory: Memory) -> Proposal | None:
    return (
        _of_migration(memory)
        or (_of_vault(memory) if memory.is_vault else None)
        or Proposal.of(memory.upkeep.plan())
    )


def _of_migration(memory: Memory) -> Proposal | None:
    try:
        return Proposal.of(memory.exchange.plan_migration()) if memory.is_vault else None
    except InvalidObservation:
        return None  # a vault of Obsidian's has no flat files


def _of_vault(memory: Memory) -> Proposal | None:
    plan = memory.vault.plan()
    count = sum(plan.action.figures.values())
    return (
        None if plan.is_empty else Proposal(plan, count, lambda memory: memory.vault.compact(plan))
    )


def keep_vault_small(app: TypeAhead, memory: Memory) -> None:
    """Compact a vault now, where it is due, and again after as many minutes as in the settings."""
    if not (memory.is_vault and (minutes := memory.settings.auto_compact)):
        return

    def look() -> None:
        worker = get_current_worker()
        try:
            plan = memory.vault.plan_if_due()
        except StoreError as error:
            if not worker.is_cancelled:
                app.call_from_thread(partial(toast_error, app, error))
            return
        if plan is not None and not worker.is_cancelled:
            asked = RunOperation(lambda memory: memory.vault.compact(plan), shows_progress=True)
            app.call_from_thread(app.post_message, asked)

    def tick() -> None:
        app.run_worker(look, group="upkeep", exclusive=True, thread=True)

    app.set_interval(minutes * 60, tick)
    tick()
