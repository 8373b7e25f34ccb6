from __future__ import annotations

import signal
import threading

import pytest

from memtui.hooks import deadline as deadlines
from memtui.hooks.deadline import DeadlinePassed, deadline


def test_work_that_takes_too_long_is_ended() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(DeadlinePassed, match=r"0\.01 seconds"), deadline(0.01):
        threading.Event().wait(5)
    assert signal.getsignal(signal.SIGALRM) is before


def test_other_threads_have_no_deadline() -> None:
    ended: list[bool] = []

    def work() -> None:
        with deadline(0.001):
            threading.Event().wait(0.02)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]


def test_a_deadline_that_is_let_go_of_passes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "_AGAIN", 0.01)
    swallowed: list[bool] = []
    with pytest.raises(DeadlinePassed), deadline(0.01):
        try:
            threading.Event().wait(5)
        except DeadlinePassed:
            swallowed.append(True)
        threading.Event().wait(5)
    assert swallowed == [True]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
