"""Tending memory from the app: select, change, write, copy, export, and take it all back."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.editing.editor import RunEditor
from memtui.tui.browse.results import ResultList
from memtui.tui.dialogs.prompt import ConfirmScreen, PromptScreen
from memtui.tui.editing.controller import EditorWindow, WriteScreen
from memtui.tui.widgets.panes import StatusLine
from store import Memory, Observation
from store.errors import WriteFailed
from store.operations.apply import Applied
from store.operations.plan import GoesOn, Plan
from tests.flows.stage import (
    NARROW,
    NORMAL,
    SIZES,
    Compare,
    Run,
    app_on,
    at_home,
    browse,
    open_at,
    press,
    settled,
    swap,
    write,
)
from tests.flows.stories import toasts

Say = Callable[[str], str]
pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def garden(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two issues of the demo, to be changed; home and working folder are the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "memory"
    folder.mkdir()
    for name in ("issue-176.json", "issue-181.json"):
        shutil.copy(sample / name, folder)
    return folder


ALL = 38
"""The observations of the garden."""


def rows(pilot: Pilot[None]) -> ResultList:
    return browse(pilot).query_one(ResultList)


def standing(folder: Path, identifier: str) -> Observation:
    with open_at(folder, "other") as memory:
        return memory.get(identifier)


def first_ids(pilot: Pilot[None], number: int) -> list[str]:
    return [hit.entry.id for hit in rows(pilot).rows[:number]]


async def name_file(pilot: Pilot[None], path: str) -> None:
    pilot.app.screen.query_one(Input).value = path
    await settled(pilot)
    await press(pilot, "enter")


def editing(*changes: Say, code: int = 0) -> RunEditor:
    """An editor that changes the text as told, one change each time it is run."""
    left = list(changes)

    def run(command: Sequence[str], path: Path) -> int:
        path.write_text(left.pop(0)(path.read_text()))
        return code

    return run


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "pen")


# Selecting


async def test_space_selects_and_escape_clears_that_first(garden: Path) -> None:
    async with app_on(garden).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await write(pilot, "page")
        await press(pilot, "escape", "space", "space", "j", "space")
        assert [rows(pilot).rows.index(hit) for hit in rows(pilot).selection] == [0, 1, 3]
        assert rows(pilot).cursor == 4
        await press(pilot, "k", "space")
        assert len(rows(pilot).selection) == 2
        await press(pilot, "escape")
        assert (rows(pilot).selection, browse(pilot).query_line) == ((), "page")
        await press(pilot, "escape")
        assert browse(pilot).query_line == ""


# Changing


async def test_pin_and_mute_act_on_the_selection_and_go_back(garden: Path) -> None:
    async with app_on(garden).run_test(size=NARROW) as pilot:
        await settled(pilot)
        one, two = first_ids(pilot, 2)
        await press(pilot, "space", "space", "p")
        assert standing(garden, one).pinned and standing(garden, two).pinned
        assert rows(pilot).selection == ()
        await press(pilot, "g", "p", "j", "m")
        assert not standing(garden, one).pinned
        assert standing(garden, two).muted
        await press(pilot, "g", "space", "space", "m")
        assert standing(garden, one).muted
        await press(pilot, *"uuuu")
        assert not standing(garden, one).pinned and not standing(garden, two).pinned
        assert not standing(garden, two).muted


async def test_tags_are_added_and_removed_for_the_selection(garden: Path) -> None:
    async with app_on(garden).run_test(size=NORMAL) as pilot:
        await settled(pilot)
        one, two = first_ids(pilot, 2)
        before = standing(garden, one).tags, standing(garden, two).tags
        await press(pilot, "space", "space", "T", *"urgent", "comma", *"#ui", "enter")
        assert [set(standing(garden, each).tags) for each in (one, two)] == [
            {*tags, "urgent", "ui"} for tags in before
        ]
        await press(pilot, "g", "space", "space", "T")
        box = pilot.app.screen.query_one(Input)
        assert box.value == "scan urgent ui "
        box.value = "scan ui"
        await press(pilot, "enter")
        assert "urgent" not in standing(garden, one).tags
        await press(pilot, "u", "u")
        assert (standing(garden, one).tags, standing(garden, two).tags) == before


async def test_one_is_archived_at_once_several_after_a_preview(garden: Path) -> None:
    async with app_on(garden).run_test(size=NARROW) as pilot:
        await settled(pilot)
        ids = first_ids(pilot, 3)
        await press(pilot, "a")
        assert standing(garden, ids[0]).archived
        assert rows(pilot).total == ALL - 1
        await press(pilot, "g", "space", "space", "a")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        assert rows(pilot).total == ALL - 3
        await write(pilot, "is:archived")
        archived = rows(pilot).total
        await press(pilot, "escape", "a")
        assert rows(pilot).total == archived - 1
        await press(pilot, *"uuu")
        assert not any(standing(garden, identifier).archived for identifier in ids)


async def test_what_is_deleted_comes_back(garden: Path) -> None:
    async with app_on(garden).run_test(size=NARROW) as pilot:
        await settled(pilot)
        before = (garden / "issue-181.json").read_bytes()
        await press(pilot, "d")
        await press(pilot, "escape")
        assert rows(pilot).total == ALL
        await press(pilot, "d")
        await press(pilot, "enter")
        assert rows(pilot).total == ALL - 1
        await press(pilot, "u")
        assert rows(pilot).total == ALL

        def kept(data: bytes) -> list[str]:
            return sorted(map(json.dumps, json.loads(data)["observations"]))

        assert kept((garden / "issue-181.json").read_bytes()) == kept(before)


async def test_keys_wait_for_the_question_that_is_being_prepared(garden: Path) -> None:
    asked, answered = Event(), Event()

    def opening(path: Path) -> Memory:
        memory = open_at(path)
        plan_remove = memory.plan.remove

        def slowly(identifiers: str | Sequence[str]) -> Plan:
            asked.set()
            assert answered.wait(timeout=20)
            return plan_remove(identifiers)

        swap(memory.plan, "remove", slowly)
        return memory

    async with app_on(garden, opening=opening).run_test(size=NARROW) as pilot:
        await settled(pilot)
        for key in ("d", "enter"):
            pilot.app.post_message(Key(key, key))
        assert await asyncio.to_thread(asked.wait, 20)
        await pilot.pause(0)
        assert at_home(pilot)
        answered.set()
        await settled(pilot)
        assert at_home(pilot)
        assert rows(pilot).total == ALL - 1


# Writing


async def test_an_edit_is_an_operation(garden: Path, editor: None) -> None:
    app = app_on(garden, run_editor=editing(lambda text: text.replace("task", "lesson")))
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        (one,) = first_ids(pilot, 1)
        await press(pilot, "e")
        assert standing(garden, one).category == "lesson"
        await press(pilot, "u")
        assert standing(garden, one).category == "task"
    assert not list(garden.parent.rglob("drafts/*"))


async def test_what_is_refused_is_kept_and_can_be_mended(garden: Path, editor: None) -> None:
    run = editing(
        lambda text: text.replace("issue: 181", "issue: many"),
        lambda text: text.replace("issue: many", "issue: 181") + "More words.\n",
    )
    async with app_on(garden, run_editor=run).run_test(size=NARROW) as pilot:
        await settled(pilot)
        (one,) = first_ids(pilot, 1)
        await press(pilot, "e")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        (draft,) = garden.parent.rglob("drafts/*")
        assert "issue: many" in draft.read_text()
        await press(pilot, "enter")
        assert standing(garden, one).content.endswith("More words.")
        assert not draft.exists()


async def test_a_change_beneath_an_edit_is_not_overwritten(garden: Path, editor: None) -> None:
    def meanwhile(text: str) -> str:
        with open_at(garden, "other") as memory:
            memory.apply(memory.plan.edit(ids[0], {"content": "Theirs."}))
        return f"{text}Mine."

    ids: list[str] = []
    async with app_on(garden, run_editor=editing(meanwhile)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        ids += first_ids(pilot, 1)
        await press(pilot, "e")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert standing(garden, ids[0]).content == "Theirs."


def _full(plan: Plan, goes_on: GoesOn | None = None) -> Applied:
    raise WriteFailed("The disk is full.", "Make room.")


async def test_a_text_that_cant_be_written_is_kept(garden: Path, editor: None) -> None:
    def opening(path: Path) -> Memory:
        memory = open_at(path)
        swap(memory, "apply", _full)
        return memory

    run = editing(lambda text: f"{text}Mine.")
    async with app_on(garden, opening=opening, run_editor=run).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "e")
        (draft,) = garden.parent.rglob("drafts/*")
        assert draft.read_text().endswith("Mine.")


async def test_without_an_editor_one_writes_here(garden: Path) -> None:
    async with app_on(garden).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await write(pilot, "agent:tester category:lesson issue:7")
        await press(pilot, "escape", "n", "ctrl+s")
        assert isinstance(pilot.app.screen, WriteScreen)
        said = pilot.app.screen.query_one("#refused", StatusLine)
        assert said.display and "content is empty" in str(said.content)
        desk = pilot.app.screen.query_one(EditorWindow)
        assert str(desk.border_title).endswith("]0 of 2,000 characters")
        pilot.app.screen.query_one(TextArea).insert("Clocks drift.")
        await settled(pilot)
        assert str(desk.border_title).endswith("]13 of 2,000 characters")
        await press(pilot, "ctrl+s")
        assert at_home(pilot)
        (found,) = (hit.entry for hit in rows(pilot).rows)
        assert (found.agent, found.category, found.issue_number) == ("tester", "lesson", 7)
        assert found.summary == "Clocks drift."
        await press(pilot, "u")
        assert rows(pilot).total == 0


async def test_leaving_what_one_wrote_keeps_a_draft(garden: Path) -> None:
    async with app_on(garden).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "n", "escape")
        assert not list(garden.parent.rglob("drafts/*"))
        await press(pilot, "n")
        pilot.app.screen.query_one(TextArea).insert("Half a thought")
        await press(pilot, "escape")
        (draft,) = garden.parent.rglob("drafts/*")
        assert "Half a thought" in draft.read_text()


# Giving out


async def test_copies_go_to_the_terminal(garden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, copied = app_on(garden), list[str]()
    monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        one, two = first_ids(pilot, 2)
        await press(pilot, "y", "t", "y", "j", "enter")
        assert copied == [standing(garden, one).content, one]
        await press(pilot, "space", "space", "y", "b")
        assert copied[2].startswith("## Memory Recall")
        await press(pilot, "y", "i")
        assert copied[3] == f"{one}\n{two}"


async def test_the_list_is_exported_and_nothing_overwritten_unasked(garden: Path) -> None:
    target = garden.parent / "memtui-2026-03-02.jsonl"
    target.write_text("mine")
    async with app_on(garden).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await write(pilot, "agent:tester")
        await press(pilot, "escape", "x", "enter")
        assert target.read_text() == "mine"
        await press(pilot, "enter")
        assert len(target.read_text().splitlines()) == rows(pilot).total == 6
        await press(pilot, "space", "space", "x", "ctrl+t", "enter")
        assert (garden.parent / "memtui-2026-03-02.md").read_text().startswith("#")
        await press(pilot, "x")
        await name_file(pilot, "nowhere/out.md")
        said = pilot.app.screen.query_one("#prompt-problem", StatusLine)
        assert "The folder nowhere does not exist." in str(said.content)
        await name_file(pilot, "~nobody-here/out.md")
        assert "The folder ~nobody-here does not exist." in str(said.content)
        await name_file(pilot, "memory")
        assert isinstance(pilot.app.screen, PromptScreen)
        assert "memory is a folder." in str(said.content)
        await name_file(pilot, "a" * 300)
        assert "could not be written: File name too long." in toasts(pilot)[-1]


# Pictures


def after(*keys: str, query: str = "", typed: str = "") -> Run:
    """A flow: a query, some keys one by one, and words where one then writes."""

    async def flow(pilot: Pilot[None]) -> None:
        await settled(pilot)
        if query:
            await write(pilot, query)
            await press(pilot, "escape")
        for key in keys:
            await press(pilot, key)
        if typed:
            pilot.app.screen.query_one(TextArea).insert(typed)
            await settled(pilot)

    return flow


@SIZES
def test_edit(snap_compare: Compare, garden: Path) -> None:
    flow = after("j", "e")
    assert snap_compare(app_on(garden), run_before=flow)


@SIZES
def test_new(snap_compare: Compare, garden: Path) -> None:
    flow = after("n", query="agent:tester category:lesson issue:181", typed="Clocks drift.")
    assert snap_compare(app_on(garden), run_before=flow)


@SIZES
def test_delete(snap_compare: Compare, garden: Path) -> None:
    flow = after("space", "space", "d")
    assert snap_compare(app_on(garden), run_before=flow)


def test_deletion_undone(snap_compare: Compare, garden: Path) -> None:
    flow = after("space", "space", "d", "enter", "u")
    assert snap_compare(app_on(garden), terminal_size=NORMAL, run_before=flow)


@SIZES
def test_export(snap_compare: Compare, garden: Path) -> None:
    (garden.parent / "memtui-2026-03-02.md").write_text("mine")
    flow = after("x", "ctrl+t", "enter", query="agent:tester")
    assert snap_compare(app_on(garden), run_before=flow)
