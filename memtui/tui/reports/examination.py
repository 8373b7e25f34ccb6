"""The doctor's look at memory: told as it goes, and stopped where nobody waits for it any more."""

from __future__ import annotations

from memtui.tui.worker import Progress, Tell
from store.pipeline import MemoryPipeline
from store.values import Examination


class ExaminationProgress(Progress, bubble=False):
    """How many issues the doctor has looked at, of how many."""


def examination(memory: MemoryPipeline, tell: Tell) -> Examination:
    """What the doctor finds; `tell` hears of each issue, and ends it."""
    return memory.examine(lambda done, total: tell(ExaminationProgress(done, total)))
