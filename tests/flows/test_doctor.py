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
from tests.flows.stage import SIZES, Looks, press, running
from tests.flows.stories import broken, toasts, with_a_secret

pytestmark = pytest.mark.usefixtures("still")

DOCTOR = "exclamation_mark"


def refusing(error: StoreError) -> Callable[..., Applied]:
    """Applies no plan."""

    def apply(*_: object, **__: object) -> Applied:
        raise error

    return apply


LOCKED = LockTimeout(
    "issue-29.json has been locked by AgentX (process 4711) for more than 5 s.",
    "Try again once it has finished; `memtui doctor` tells of locks left behind.",
)


async def test_a_healthy_store_and_a_lock_held_elsewhere(
    sample: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sample) as pilot:
        await press(pilot, DOCTOR)
        assert await looks(pilot, "healthy")
        monkeypatch.setattr(History, "apply", refusing(LOCKED))
        await press(pilot, "escape", "j", "p")
        assert await looks(pilot, "lock_held_elsewhere")


def findings(pilot: Pilot[None]) -> FindingList:
    return next(
        screen for screen in pilot.app.screen_stack if isinstance(screen, DoctorScreen)
    ).query_one(FindingList)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*issue-*") if path.is_file()}


async def test_a_repair_is_carried_out_only_where_one_agrees(tmp_path: Path, looks: Looks) -> None:
    folder = broken(tmp_path)
    before = files(folder)
    async with running(folder) as pilot:
        assert await looks(pilot, "broken_store_on_browse", SIZES)
        await press(pilot, DOCTOR, "j", "j")
        assert await looks(pilot, "findings", SIZES)
        await press(pilot, "g", "enter")
        assert await looks(pilot, "repair_as_a_plan", SIZES)
        await press(pilot, "r")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, DoctorScreen)
        assert (files(folder), toasts(pilot)) == (before, [])
        await press(pilot, "enter")
        await press(pilot, "enter")
        assert await looks(pilot, "repaired")
        assert toasts(pilot) == ["Repaired: move 3 files, rebuild the manifest · u to undo"]
        assert "issue-40.json" not in files(folder)
        assert findings(pilot).row_count < 8
        await press(pilot, "u")
        assert files(folder) == before
        await press(pilot, "u")
        assert toasts(pilot)[-1] == ("Nothing to undo. Operations can be undone for 30 days.")


async def test_a_secret_is_not_shown_by_its_repair(tmp_path: Path) -> None:
    folder, secret = with_a_secret(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, DOCTOR, "enter")
        shown = str(pilot.app.screen.query_one(Paragraphs).render())
        assert "redacted" in shown
        assert secret not in shown
        await press(pilot, "enter")
        assert secret not in (folder / "issue-29.json").read_text()
