"""The loops that keep processors awake are there, weigh nothing, and go."""

from __future__ import annotations

import multiprocessing
import os
import sys

import pytest

from tests.bench.awake import awake


@pytest.mark.skipif(sys.platform != "linux", reason="no other system has a policy for idle time")
def test_each_processor_has_a_loop_in_idle_time_only() -> None:
    if sys.platform == "linux":
        before = set(multiprocessing.active_children())
        with awake() as kept:
            loops = [it.pid for it in multiprocessing.active_children() if it not in before]
            assert kept
            assert {os.sched_getscheduler(pid or 0) for pid in loops} == {os.SCHED_IDLE}
            at = [os.sched_getaffinity(pid or 0) for pid in loops]
            assert sorted(at, key=min) == [{each} for each in sorted(os.sched_getaffinity(0))]
        assert not set(multiprocessing.active_children()) - before


@pytest.mark.skipif(sys.platform != "linux", reason="no other system has a policy for idle time")
def test_where_the_policy_is_forbidden_no_loop_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    before = set(multiprocessing.active_children())
    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    with awake() as kept:
        assert not kept
        assert not set(multiprocessing.active_children()) - before


def test_a_system_without_such_a_policy_is_measured_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with awake() as kept:
        assert not kept
        assert not multiprocessing.active_children()
