"""Sentences about a sync: what it does to each memory, and what it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from memtui.formatting import plural, short_path
from store.sync.plan import MemorySync, SyncPlan


def sync_lines(plan: SyncPlan) -> Iterator[str]:
    """Yield a line for each memory: `mine: send 3 added, 1 edited; receive 2 added`."""
    for memory in plan.memories:
        yield f"{memory.name}: {_of_memory(memory)}"
    if not plan.memories and not plan.is_in_step:
        yield "no memories: tombstones, recalls, digests of sessions, or by what projects are known"


def marked_lines(plan: SyncPlan) -> Iterator[tuple[str, str]]:
    """Yield the same lines, each with a mark: `+` for what comes, `>` for what only goes."""
    marks = [_mark_of(memory) for memory in plan.memories] or [">"]
    yield from zip(marks, sync_lines(plan), strict=True)


def _mark_of(memory: MemorySync) -> str:
    if memory.problem:
        return "-"
    return "~" if memory.conflicts else "+" if memory.receives.changes else ">"


def _of_memory(memory: MemorySync) -> str:
    if memory.problem:
        return f"left out: {memory.problem}"
    number = len(memory.conflicts)
    parts = [
        f"{verb} {', '.join(f'{number:,} {what}' for what, number in diff.counted().items())}"
        for verb, diff in (("send", memory.sends), ("receive", memory.receives))
        if diff.changes
    ]
    parts += [f"{number:,} edited on both sides, both versions kept"] if number else []
    parts += [f"{memory.forgets:,} deleted for good, without undo"] if memory.forgets else []
    parts += ["new on this machine"] if memory.is_new else []
    return "; ".join(parts)


def sync_title(plan: SyncPlan) -> str:
    """Return the title of a plan: `Sync with ~/memory.git for the first time`."""
    return f"Sync with {short_path(plan.remote)}{' for the first time' if plan.is_first else ''}"


def sync_done(plan: SyncPlan) -> str:
    """Return the sentence of a sync that was carried out."""
    return f"Synced: {plural(plan.sent, 'change')} sent, {plan.received:,} received"


def undone_elsewhere(places: Sequence[Path]) -> str:
    """Return how what came to other memories than the open one is taken back; empty for none."""
    if not places:
        return ""
    others = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
    return f"What came elsewhere: memtui --dir {short_path(str(places[0]))} undo{others}"


def waiting(plan: SyncPlan) -> str:
    """Return what waits for a repository that can't be reached."""
    return f"{plural(plan.sent, 'change')} to send" if plan.sent else "nothing to send"


def both_kept(plan: SyncPlan) -> str:
    """Return how many memories were edited on both sides; empty where there is none."""
    number = sum(len(memory.conflicts) for memory in plan.memories)
    if not number:
        return ""
    were = "memory was" if number == 1 else "memories were"
    return f"{number:,} {were} edited on both sides; both versions are kept."
