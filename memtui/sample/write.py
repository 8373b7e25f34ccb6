"""Writing the sample as a store on disk."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.sample.generator import sample_observations
from memtui.sample.retold import retold

if TYPE_CHECKING:
    from store import Observation


def write_sample_store(folder: Path, now: datetime, *, cache: Path | None = None) -> Path:
    """Write the sample store into `folder`, which becomes a memory; returns it.

    Beside the sample's observations it holds some that say the same again, to be compacted. What
    the compaction summaries stand for is archived by an operation that can be undone. `cache` is
    the folder for derived data, the user's by default.
    """
    from store import open_memory

    observations = sample_observations(now)
    active = [each._replace(archived=False) for each in observations]
    issues: dict[int, list[Observation]] = {}
    for each in sorted([*active, *retold(active)], key=lambda each: each.timestamp):
        issues.setdefault(each.issue_number, []).append(each)
    moment = now
    with open_memory(folder, cache=cache, clock=lambda: moment) as memory:
        # In the order in which their last sessions ended, as the log of what happened tells it.
        for told in sorted(issues.values(), key=lambda told: told[-1].timestamp):
            moment = told[-1].timestamp
            memory.store(told)
        moment = now
        memory.apply(memory.plan_archive([each.id for each in observations if each.archived]))
    return folder
