"""Operations: in turn, away from the screen, told in a toast; the selected row stays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key
from textual.pilot import Pilot

from memtui.tui import operations
from memtui.tui.dialogs.prompt import ConfirmScreen
from memtui.tui.frame import type_ahead
from memtui.tui.operations import PreviewPlan, Proposal, RunOperation, undo
from memtui.words.sentences import title
from store import Memory, open_memory
from store.backends.issue_records import IssueRecords, Lookup
from tests.flows.stage import (
    NORMAL,
    NOW,
    app_on,
    browse,
    fill,
    open_at,
    press,
    rows,
    running,
    settled,
)
from tests.flows.stories import observations, toasts

pytestmark = pytest.mark.usefixtures("still")

IDS = [item.id for item in observations()]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return fill(tmp_path / "memory", observations())


def ticking(path: Path) -> Memory:
    """A memory whose clock goes on by a second each time it is looked at."""
    seconds = count()
    return open_memory(
        path,
        cache=path.parent / "cache",
        clock=lambda: NOW + timedelta(seconds=next(seconds)),
    )


def selected(pilot: Pilot[None]) -> str:
    hit = rows(pilot).at
    assert hit is not None
    return hit.entry.id


def archiving(*ids: str) -> RunOperation:
    return RunOperation(lambda memory: memory.apply(memory.plan.archive(ids)))


async def test_operations_are_done_in_the_order_they_were_asked_for(store: Path) -> None:
    async with running(store, opening=ticking) as pilot:
        await press(pilot, "j", "j", "j")
        for asked in (archiving(*IDS[:2]), undo(), archiving(IDS[4]), archiving(IDS[5])):
            browse(pilot).post_message(asked)
        await press(pilot, "u")
        with open_at(store) as memory:
            titles = [
                title(operation.action) for operation in reversed(memory.history.operations())
            ]
        assert titles == [
            "Archive 2 memories",
            "Undo: archive 2 memories",
            "Archive 1 memory",
            "Archive 1 memory",
            "Undo: archive 1 memory",
        ]
        assert toasts(pilot) == ["Undone: archive 1 memory · U to redo"]
        assert selected(pilot) == IDS[5]
        assert len(rows(pilot).rows) == 6


async def test_what_was_not_done_here_is_shown_before_it_is_taken_back(store: Path) -> None:
    with open_at(store) as memory:
        memory.apply(memory.plan.archive(IDS[:2]))
    async with running(store) as pilot:
        await press(pilot, "u")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert (len(rows(pilot).rows), toasts(pilot)) == (5, [])
        await press(pilot, "enter")
        assert (len(rows(pilot).rows), toasts(pilot)) == (
            7,
            ["Undone: archive 2 memories · U to redo"],
        )


async def test_how_far_a_long_operation_is_is_told(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memories, of those that the plan touches; a record moves by two changes."""
    monkeypatch.setattr(operations, "_PATIENCE", 0.01)
    monkeypatch.setattr(operations, "_NEWS", 0.01)
    goes_on, issues = Event(), {it.issue_number for it in observations()[:3]}
    assert len(issues) > 1
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)

        def slow(memory: Memory) -> Proposal | None:
            proposal = Proposal.of(memory.plan.archive(IDS[:3]))
            assert proposal is not None
            told = memory.backend.changing

            def changing(
                issue: int, lookup: Lookup | None = None
            ) -> AbstractContextManager[IssueRecords]:
                if proposal.how_far():
                    goes_on.wait(60)
                return told(issue, lookup)

            monkeypatch.setattr(memory.backend, "changing", changing)
            return proposal

        browse(pilot).post_message(PreviewPlan(slow))
        await settled(pilot)
        monkeypatch.setattr(type_ahead, "_GLANCE", 0.0)
        app.screen.dismiss(True)
        while not (toasts(pilot) and toasts(pilot)[-1].startswith("Archiving")):
            await pilot.pause(0.01)
        assert toasts(pilot)[-1] in {f"Archiving {n} of 3 memories…" for n in (1, 2)}
        goes_on.set()
        await settled(pilot)
        assert toasts(pilot)[-1].startswith("Archived 3 memories")


@pytest.mark.parametrize("stands", [False, True])
async def test_a_plan_that_takes_long_is_told_and_what_is_typed_meanwhile_does_not_apply_it(
    store: Path, monkeypatch: pytest.MonkeyPatch, stands: bool
) -> None:
    """Neither what came while the preview was made, nor right as it came."""
    monkeypatch.setattr(operations, "_PATIENCE", 0.01)
    goes_on = Event()
    app = app_on(store)
    set_timer, glances = app.set_timer, list[Callable[[], None]]()

    def timed(delay: float, callback: Callable[[], None]) -> object:
        """The glance at the preview ends when the test ends it."""
        if delay != type_ahead._GLANCE:
            return set_timer(delay, callback)
        glances.append(callback)
        return None

    monkeypatch.setattr(app, "set_timer", timed)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)

        def slow(memory: Memory) -> Proposal | None:
            goes_on.wait(60)
            return Proposal.of(memory.plan.archive(IDS[0]))

        browse(pilot).post_message(PreviewPlan(slow))
        while not toasts(pilot):
            await pilot.pause(0.01)
        assert toasts(pilot) == ["Preparing the preview…"]
        if not stands:
            app.post_message(Key("enter", None))
        goes_on.set()
        while not glances:
            await asyncio.sleep(0)
        if stands:
            app.post_message(Key("enter", None))
        while not app._waiting:
            await asyncio.sleep(0)
        while glances:  # again after each key
            glances.pop()()
        await settled(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        assert not toasts(pilot), "nothing stands over the plan"
        monkeypatch.setattr(operations, "_PATIENCE", 60.0)
        await press(pilot, "enter")
        assert toasts(pilot)[-1].startswith("Archived 1 memory")


async def test_what_was_taken_back_is_done_again(store: Path) -> None:
    async with running(store, opening=ticking) as pilot:
        for asked in (archiving(*IDS[:2]), archiving(IDS[4])):
            browse(pilot).post_message(asked)
        await press(pilot, "u", "u")
        assert toasts(pilot)[-1] == "Undone: archive 2 memories · U to redo"
        await press(pilot, "U")
        assert toasts(pilot)[-1] == "Redone: archive 2 memories · u to undo"
        await press(pilot, "slash", "ctrl+y")
        assert toasts(pilot)[-1] == "Redone: archive 1 memory · ^z to undo"
        assert len(rows(pilot).rows) == 4
        await press(pilot, "ctrl+y")
        assert toasts(pilot)[-1].startswith("Nothing to redo.")


async def test_what_an_undo_brings_back_is_under_the_cursor(store: Path) -> None:
    async with running(store) as pilot:
        for key in ("g", "j", "G"):  # the first, one within, the last
            await press(pilot, key)
            before = selected(pilot)
            await press(pilot, "a")
            assert selected(pilot) != before
            await press(pilot, "u")
            assert selected(pilot) == before
