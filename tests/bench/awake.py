"""Keeping the processors awake while something is measured."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context


@contextmanager
def awake() -> Iterator[bool]:
    """A loop on each processor that runs only where nothing else would; whether there are such.

    A processor that was let sleep wakes slowly, with its caches lost, most of all where a host
    gives it to others meanwhile: the same short process took 56 ms on one that was awake, and 60 to
    130 ms on one that had to be woken, by chance. What is measured starts at once on a processor
    that runs such a loop: Linux takes it for idle (`SCHED_IDLE`). Other systems have no such
    policy, and a container may forbid it; there, nothing is done.
    """
    with ExitStack() as loops:
        yield sys.platform == "linux" and all(
            loops.enter_context(_loop(processor)) for processor in os.sched_getaffinity(0)
        )


if sys.platform == "linux":

    @contextmanager
    def _loop(processor: int) -> Iterator[bool]:
        loop = get_context("spawn").Process(target=_turn, args=(os.getpid(),), daemon=True)
        loop.start()
        assert loop.pid is not None
        with ExitStack() as ending:
            ending.callback(loop.join)
            ending.callback(loop.kill)
            try:
                os.sched_setscheduler(loop.pid, os.SCHED_IDLE, os.sched_param(0))
                os.sched_setaffinity(loop.pid, {processor})
            except PermissionError:
                ending.close()  # beside a loop like any other, nothing could be measured
                yield False
            else:
                yield True


def _turn(parent: int) -> None:
    """Do nothing for as long as the parent lives, however it ends."""
    while os.getppid() == parent:
        pass
