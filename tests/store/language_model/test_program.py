"""The program that asks a language model, and the sessions it is asked about."""

from __future__ import annotations

import os
import select
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Lock

import pytest

from store.errors import ProgramFailed
from store.language_model.program import ask
from store.language_model.reading import answers


def program(code: str) -> str:
    return shlex.join([sys.executable, "-S", "-c", code])


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-program-here --x", "no-such-program-here can't be run: No such file"),
        (program("import sys; sys.exit('Log in first.')"), "failed (exit code 1): Log in first."),
        (program("print('Limit reached.'); raise SystemExit(3)"), "(exit code 3): Limit reached."),
        (program("raise SystemExit(4)"), "failed (exit code 4): it printed nothing"),
        (program("import os; os.kill(os.getpid(), 9)"), "failed (ended by signal 9): "),
    ],
)
def test_a_program_that_fails_is_said_with_its_last_words(command: str, why: str) -> None:
    with pytest.raises(ProgramFailed) as raised:
        ask(command, "x")
    assert why in raised.value.message
    assert raised.value.hint


WAITS = "import os, time; os.fork(); os.write(os.open({!r}, os.O_WRONLY), b'x'); time.sleep(60)"


def test_a_program_that_is_not_wanted_is_ended_with_what_it_started(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as running:
        started: list[bytes] = []

        def goes_on() -> bool:
            started.append(running.read(2) or b"")
            return b"".join(started) != b"xx"

        with pytest.raises(ProgramFailed, match=r"was stopped\."):
            ask(program(WAITS.format(str(pipe))), "x", goes_on=goes_on)
        os.set_blocking(running.fileno(), True)
        ended, _, _ = select.select([running], [], [], 10)
        assert ended and running.read() == b""  # the end comes when both are gone


def test_a_program_that_takes_too_long_is_ended() -> None:
    with pytest.raises(ProgramFailed, match=r"did not answer in 0 s\."):
        ask(program("import time; time.sleep(60)"), "x", seconds=0)


def test_a_program_that_prints_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.language_model.program._MOST_BYTES", 10_000)
    with pytest.raises(ProgramFailed, match=r"printed more than 10,000 bytes"):
        ask(program("while True: print('y' * 1000)"), "x")


# Several sessions asked about: two at a time, in their order.


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
