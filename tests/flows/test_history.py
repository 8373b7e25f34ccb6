"""History: the operations, each with its diff, and taking any of them back."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.browse.results import ResultList
from memtui.tui.reports.history import HistoryScreen, OperationList
from memtui.tui.widgets.text_pane import TextPane
from memtui.words.sentences import title
from tests.flows.stage import SIZES, Looks, browse, open_at, press, running, settled, under_cursor
from tests.flows.stories import toasts, worked_on

pytestmark = pytest.mark.usefixtures("still")


def operations(pilot: Pilot[None]) -> OperationList:
    assert isinstance(pilot.app.screen, HistoryScreen)
    return pilot.app.screen.query_one(OperationList)


async def go_to(pilot: Pilot[None], words: str) -> None:
    """Move to the operation with this title."""
    rows = operations(pilot)
    titles = [title(row.action) for row in rows.rows if not isinstance(row, str)]
    rows.cursor = titles.index(words)
    await settled(pilot)


async def test_any_operation_can_be_taken_back_and_done_again(tmp_path: Path, looks: Looks) -> None:
    async with running(worked_on(tmp_path)) as pilot:
        await press(pilot, "H", "j")
        assert await looks(pilot, "history", SIZES)
        await press(pilot, "j", "enter")
        assert await looks(pilot, "diff_in_full")
        await press(pilot, "escape", "U")
        assert toasts(pilot) == ["This operation is not undone."]
        await press(pilot, "k", "U")
        rows = operations(pilot)
        assert title(under_cursor(rows).action) == "Delete 1 memory"
        assert toasts(pilot)[-1] == "Redone: delete 1 memory"
        assert not under_cursor(rows).undone
        await go_to(pilot, "Archive 3 memories")
        await press(pilot, "u")
        assert toasts(pilot)[-1] == "Undone: archive 3 memories"
        assert title(under_cursor(rows).action) == "Archive 3 memories"
        assert under_cursor(rows).undone
        await press(pilot, "u")
        assert toasts(pilot)[-1] == "This operation is undone. U to redo it."
        await press(pilot, "escape")
        assert len(browse(pilot).query_one(ResultList).rows) == 6


async def test_what_changed_since_is_left_and_what_is_damaged_named(tmp_path: Path) -> None:
    folder = worked_on(tmp_path)
    with open_at(folder) as memory:
        memory.apply(memory.plan.edit("obs-engineer-29-0", {"content": "Changed once more."}))
    async with running(folder) as pilot:
        await press(pilot, "H", "G", "u")
        assert toasts(pilot) == [
            "Nothing changed: obs-engineer-29-0 in issue 29 has changed since; left unchanged."
            " Reload and repeat your change."
        ]
        await press(pilot, "g")
        newest = under_cursor(operations(pilot)).id
        (folder / "operations" / f"{newest}.json").write_text("{")
        await press(pilot, "j", "k")
        shown = pilot.app.screen.query_one(TextPane).text
        assert "is damaged" in shown
