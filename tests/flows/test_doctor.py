"""The doctor: findings, preview the repairs, its undo; and what Browse says of broken files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from textual.pilot import Pilot

from memtui.tui.dialogs.plan import PlanScreen
from memtui.tui.doctor.screen import DoctorScreen, FindingList
from memtui.tui.widgets.paragraphs import Paragraphs
from store import Memory, open_memory
from store.doctor.examine import Progress
from store.doctor.findings import Examination, FindingKind
from store.errors import LockTimeout, ReadOnly, StoreError
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
    send,
    settled,
    swap,
    told,
    until_shown,
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


def test_repair_undone(snap_compare: Compare, tmp_path: Path) -> None:
    flow = repairing("u")
    assert snap_compare(app_on(broken(tmp_path)), terminal_size=NORMAL, run_before=flow)


def test_healthy(snap_compare: Compare, sample: Path) -> None:
    assert snap_compare(app_on(sample), terminal_size=NORMAL, run_before=pressing(DOCTOR))


def test_read_only(snap_compare: Compare, tmp_path: Path) -> None:
    app = app_on(broken(tmp_path), opening=told(lambda state: state._replace(writable=False)))
    assert snap_compare(app, terminal_size=NORMAL, run_before=pressing(DOCTOR, "j"))


async def test_what_is_read_only_is_offered_no_repair(tmp_path: Path) -> None:
    app = app_on(broken(tmp_path), opening=told(lambda state: state._replace(writable=False)))
    async with app.run_test(size=NORMAL) as pilot:
        await press(pilot, DOCTOR)
        shown = pilot.app.screen
        assert "repair" not in {it.binding.action for it in shown.active_bindings.values()}
        await press(pilot, "enter")
        assert pilot.app.screen is shown


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


async def test_a_long_examination_is_said_from_its_beginning(sample: Path) -> None:
    go_on = Event()

    def slow(path: Path) -> Memory:
        memory = open_memory(path, cache=path.parent / "cache")
        examine = memory.doctor.examine

        def slowly(progress: Progress | None = None) -> Examination:
            go_on.wait(10)
            return examine(progress)

        swap(memory.doctor, "examine", slowly)
        return memory

    async with app_on(sample, opening=slow).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        send(pilot, "exclamation_mark")
        await until_shown(pilot, "Checking memory …")
        go_on.set()
        await settled(pilot)


def findings(pilot: Pilot[None]) -> FindingList:
    return next(
        screen for screen in pilot.app.screen_stack if isinstance(screen, DoctorScreen)
    ).query_one(FindingList)


def kind_at(rows: FindingList) -> str:
    return rows.at.kind if rows.at is not None else ""


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*issue-*") if path.is_file()}


async def test_the_cursor_passes_over_headings(tmp_path: Path) -> None:
    async with app_on(broken(tmp_path)).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, DOCTOR)
        rows = findings(pilot)
        assert rows.cursor == 1
        await press(pilot, "k", "g")
        assert rows.cursor == 1
        await press(pilot, "G")
        assert kind_at(rows) == FindingKind.CAPTURED
        await press(pilot, "k")
        assert kind_at(rows) == FindingKind.MANIFEST
        await press(pilot, "j")
        assert kind_at(rows) == FindingKind.CAPTURED


async def test_a_repair_is_carried_out_only_where_one_agrees(tmp_path: Path) -> None:
    folder = broken(tmp_path)
    before = files(folder)
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, DOCTOR, "r", "r")
        assert isinstance(pilot.app.screen, PlanScreen)
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


async def test_a_healthy_memory_offers_no_repair(sample: Path) -> None:
    async with app_on(sample).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, DOCTOR, "r", "enter")
        assert isinstance(pilot.app.screen, DoctorScreen)
        await press(pilot, DOCTOR, "escape")
        assert not isinstance(pilot.app.screen, DoctorScreen)


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


async def test_a_repair_that_fails_is_told_calmly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ReadOnly("This memory can't be written.", "Its disk is read-only.")
    folder = broken(tmp_path)
    monkeypatch.setattr(History, "apply", refusing(error))
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, DOCTOR, "r")
        await press(pilot, "enter")
        assert toasts(pilot) == ["This memory can't be written. Its disk is read-only."]
        assert isinstance(pilot.app.screen, DoctorScreen)
        assert findings(pilot).row_count == 9
