"""The doctor: findings, preview the repairs, its undo; and what Browse says of broken files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.dialogs.prompt import ConfirmScreen
from memtui.tui.doctor.screen import DoctorScreen, FindingList
from memtui.tui.frame.paragraphs import Paragraphs
from store.errors import LockTimeout, StoreError
from store.operations.apply import Applied
from store.operations.service import History
from tests.flows.stage import (
    NORMAL,
    SIZES,
    Compare,
    Run,
    app_on,
    press,
    pressing,
    settled,
)
from tests.flows.stories import broken, toasts, with_a_secret

pytestmark = pytest.mark.usefixtures("still")

DOCTOR = "exclamation_mark"


def repairing(*keys: str) -> Run:
    """A flow that looks at the repair, agrees, and presses keys."""

    async def run(pilot: Pilot[None]) -> None:
        await pressing(DOCTOR, "r")(pilot)
        await press(pilot, "enter")
        await press(pilot, *keys)

    return run


@SIZES
def test_findings(snap_compare: Compare, tmp_path: Path) -> None:
    flow = pressing(DOCTOR, "j", "j")
    assert snap_compare(app_on(broken(tmp_path)), run_before=flow)


@SIZES
def test_repair_as_a_plan(snap_compare: Compare, tmp_path: Path) -> None:
    flow = pressing(DOCTOR, "r")
    assert snap_compare(app_on(broken(tmp_path)), run_before=flow)


def test_repaired(snap_compare: Compare, tmp_path: Path) -> None:
    flow = repairing()
    assert snap_compare(app_on(broken(tmp_path)), terminal_size=NORMAL, run_before=flow)


def test_healthy(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=pressing(DOCTOR))


@SIZES
def test_broken_store_on_browse(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(app_on(broken(tmp_path)), run_before=settled)


def refusing(error: StoreError) -> Callable[..., Applied]:
    """Applies no plan."""

    def apply(*_: object) -> Applied:
        raise error

    return apply


LOCKED = LockTimeout(
    "issue-29.json has been locked by AgentX (process 4711) for more than 5 s.",
    "Try again once it has finished; `memtui doctor` tells of locks left behind.",
)


def test_lock_held_elsewhere(
    snap_compare: Compare, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(History, "apply", refusing(LOCKED))
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=pressing("j", "p"))


def findings(pilot: Pilot[None]) -> FindingList:
    return next(
        screen for screen in pilot.app.screen_stack if isinstance(screen, DoctorScreen)
    ).query_one(FindingList)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*issue-*") if path.is_file()}


async def test_a_repair_is_carried_out_only_where_one_agrees(tmp_path: Path) -> None:
    folder = broken(tmp_path)
    before = files(folder)
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, DOCTOR, "r", "r")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, DoctorScreen)
        assert (files(folder), toasts(pilot)) == (before, [])
        await press(pilot, "enter")
        await press(pilot, "enter")
        assert toasts(pilot) == ["Repaired: move 3 files, rebuild the manifest · u to undo"]
        assert "issue-40.json" not in files(folder)
        assert findings(pilot).row_count < 8
        await press(pilot, "u")
        assert files(folder) == before
        await press(pilot, "u")
        assert toasts(pilot)[-1] == ("Nothing to undo. Operations can be undone for 30 days.")


async def test_a_secret_is_not_shown_by_its_repair(tmp_path: Path) -> None:
    folder, secret = with_a_secret(tmp_path)
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, DOCTOR, "r")
        shown = str(pilot.app.screen.query_one(Paragraphs).content)
        assert "redacted" in shown
        assert secret not in shown
        await press(pilot, "enter")
        assert secret not in (folder / "issue-29.json").read_text()
