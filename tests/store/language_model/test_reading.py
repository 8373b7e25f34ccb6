"""Several sessions asked about: two at a time, in their order."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Lock

import pytest

from store.errors import ProgramFailed
from store.language_model.reading import answers


def test_two_are_asked_at_a_time_and_answers_come_in_order() -> None:
    running, most, lock, both = 0, 0, Lock(), Barrier(2, timeout=10)

    def ask(job: int, _: Callable[[], bool]) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait()  # each waits for another beside it
        with lock:
            running -= 1
        return job * 10

    assert list(answers(range(6), ask, lambda done: True)) == [(n, n * 10) for n in range(6)]
    assert most == 2


def test_it_ends_when_it_is_told_to_and_tells_those_that_run() -> None:
    told = []

    def ask(job: int, goes_on: Callable[[], bool]) -> int:
        if job == 0:
            return 0
        while goes_on():
            pass
        raise ProgramFailed("It was stopped.")

    def goes_on(done: int) -> bool:
        told.append(done)
        return done < 1

    assert list(answers(range(9), ask, goes_on)) == [(0, 0)]
    assert told[-1] == 1


def test_who_fails_is_named_and_anything_else_is_raised() -> None:
    error = ProgramFailed("Log in first.")

    def ask(job: int, _: Callable[[], bool]) -> int:
        if job == 1:
            raise error
        if job == 3:
            raise ValueError(job)
        return job

    found = answers(range(4), ask, lambda done: True)
    assert [next(found) for _ in range(3)] == [(0, 0), (1, error), (2, 2)]
    with pytest.raises(ValueError, match="3"):
        next(found)
