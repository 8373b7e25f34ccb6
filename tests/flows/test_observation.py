"""The whole observation, and what may happen to it while it is open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Static

from store import Observation
from tests.flows.stage import NARROW, NOW, app_on, browse, fill, press, settled

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
    record["observations"][0]["mood"] = {"calm": True}
    file.write_text(json.dumps(record))
    return folder


async def test_every_field_is_shown_unknown_ones_too(one: Path) -> None:
    async with app_on(one).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        fields = str(pilot.app.screen.query_one("#page-fields", Static).content)
        lines = dict(line.split(maxsplit=1) for line in fields.splitlines())
        assert lines["id"] == "obs-one"
        assert lines["tags"] == "docs done"
        assert lines["pinned"] == "yes: always injected"
        assert lines["last"] == "recalled  2026-03-02 12:00"
        assert lines["sources"] == "session:abc#4"
        assert lines["mood"] == '{"calm":true}'
        assert "muted" not in lines
        facts = str(pilot.app.screen.query_one("#page-heading", Static).content)
        assert facts.replace("\u00a0", " ").endswith("pinned · done")


async def test_one_that_was_removed_says_so(one: Path) -> None:
    async with app_on(one).run_test(size=NARROW) as pilot:
        await settled(pilot)
        (one / "issue-3.json").unlink()
        memory = browse(pilot)._memory
        assert memory is not None
        memory.refresh()
        await press(pilot, "enter")
        assert len(pilot.app.screen_stack) == 2
        said = str(pilot.app.screen.query_one("#page-fields", Static).content)
        assert said == "This memory is no longer in the store."
        await press(pilot, "escape", "ctrl+r")
        assert len(pilot.app.screen_stack) == 1
