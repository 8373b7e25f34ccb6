"""Operations: in turn, away from the screen, told in a toast; the selected row stays."""

from __future__ import annotations

import asyncio
import errno
from contextlib import AbstractContextManager
from datetime import timedelta
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key
from textual.pilot import Pilot

from memtui.tui.browse.results import ResultList
from memtui.tui.dialogs.plan import PlanScreen
from memtui.tui.frame import operations, type_ahead
from memtui.tui.frame.operations import PreviewPlan, Proposal, RunOperation, undo
from memtui.tui.widgets.paragraphs import Paragraphs
from memtui.words.sentences import title
from store import Memory, open_memory
from store.action import Action
from store.backends.issue_records import IssueRecords, Lookup
from store.errors import ReadOnly
from store.model import Location
from store.notice import notice
from store.operations.apply import Applied
from store.operations.plan import Change, GoesOn, Plan
from tests.flows.stage import (
    NORMAL,
    NOW,
    Opening,
    app_on,
    browse,
    fill,
    open_at,
    press,
    send,
    settled,
    swap,
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


def rows(pilot: Pilot[None]) -> ResultList:
    return browse(pilot).query_one(ResultList)


def selected(pilot: Pilot[None]) -> str:
    hit = rows(pilot).hit
    assert hit is not None
    return hit.entry.id


def archiving(*ids: str) -> RunOperation:
    return RunOperation(lambda memory: memory.apply(memory.plan.archive(ids)))


async def test_operations_are_done_in_the_order_they_were_asked_for(store: Path) -> None:
    async with app_on(store, opening=ticking).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "j", "j", "j")
        at = selected(pilot)
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
        assert selected(pilot) == at
        assert len(rows(pilot).hits) == 6


