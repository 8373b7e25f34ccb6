"""Activity: what happened, as it happens; a past injection again; how capture is doing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.reports.activity import ActivityList, ActivityScreen
from memtui.tui.widgets.text_pane import TextPane
from store.errors import StoreError
from tests.flows.stage import (
    NOW,
    SIZES,
    Looks,
    Opening,
    open_at,
    press,
    running,
    settled,
    under_cursor,
)
from tests.flows.stories import eventful, failing, happened, toasts

pytestmark = pytest.mark.usefixtures("still")


async def test_hooks_failing(tmp_path: Path, looks: Looks) -> None:
    async with running(failing(tmp_path)) as pilot:
        await press(pilot, "A")
        assert await looks(pilot)


def entries(pilot: Pilot[None]) -> ActivityList:
    assert isinstance(pilot.app.screen, ActivityScreen)
    return pilot.app.screen.query_one(ActivityList)


def details(pilot: Pilot[None]) -> str:
    return pilot.app.screen.query_one(TextPane).text


async def test_it_follows_the_log(tmp_path: Path, looks: Looks) -> None:
    folder = eventful(tmp_path)
    async with running(folder) as pilot:
        await press(pilot, "A")
        assert await looks(pilot, "activity", SIZES)
        await press(pilot, "j", "enter")
        assert await looks(pilot, "injection_replayed", SIZES)
        await press(pilot, "escape", "g")
        happened(folder, "captured", NOW, agent="codex", count=0)
        await press(pilot, "ctrl+r")
        assert under_cursor(entries(pilot)).agent == "codex"
        assert "Nothing to capture" in details(pilot)
        await press(pilot, "j", "j")
        at = under_cursor(entries(pilot))
        happened(folder, "stored", NOW, agent="codex", issueNumber=7, count=1, observationIds=["x"])
        happened(folder, "captured", NOW, agent="codex", count=1)
        await press(pilot, "ctrl+r")
        assert (entries(pilot).cursor, under_cursor(entries(pilot))) == (4, at)
        await press(pilot, "g", "j")
        assert "x is no longer in the store" in details(pilot)


async def test_what_a_capture_left_and_passed_over_is_told(nothing: Path) -> None:
    with open_at(nothing) as memory:
        told = [
            {"role": "user", "content": "Always run the migrations in one transaction."},
            {"role": "assistant", "content": "We decided to use SQLite for the queue."},
        ]
        memory.capture.apply(memory.capture.plan([json.dumps(told).encode()], issue=7, environ={}))
        text = memory.recall.plan()
        memory.recall.inject(text, afresh=True, about=["queue", "jobs"])
    async with running(nothing) as pilot:
        await press(pilot, "A", "j")
        assert under_cursor(entries(pilot)).kind == "captured"
        assert "Always run the migrations" in details(pilot)
        assert "#7" in details(pilot)
        await press(pilot, "k")
        shown = " ".join(details(pilot).split())
        assert "in a new context" in shown
        assert "about jobs, queue" in shown
        assert "True" not in shown


def _locked(issues: Iterable[int]) -> bool:
    raise StoreError("The [b]manifest[/b] is locked.")


async def test_what_fails_while_memory_goes_on_is_told_and_listed(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = Opening()
    async with running(sample, opening=opening) as pilot:
        monkeypatch.setattr(opening.memory.backend, "settle", _locked)
        opening.memory.index.settle()
        await settled(pilot)
        assert toasts(pilot) == ["The [b]manifest[/b] is locked. The next write fixes it."]
        await press(pilot, "A")
        assert under_cursor(entries(pilot)).kind == "warning"
        assert "The [b]manifest[/b] is locked." in details(pilot)
