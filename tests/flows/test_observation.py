"""The whole observation, and what may happen to it while it is open."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.tui.browse.results import ResultList
from memtui.tui.memory.screen import ObservationScreen
from store import Observation
from tests.flows.stage import NARROW, NOW, SIZES, Looks, browse, fill, press, running
from tests.flows.stories import toasts

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def one(tmp_path: Path) -> Path:
    folder = fill(
        tmp_path / "memory",
        [
            Observation(
                agent="engineer",
                issue_number=3,
                category="task",
                content="Say it. <b>Plainly</b>.",
                id="obs-one",
                tags=("docs", "done"),
                pinned=True,
                last_recalled=NOW,
                recall_count=2,
                sources=("session:abc#4",),
                timestamp=NOW,
            )
        ],
    )
    file = folder / "issue-3.json"
    record = json.loads(file.read_text())
    record["observations"][0] |= {
        "mood": {"calm": True},
        "branch": "main",
        "commit": "5a6d12" + "0" * 34,
        "editedAt": "2026-03-02T11:02:00.000Z",
    }
    file.write_text(json.dumps(record))
    return folder


async def test_every_field_is_shown_unknown_ones_too(one: Path) -> None:
    async with running(one, size=NARROW) as pilot:
        await press(pilot, "enter")
        fields = str(pilot.app.screen.query_one("#page-fields", Static).content)
        lines = dict(line.split(maxsplit=1) for line in fields.splitlines())
        assert lines["id"] == "obs-one"
        assert lines["tags"] == "docs done"
        assert lines["pinned"] == "yes: always injected"
        assert lines["last"] == "recalled  today 12:00"
        assert lines["rests"] == "on       message 4 of abc"
        assert lines["mood"] == '{"calm": true}'
        assert lines["branch"] == "main"
        assert lines["commit"] == "5a6d120"
        assert lines["edited"] == "today 11:02"
        assert "muted" not in lines
        facts = str(pilot.app.screen.query_one("#page-heading", Static).content)
        assert facts.replace("\u00a0", " ").endswith("pinned · done")

        await press(pilot, "escape")
        (one / "issue-3.json").unlink()
        memory = browse(pilot)._memory
        assert memory is not None
        memory.index.refresh()
        await press(pilot, "enter")
        assert len(pilot.app.screen_stack) == 2
        said = str(pilot.app.screen.query_one("#page-fields", Static).content)
        assert said == "This memory is no longer in the store."
        await press(pilot, "escape", "ctrl+r")
        assert len(pilot.app.screen_stack) == 1


@pytest.fixture
def several(tmp_path: Path) -> Path:
    notes = [
        Observation(
            agent="engineer",
            issue_number=3,
            category="code-change",
            content=f"src/locks.py: change {number}.\nWith a reason of its own.",
            id=f"obs-{number}",
            timestamp=NOW - timedelta(days=number),
        )
        for number in range(3)
    ]
    return fill(tmp_path / "memory", notes)


async def test_next_and_previous_and_those_of_the_same_file(several: Path, looks: Looks) -> None:
    async with running(several) as pilot:
        await press(pilot, "enter", "tab")
        assert await looks(pilot, "opened", SIZES)
        await press(pilot, "tab")
        assert open_id(pilot) == "obs-0"
        await press(pilot, "right", "l")
        assert open_id(pilot) == "obs-2"
        await press(pilot, "l")
        assert toasts(pilot) == ["This is the last of the list."]
        await press(pilot, "h")
        assert open_id(pilot) == "obs-1"
        await press(pilot, "tab", "j", "enter")
        assert open_id(pilot) == "obs-2"
        await press(pilot, "right")
        assert open_id(pilot) == "obs-2"
        await press(pilot, "escape", "escape")
        assert browse(pilot).query_one(ResultList).cursor == 1


def open_id(pilot: Pilot[None]) -> str:
    assert isinstance(pilot.app.screen, ObservationScreen)
    at = pilot.app.screen.at
    assert at is not None
    return at.id
