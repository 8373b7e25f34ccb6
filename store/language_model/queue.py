"""Several sessions asked about: two at a time, the answers in the order of the sessions."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import count, islice
from threading import Event
from typing import TypeVar

from store.errors import ProgramFailed

_AT_ONCE = 2
_PAUSE = 0.1
"""Seconds between two looks at whether it goes on."""
Job = TypeVar("Job")
Answer = TypeVar("Answer")


def answers(
    jobs: Iterable[Job],
    ask: Callable[[Job, Callable[[], bool]], Answer],
    goes_on: Callable[[int], bool],
) -> Iterator[tuple[Job, Answer | ProgramFailed]]:
    """Yield what `ask` returns for each job, or why it failed, in the order of the jobs.

    A job is taken when there is room for it. `goes_on` hears how many are done, and ends it by
    False; those that are asked meanwhile hear of that by the function that they are called with.
    """
    waiting, stopped = iter(jobs), Event()
    running: deque[tuple[Job, Future[Answer]]] = deque()
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        for done in count():
            for job in islice(waiting, _AT_ONCE - len(running)):
                running.append((job, pool.submit(ask, job, lambda: not stopped.is_set())))
            if not running:
                return
            job, future = running.popleft()
            while not future.done():
                if not goes_on(done):
                    return
                wait([future], _PAUSE)
            try:
                yield job, future.result()
            except ProgramFailed as error:
                yield job, error
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)
