"""The doctor: findings, the repair as a plan, its undo; and what Browse says of broken files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtui.screens.doctor import DoctorScreen, FindingList
from memtui.screens.plan import PlanScreen
from store import MemoryPipeline
from store.errors import LockTimeout
from store.operations.apply import Applied
from tests.flows.stage import NARROW, NORMAL, app_on, browse, press, pressing, settled, told
from tests.flows.stories import broken, toasts

Compare = Callable[..., bool]
pytestmark = pytest.mark.usefixtures("still")
SIZES = pytest.mark.parametrize("size", [NARROW, NORMAL], ids=["80x24", "120x36"])

DOCTOR = "exclamation_mark"


@SIZES
def test_findings(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    flow = pressing(DOCTOR, "j", "j")
    assert snap_compare(app_on(broken(tmp_path)), terminal_size=size, run_before=flow)


@SIZES
def test_repair_as_a_plan(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    flow = pressing(DOCTOR, "r")
    assert snap_compare(app_on(broken(tmp_path)), terminal_size=size, run_before=flow)


@SIZES
def test_repaired(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    flow = pressing(DOCTOR, "r", "enter")
    assert snap_compare(app_on(broken(tmp_path)), terminal_size=size, run_before=flow)


def test_repair_undone(snap_compare: Compare, tmp_path: Path) -> None:
    flow = pressing(DOCTOR, "r", "enter", "u")
    assert snap_compare(app_on(broken(tmp_path)), terminal_size=NORMAL, run_before=flow)


@SIZES
def test_healthy(snap_compare: Compare, sample: Path, size: tuple[int, int]) -> None:
    assert snap_compare(app_on(sample), terminal_size=size, run_before=pressing(DOCTOR))


def test_read_only(snap_compare: Compare, tmp_path: Path) -> None:
    app = app_on(broken(tmp_path), opening=told(lambda state: replace(state, writable=False)))
    assert snap_compare(app, terminal_size=NORMAL, run_before=pressing(DOCTOR, "j"))


@SIZES
def test_broken_store_on_browse(
    snap_compare: Compare, tmp_path: Path, size: tuple[int, int]
) -> None:
    assert snap_compare(app_on(broken(tmp_path)), terminal_size=size, run_before=settled)


class Locked(MemoryPipeline):
    """A memory whose lock another program does not give back."""

    def undo(self, operation_id: str | None = None) -> Applied:
        raise LockTimeout(
            "issue-29.json has been locked by AgentX (process 4711) for more than 5 s.",
            "Try again once it has finished; `memtui doctor` tells of locks left behind.",
        )


def locked(path: Path) -> Locked:
    return Locked(path, cache=path.parent / "cache")


@SIZES
def test_lock_held_elsewhere(snap_compare: Compare, sample: Path, size: tuple[int, int]) -> None:
    app = app_on(sample, opening=locked)
    assert snap_compare(app, terminal_size=size, run_before=pressing("j", "u"))
