"""Writing the sample as a store on disk."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memtui.sample.generator import sample_observations
from memtui.sample.retold import retold


def write_sample_store(folder: Path, now: datetime, *, cache: Path | None = None) -> Path:
    """Write the sample store into `folder`, which becomes a memory; returns it.

    Beside the sample's observations it holds some that say the same again, to be compacted. What
    the compaction summaries stand for is archived by an operation that can be undone. `cache` is
    the folder for derived data, the user's by default.
    """
    from store import open_memory

    observations = sample_observations(now)
    with open_memory(folder, cache=cache, clock=lambda: now) as memory:
        active = [replace(each, archived=False) for each in observations]
        memory.store([*active, *retold(active)])
        memory.apply(memory.plan_archive([each.id for each in observations if each.archived]))
    return folder
