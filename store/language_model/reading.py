"""A session read by a language model, part by part: what it picked, checked against the session."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import count, islice
from threading import Event
from typing import TypeVar

from store.agents.session import Session
from store.capture.candidate import Candidate, Found, Picked
from store.errors import ProgramFailed
from store.language_model.answer import candidates_of
from store.language_model.program import ask
from store.language_model.prompt import parts_of, prompt_of, shown_of
from store.model import Category, Observation

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


def pick(
    session: Session,
    held: Sequence[Observation],
    program: str,
    goes_on: Callable[[], bool] = lambda: True,
) -> Picked:
    """Ask a program what to keep of a session, in as many prompts as it needs.

    `held` is what memory holds. Raises `ProgramFailed`; `InvalidSetting` for what is no command.
    """
    shown, (texts, left_out) = shown_of(held, session.id), parts_of(session)
    found: list[Found] = []
    for number, text in enumerate(texts, 1):
        written = [item.content for item in found if isinstance(item, Candidate)]
        of = f"{number} of {len(texts)}" if len(texts) > 1 else ""
        prompt = prompt_of(text, shown, written, of)
        found = [item for item in found if not _is_of_the_end(item)]
        found += _asked(program, prompt, session, shown, goes_on)
    return Picked(tuple(found), left_out)


def _is_of_the_end(found: Found) -> bool:
    """Return whether a session has it only once, as it ends: how to go on."""
    return isinstance(found, Candidate) and found.category == Category.HANDOFF


def _asked(
    program: str,
    prompt: str,
    session: Session,
    shown: Sequence[Observation],
    goes_on: Callable[[], bool],
) -> Sequence[Found]:
    """Return what a prompt gives; ask once more where no answer, or another form, comes."""
    try:
        return candidates_of(ask(program, prompt, goes_on=goes_on), session, shown)
    except ProgramFailed:
        if not goes_on():
            raise
    return candidates_of(ask(program, prompt, goes_on=goes_on), session, shown)
