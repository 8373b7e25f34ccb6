"""The app follows the files: new observations, hand edits, files that break, memory that goes."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from memtui.tui.injection.candidates import CandidateList
from memtui.tui.injection.screen import InjectionScreen
from memtui.tui.memory.pane import ObservationView
from memtui.tui.reports.stats import StatsScreen
from memtui.tui.widgets.title_bar import TitleBar
from store import Memory, Observation
from store.errors import StoreError
from store.search.seen import Progress
from tests.flows.stage import (
    NORMAL,
    NOW,
    Opening,
    app_on,
    browse,
    fill,
    open_at,
    press,
    rows,
    running,
    settled,
    write,
)

pytestmark = pytest.mark.usefixtures("still")


def note(number: int, content: str = "") -> Observation:
    return Observation(
        agent="engineer",
        issue_number=5,
        category="key-fact",
        content=content or f"Fact {number} about the queue.",
        id=f"obs-{number:03}",
        timestamp=NOW - timedelta(hours=200 - number),
    )


def shown(pilot: Pilot[None]) -> list[str]:
    return [hit.entry.id for hit in rows(pilot).rows]


def notice(pilot: Pilot[None]) -> str:
    line = browse(pilot).query_one("#notice", Static)
    return str(line.content) if line.display else ""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return fill(tmp_path / "memory", [note(number) for number in range(150)])


async def test_the_files_are_followed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_more(*numbers: int) -> None:
        with open_at(store, "other") as other:
            other.store([note(number) for number in numbers])

    opening = Opening()
    async with running(store, opening=opening) as pilot:
        # What is new is seen from the first row.
        first = rows(pilot).at
        write_more(190)
        await press(pilot, "ctrl+r")
        assert (rows(pilot).cursor, rows(pilot).at, rows(pilot).scroll_offset.y) == (1, first, 0)

        # Elsewhere the selection stays where it is.
        await press(pilot, *"jjj")
        selected, line = rows(pilot).at, rows(pilot).cursor - rows(pilot).scroll_offset.y
        write_more(*range(191, 197))
        await press(pilot, "ctrl+r")
        assert shown(pilot)[0] == "obs-196"
        assert rows(pilot).at is not None and selected is not None
        assert rows(pilot).at.entry.id == selected.entry.id  # type: ignore[union-attr]
        assert rows(pilot).cursor - rows(pilot).scroll_offset.y == line
        assert "6 new above" in str(results_frame(pilot).border_subtitle)
        await press(pilot, "g")
        assert "new above" not in str(results_frame(pilot).border_subtitle)
        assert browse(pilot).query_one(TitleBar).fact.startswith("157 memories")

        # A file that breaks is named, and the rest shown.
        assert notice(pilot) == ""
        (store / "issue-6.json").write_text("{")
        await press(pilot, "ctrl+r")
        assert notice(pilot).startswith("issue-6.json can't be read in full")
        assert rows(pilot).total == 157
        (store / "issue-6.json").unlink()
        await press(pilot, "ctrl+r")
        assert notice(pilot) == ""

        # Failures are told, and the app stays.
        with monkeypatch.context() as failing:
            failing.setattr(opening.memory.index, "refresh", _gone)
            await press(pilot, "ctrl+r")
            assert notice(pilot) == "The disk is gone. Plug it in."
            await write(pilot, "fact 12")
            assert rows(pilot).total > 0
        await press(pilot, "ctrl+r")
        assert notice(pilot) == ""
        await press(pilot, "escape", "escape")

        # The store may vanish and come back.
        aside = store.with_name("aside")
        shutil.move(store, aside)
        await press(pilot, "ctrl+r")
        assert rows(pilot).total == 0
        shutil.move(aside, store)
        await press(pilot, "ctrl+r")
        assert rows(pilot).total == 157

        # The injection preview follows, too.
        await press(pilot, "i")
        screen = cast(InjectionScreen, pilot.app.screen)
        before = len(screen.recall.candidates) if screen.recall is not None else 0
        write_more(197)
        await pilot.app.run_action("look")
        await settled(pilot)
        assert screen.recall is not None
        assert len(screen.recall.candidates) == before + 1
        assert screen.query_one(CandidateList).rows[0].id == "obs-197"
        await press(pilot, "escape")

        # Hand edits and removals are seen.
        file = store / "issue-5.json"
        record = json.loads(file.read_text())
        record["observations"] = [
            {**entry, "content": "Edited by hand.", "summary": "Edited by hand."}
            for entry in record["observations"]
            if entry["id"] == "obs-149"
        ]
        file.write_text(json.dumps(record))
        await press(pilot, "ctrl+r")
        assert shown(pilot) == ["obs-149"]
        view = browse(pilot).query_one(ObservationView)
        assert "Edited by hand." in view.text


async def test_the_app_looks_by_itself(store: Path) -> None:
    async with app_on(store, refresh_every=0.02).run_test(size=NORMAL) as pilot:
        while not rows(pilot).row_count:
            await pilot.pause(0)
        with open_at(store, "other") as other:
            other.store([note(199)])
        for _ in range(200):
            await pilot.pause(0.02)
            if rows(pilot).row_count and shown(pilot)[0] == "obs-199":
                break
        assert shown(pilot)[0] == "obs-199"


def _gone(progress: Progress | None = None) -> bool:
    raise StoreError("The disk is gone.", "Plug it in.")


async def test_keys_that_come_before_memory_is_open_are_kept(store: Path) -> None:
    go_on = Event()

    def slowly(path: Path) -> Memory:
        go_on.wait(60)
        return open_at(path)

    async with app_on(store, opening=slowly).run_test(size=NORMAL) as pilot:
        await pilot.pause(0)
        pilot.app.post_message(Key("j", "j"))
        pilot.app.post_message(Key("s", "s"))
        await pilot.pause(0)
        go_on.set()
        await settled(pilot)
        assert isinstance(pilot.app.screen, StatsScreen)
        assert rows(pilot).cursor == 1


def results_frame(pilot: Pilot[None]) -> Widget:
    return pilot.app.screen.query_one("#results-frame")
