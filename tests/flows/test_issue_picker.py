"""Issues to pick: each with what it is about and its age, found by any of these words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from textual.widgets import Static

from memtui.tui.dialogs.choice_picker import ChoicePicker
from store.model import Observation
from tests.flows.stage import NOW, browse, fill, press, running, settled

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    said = {7: "Locks wait for half a second.", 29: "Cut over by renaming the file."}
    return fill(
        tmp_path / "memory",
        [
            Observation("qa", issue, "lesson", text, timestamp=NOW - timedelta(days=issue))
            for issue, text in said.items()
        ],
    )


async def test_issues_have_titles_and_ages(store: Path) -> None:
    async with running(store) as pilot:
        await press(pilot, "number_sign")
        await settled(pilot)
        picker = pilot.app.screen
        assert isinstance(picker, ChoicePicker)
        assert [(row.name, row.words, row.age) for row in picker.list.rows[1:]] == [
            ("#29", "Cut over by renaming the file.", "4w"),
            ("#7", "Locks wait for half a second.", "7d"),
        ]
        await press(pilot, *"renaming")
        assert [row.name for row in picker.list.rows] == ["#29"]
        await press(pilot, "space", *"nothing")
        assert picker.list.rows == []
        assert str(picker.query_one("#picker-said", Static).content) == "Nothing matches."
        await press(pilot, *["backspace"] * len(" nothing"), "enter")
        assert browse(pilot).query_line.strip() == "issue:29"
