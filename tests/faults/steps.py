"""A process that dies, or a disk that is full, at each call of one step; then the next looks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest

from store.errors import StoreError
from tests.faults.disk import SimulatedDisk
from tests.faults.modes import Fault, Killed, Mode
from tests.faults.scenarios import bury

Step = Callable[[Path], object]
"""Done to a project's folder."""
SAMPLED = pytest.mark.parametrize("every", [19, pytest.param(1, marks=pytest.mark.long)])
"""Every 19th call in the normal suite, and every one in the long."""


def at_each_call(
    base: Path, prepare: Step, act: Step, check: Callable[[Path, str], None], every: int = 1,
    modes: Iterable[Mode] = (Mode.KILLED, Mode.DISK_FULL), *, is_derived: bool = True,
) -> int:  # fmt: skip
    """Do `act` to a folder made ready, broken at each of its calls (or every third, …), and `check`
    what that leaves; how many calls there are. The text given to `check` says where it was.

    What is not `is_derived` may be written by watched calls alone.
    """
    template = base / "template"
    template.mkdir(parents=True)
    with mock.patch.object(os, "fsync", lambda descriptor: None):
        prepare(template)
        shutil.copytree(template, whole := base / "whole")
        unharmed = SimulatedDisk(whole, is_derived=is_derived)
        with unharmed.mounted():
            act(whole)
        done = 0
        for mode in modes:
            for point, call in enumerate(unharmed.calls):
                if not mode.applies_to(call.kind):
                    continue
                done += 1
                if done % every:
                    continue
                shutil.copytree(template, folder := base / f"{mode.name.lower()}-{point}")
                disk = SimulatedDisk(folder, Fault(point, mode), is_derived=is_derived)
                with suppress(Killed, StoreError), disk.mounted():
                    act(folder)
                bury(folder)
                check(folder, f"{mode} at call {point}: {call}")
                shutil.rmtree(folder)
    return done
