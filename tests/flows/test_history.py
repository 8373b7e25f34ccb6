"""History: the operations, each with its diff, and taking any of them back."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.browse.results import ResultList
from memtui.tui.frame.paragraphs import Paragraphs
from memtui.tui.reports.history import HistoryScreen, OperationList
from memtui.words.sentences import title
from tests.flows.stage import (
    NORMAL,
    SIZES,
    Compare,
    app_on,
    browse,
    open_at,
    press,
    pressing,
    settled,
    under_cursor,
)
from tests.flows.stories import toasts, worked_on

pytestmark = pytest.mark.usefixtures("still")


@SIZES
def test_history(snap_compare: Compare, tmp_path: Path) -> None:
    app = app_on(worked_on(tmp_path))
    assert snap_compare(app, run_before=pressing("H", "j"))


def test_diff_in_full(snap_compare: Compare, tmp_path: Path) -> None:
    app = app_on(worked_on(tmp_path))
    assert snap_compare(app, terminal_size=NORMAL, run_before=pressing("H", "j", "j", "enter"))


def operations(pilot: Pilot[None]) -> OperationList:
    assert isinstance(pilot.app.screen, HistoryScreen)
    return pilot.app.screen.query_one(OperationList)


async def test_any_operation_can_be_taken_back(tmp_path: Path) -> None:
    folder = worked_on(tmp_path)
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "H", "j", "j", "j")
        rows = operations(pilot)
        assert title(under_cursor(rows).action) == "Archive 3 memories"
        await press(pilot, "u")
        assert toasts(pilot) == ["Undone: archive 3 memories"]
        assert title(under_cursor(rows).action) == "Archive 3 memories"
        assert under_cursor(rows).undone
        await press(pilot, "u")
        assert toasts(pilot)[-1] == "This operation is undone. U to redo it."
        await press(pilot, "escape")
        assert len(browse(pilot).query_one(ResultList).rows) == 7


async def test_what_was_undone_is_done_again(tmp_path: Path) -> None:
    async with app_on(worked_on(tmp_path)).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "H", "j", "j", "U")
        assert toasts(pilot) == ["This operation is not undone."]
        await press(pilot, "k", "U")
        assert title(under_cursor(operations(pilot)).action) == "Delete 1 memory"
        assert toasts(pilot)[-1] == "Redone: delete 1 memory"
        assert not under_cursor(operations(pilot)).undone


async def test_what_changed_since_is_left_and_named(tmp_path: Path) -> None:
    folder = worked_on(tmp_path)
    with open_at(folder) as memory:
        memory.apply(memory.plan.edit("obs-engineer-29-0", {"content": "Changed once more."}))
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "H", "G", "u")
        assert toasts(pilot) == [
            "Nothing changed: obs-engineer-29-0 in issue 29 has changed since; left unchanged."
            " Reload and repeat your change."
        ]


async def test_a_damaged_operation_says_so(tmp_path: Path) -> None:
    folder = worked_on(tmp_path)
    async with app_on(folder).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "H")
        newest = under_cursor(operations(pilot)).id
        (folder / "operations" / f"{newest}.json").write_text("{")
        await press(pilot, "j", "k")
        shown = str(pilot.app.screen.query_one(Paragraphs).content)
        assert "is damaged" in shown