async def test_what_an_operation_found_wrong_is_told_beside_what_it_did(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        manifest = store / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"summary": "', '"summary": "Altered: '))
        await press(pilot, "a")
        warned, archived = sorted(toasts(pilot), reverse=True)
        assert warned.startswith("Memory manifest rebuilt from issue files")
        assert archived.startswith("Archived 1 memory")
        await press(pilot, "u")
        assert [it for it in toasts(pilot) if it == warned] == [warned]


async def test_undo_works_from_the_search_box(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        browse(pilot).post_message(archiving(IDS[0]))
        await press(pilot, "slash", "u", "ctrl+z")
        assert toasts(pilot)[-1] == "Undone: archive 1 memory · ^y to redo"
        assert browse(pilot).query_line == "u"


async def test_what_was_not_done_here_is_shown_before_it_is_taken_back(store: Path) -> None:
    with open_at(store) as memory:
        memory.apply(memory.plan.archive(IDS[:2]))
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "u")
        assert isinstance(pilot.app.screen, PlanScreen)
        assert (len(rows(pilot).hits), toasts(pilot)) == (5, [])
        await press(pilot, "enter")
        assert (len(rows(pilot).hits), toasts(pilot)) == (
            7,
            ["Undone: archive 2 memories · U to redo"],
        )


async def test_after_a_change_without_an_undo_the_one_before_is_shown_first(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        browse(pilot).post_message(archiving(IDS[0]))
        browse(pilot).post_message(RunOperation(lambda _: Applied("", Action("capture"), 3)))
        await settled(pilot)
        await press(pilot, "u")
        assert isinstance(pilot.app.screen, PlanScreen)
        await press(pilot, "escape")
        assert len(rows(pilot).hits) == 6


async def test_a_plan_is_shown_and_left(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        browse(pilot).post_message(
            PreviewPlan(lambda memory: Proposal.of(memory.plan.remove(IDS[0])))
        )
        await settled(pilot)
        assert isinstance(pilot.app.screen, PlanScreen)
        await press(pilot, "u", "escape")
        assert (len(rows(pilot).hits), toasts(pilot)) == (7, [])
        browse(pilot).post_message(
            PreviewPlan(lambda memory: Proposal.of(memory.plan.remove(IDS[0])))
        )
        await settled(pilot)
        await press(pilot, "enter")
        assert (len(rows(pilot).hits), toasts(pilot)) == (
            6,
            ["Deleted 1 memory · u to undo"],
        )


async def test_what_undoes_it_is_the_key_that_was_chosen(store: Path) -> None:
    (store.parent / "memtui.toml").write_text('keymap.undo = "f8"\n')
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        browse(pilot).post_message(archiving(IDS[0]))
        await settled(pilot)
        assert toasts(pilot) == ["Archived 1 memory · f8 to undo"]
        await press(pilot, "f8")
        assert toasts(pilot)[-1].startswith("Undone")


async def test_what_undoes_it_is_a_key_that_does_so_where_one_types(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "slash")
        browse(pilot).post_message(archiving(IDS[0]))
        await settled(pilot)
        assert toasts(pilot) == ["Archived 1 memory · ^z to undo"]


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
                    goes_on.wait(10)
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


async def test_how_far_a_long_undo_is_is_told(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In issues: its plan is read only while it is carried out."""
    monkeypatch.setattr(operations, "_PATIENCE", 0.01)
    monkeypatch.setattr(operations, "_NEWS", 0.01)
    goes_on, calls = Event(), 0
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        browse(pilot).post_message(archiving(*IDS[:3]))
        await settled(pilot)
        memory = app.context.memory
        changing = memory.backend.changing

        def slow(issue: int, lookup: Lookup | None = None) -> AbstractContextManager[IssueRecords]:
            nonlocal calls
            calls += 1
            if calls == 2:
                goes_on.wait(10)
            return changing(issue, lookup)

        monkeypatch.setattr(memory.backend, "changing", slow)
        send(pilot, "u")
        of = len({it.issue_number for it in observations()[:3]})
        while not (toasts(pilot) and toasts(pilot)[-1].startswith("Undoing")):
            await pilot.pause(0.01)
        assert toasts(pilot)[-1] == f"Undoing 1 of {of} issues…"
        goes_on.set()
        await settled(pilot)
        assert toasts(pilot)[-1].startswith("Undone: archive 3 memories")


@pytest.mark.parametrize("stands", [False, True])
async def test_a_plan_that_takes_long_is_told_and_what_is_typed_meanwhile_does_not_apply_it(
    store: Path, monkeypatch: pytest.MonkeyPatch, stands: bool
) -> None:
    """Neither what came while the preview was made, nor right as it came."""
    monkeypatch.setattr(operations, "_PATIENCE", 0.01)
    monkeypatch.setattr(type_ahead, "_GLANCE", 0.01)
    goes_on = Event()
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)

        def slow(memory: Memory) -> Proposal | None:
            goes_on.wait(10)
            return Proposal.of(memory.plan.archive(IDS[0]))

        browse(pilot).post_message(PreviewPlan(slow))
        while not toasts(pilot):
            await pilot.pause(0.01)
        assert toasts(pilot) == ["Preparing the preview…"]
        if not stands:
            app.post_message(Key("enter", None))
        goes_on.set()
        while not isinstance(app.screen, PlanScreen):
            await asyncio.sleep(0)
        if stands:
            app.post_message(Key("enter", None))
        await settled(pilot)
        assert isinstance(app.screen, PlanScreen)
        assert not toasts(pilot), "nothing stands over the plan"
        monkeypatch.setattr(operations, "_PATIENCE", 60.0)
        await press(pilot, "enter")
        assert toasts(pilot)[-1].startswith("Archived 1 memory")


async def test_a_plan_without_anything_to_do_is_told(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        browse(pilot).post_message(PreviewPlan(lambda memory: Proposal.of(Plan(Action("edit")))))
        await settled(pilot)
        assert toasts(pilot) == ["Nothing to do."]


async def test_a_plan_that_cannot_be_made_is_told(store: Path) -> None:
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        gone = PreviewPlan(lambda memory: Proposal.of(memory.plan.remove("obs-gone")))
        browse(pilot).post_message(gone)
        await settled(pilot)
        assert toasts(pilot)[0].startswith("No memory has an id")
        browse(pilot).post_message(
            PreviewPlan(lambda memory: Proposal.of(memory.plan.remove(IDS[0])))
        )
        await settled(pilot)
        assert isinstance(pilot.app.screen, PlanScreen)


async def test_a_store_that_cannot_be_written_is_named(store: Path) -> None:
    def refused(plan: Plan, goes_on: GoesOn | None = None) -> Applied:
        gate = store / ".lock"
        try:
            raise PermissionError(errno.EACCES, "Permission denied", str(gate))
        except OSError as error:
            raise ReadOnly(".lock could not be written.", "Check the permissions.") from error

    opening = Opening()
    async with app_on(store, opening=opening).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        swap(opening.memory, "apply", refused)
        browse(pilot).post_message(archiving(IDS[0]))
        await settled(pilot)
        assert toasts(pilot) == [
            f"The memory in {store} can't be written: its permissions forbid it. "
            "You can still search and view it."
        ]


async def test_what_was_left_is_told(store: Path) -> None:
    left = tuple(notice("changed-since", what=f"obs-{number}") for number in range(4))
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        applied = Applied("20260302T120000000-abcd", Action("archive"), 1, left)
        browse(pilot).post_message(RunOperation(lambda _: applied, describe=lambda _: "Tidied up"))
        await settled(pilot)
        assert toasts(pilot) == [
            "Tidied up · u to undo\n"
            "1 change made, 4 left:\n"
            "obs-0 has changed since; left unchanged.\n"
            "obs-1 has changed since; left unchanged.\n"
            "and 2 more."
        ]


async def test_a_long_plan_is_shown_by_its_beginning(store: Path) -> None:
    changes = tuple(
        Change(Location.ISSUE, 29, f"a-{number}.", None, {"summary": "Chose files."})
        for number in range(1_000)
    )
    async with app_on(store).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        long = Proposal(Plan(Action("add"), changes), 1_000, lambda memory: memory.undo())
        browse(pilot).post_message(PreviewPlan(lambda _: long))
        await settled(pilot)
        shown = str(pilot.app.screen.query_one(Paragraphs).content)
        assert "a-199. " in shown
        assert "a-200. " not in shown
        assert "… and 800 more" in shown


async def test_what_was_taken_back_is_done_again(store: Path) -> None:
    async with app_on(store, opening=ticking).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        for asked in (archiving(*IDS[:2]), archiving(IDS[4])):
            browse(pilot).post_message(asked)
        await press(pilot, "u", "u")
        assert toasts(pilot)[-1] == "Undone: archive 2 memories · U to redo"
        await press(pilot, "U")
        assert toasts(pilot)[-1] == "Redone: archive 2 memories · u to undo"
        await press(pilot, "slash", "ctrl+y")
        assert toasts(pilot)[-1] == "Redone: archive 1 memory · ^z to undo"
        assert len(rows(pilot).hits) == 4
        await press(pilot, "ctrl+y")
        assert toasts(pilot)[-1].startswith("Nothing to redo.")


async def test_after_another_change_a_redo_is_shown_first(store: Path) -> None:
    async with app_on(store, opening=ticking).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        browse(pilot).post_message(archiving(*IDS[:2]))
        await press(pilot, "u")
        browse(pilot).post_message(archiving(IDS[4]))
        await press(pilot, "U")
        assert isinstance(pilot.app.screen, PlanScreen)
        await press(pilot, "enter")
        assert toasts(pilot)[-1] == "Redone: archive 2 memories · u to undo"
        await press(pilot, "u")
        assert toasts(pilot)[-1] == "Undone: archive 2 memories · U to redo"
