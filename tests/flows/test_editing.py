"""Tending memory from the app: select, change, write, copy, export, and take it all back."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.editing.editor import RunEditor
from memtui.tui.dialogs.prompt import ConfirmScreen, PromptScreen
from memtui.tui.editing.controller import WriteScreen
from memtui.tui.widgets.panes import StatusLine, Window
from store import Memory, Observation
from store.backends.files.backend import FilesBackend
from store.errors import WriteFailed
from store.model import Location
from store.operations.apply import Applied
from store.operations.plan import GoesOn, Plan
from tests.flows.stage import (
    NARROW,
    SIZES,
    Looks,
    Opening,
    at_home,
    browse,
    open_at,
    press,
    rows,
    running,
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
    with open_at(folder) as memory:
        memory.index.settle()  # its manifest is written
    return folder


ALL = 38
"""The observations of the garden."""


def standing(folder: Path, identifier: str) -> Observation:
    backend = FilesBackend(folder)
    held = chain.from_iterable(backend.read(issue).held() for issue in backend.issues())
    found = next(it for it in held if it.observation and it.observation.id == identifier)
    assert found.observation is not None
    return found.observation._replace(archived=found.location is Location.ARCHIVE)


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


async def test_memories_are_selected_changed_and_taken_back(garden: Path, looks: Looks) -> None:
    async with running(garden) as pilot:
        before = (garden / "issue-181.json").read_bytes()
        ids = first_ids(pilot, 3)
        one, two, _ = ids
        await press(pilot, "space", "space", "d")
        assert await looks(pilot, "delete", SIZES)
        await press(pilot, "enter")
        assert rows(pilot).total == ALL - 2
        await press(pilot, "u")
        assert await looks(pilot, "deletion_undone")

        def kept(data: bytes) -> list[str]:
            return sorted(map(json.dumps, json.loads(data)["observations"]))

        assert kept((garden / "issue-181.json").read_bytes()) == kept(before)

        await press(pilot, "g", "space", "space", "p")
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

        tags = standing(garden, one).tags, standing(garden, two).tags
        await press(pilot, "g", "space", "space", "T", *"urgent", "comma", *"#ui", "enter")
        assert [set(standing(garden, each).tags) for each in (one, two)] == [
            {*own, "urgent", "ui"} for own in tags
        ]
        await press(pilot, "g", "space", "space", "T")
        box = pilot.app.screen.query_one(Input)
        assert box.value == "scan urgent ui "
        box.value = "scan ui"
        await press(pilot, "enter")
        assert "urgent" not in standing(garden, one).tags
        await press(pilot, "u", "u")
        assert (standing(garden, one).tags, standing(garden, two).tags) == tags

        await press(pilot, "g", "a")
        assert standing(garden, one).archived
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


async def test_tags_that_hold_separators_stay(garden: Path) -> None:
    held = ("scan", "two words", "a,b", "#1")
    async with running(garden) as pilot:
        (one,) = first_ids(pilot, 1)
        with Memory(garden) as memory:
            memory.apply(memory.plan.edit(one, {"tags": held}))
        await press(pilot, "ctrl+r", "g")
        await press(pilot, "T", "enter")
        assert standing(garden, one).tags == held
        await press(pilot, "T", *"new", "enter")
        assert standing(garden, one).tags == (*held, "new")


async def test_space_selects_and_escape_clears_that_first(pilot: Pilot[None]) -> None:
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

    async with running(garden, opening=opening) as pilot:
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


def _full(plan: Plan, goes_on: GoesOn | None = None) -> Applied:
    raise WriteFailed("The disk is full.", "Make room.")


async def test_an_edit_is_an_operation_and_no_text_is_lost(garden: Path, editor: None) -> None:
    def meanwhile(text: str) -> str:
        with open_at(garden, "other") as memory:
            memory.apply(memory.plan.edit(one, {"content": "Theirs."}))
        return f"{text}Mine."

    def drafts() -> list[Path]:
        return list(garden.parent.rglob("drafts/*"))

    opening = Opening()
    run = editing(
        lambda text: text.replace("task", "lesson"),
        lambda text: text.replace("issue: 181", "issue: many"),
        lambda text: text.replace("issue: many", "issue: 181") + "More words.\n",
        meanwhile,
        lambda text: f"{text}Mine.",
    )
    async with running(garden, opening=opening, run_editor=run, size=NARROW) as pilot:
        (one,) = first_ids(pilot, 1)
        await press(pilot, "e")
        assert standing(garden, one).category == "lesson"
        await press(pilot, "u")
        assert standing(garden, one).category == "task"
        assert not drafts()
        # What is refused is kept, and can be mended.
        await press(pilot, "g", "e")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        (draft,) = drafts()
        assert "issue: many" in draft.read_text()
        await press(pilot, "enter")
        assert standing(garden, one).content.endswith("More words.")
        assert not draft.exists()
        # A change beneath it is not overwritten.
        await press(pilot, "g", "e")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert standing(garden, one).content == "Theirs."
        await press(pilot, "escape")
        for draft in drafts():
            draft.unlink()
        swap(opening.memory, "apply", _full)
        await press(pilot, "g", "e")
        (draft,) = drafts()
        assert draft.read_text().endswith("Mine.")


async def test_without_an_editor_one_writes_here(garden: Path, looks: Looks) -> None:
    async with running(garden) as pilot:
        await press(pilot, "j", "e")
        assert await looks(pilot, "edit", SIZES)
        await press(pilot, "escape")
        assert not list(garden.parent.rglob("drafts/*"))
        await write(pilot, "agent:tester category:lesson issue:181")
        await press(pilot, "escape", "n", "ctrl+s")
        assert isinstance(pilot.app.screen, WriteScreen)
        said = pilot.app.screen.query_one("#refused", StatusLine)
        assert said.display and "content is empty" in str(said.content)
        desk = pilot.app.screen.query_one(Window)
        assert str(desk.border_title).endswith("]0 of 2,000 characters")
        await press(pilot, "escape", "n")
        pilot.app.screen.query_one(TextArea).insert("Clocks drift.")
        await settled(pilot)
        assert await looks(pilot, "new", SIZES)
        desk = pilot.app.screen.query_one(Window)
        assert str(desk.border_title).endswith("]13 of 2,000 characters")
        await press(pilot, "escape")
        (draft,) = garden.parent.rglob("drafts/*")
        assert "Clocks drift." in draft.read_text()
        before = rows(pilot).total
        await press(pilot, "n")
        pilot.app.screen.query_one(TextArea).insert("Clocks drift.")
        await press(pilot, "ctrl+s")
        assert at_home(pilot)
        found = rows(pilot).rows[0].entry
        assert (found.agent, found.category, found.issue_number) == ("tester", "lesson", 181)
        assert found.summary == "Clocks drift."
        await press(pilot, "u")
        assert rows(pilot).total == before


# Giving out


async def test_memories_are_copied_and_nothing_is_overwritten_unasked(
    garden: Path, looks: Looks
) -> None:
    target = garden.parent / "memtui-2026-03-02.jsonl"
    (garden.parent / "memtui-2026-03-02.md").write_text("mine")
    async with running(garden) as pilot:
        copied = list[str]()
        swap(pilot.app, "copy_to_clipboard", copied.append)
        one, two = first_ids(pilot, 2)
        await press(pilot, "y", "1", "y", "j", "enter")
        assert copied == [standing(garden, one).content, one]
        await press(pilot, "space", "space", "y", "3")
        assert copied[2].startswith("## Memory Recall")
        await press(pilot, "y", "2")
        assert copied[3] == f"{one}\n{two}"
        await press(pilot, "escape", "g")
        pilot.app.clear_notifications()

        await write(pilot, "agent:tester")
        await press(pilot, "escape")
        for key in ("x", "ctrl+t", "enter"):
            await press(pilot, key)
        assert await looks(pilot, "export", SIZES)
        await press(pilot, "escape")
        target.write_text("mine")
        await press(pilot, "x", "enter")
        assert target.read_text() == "mine"
        await press(pilot, "enter")
        assert len(target.read_text().splitlines()) == rows(pilot).total == 6
        (garden.parent / "memtui-2026-03-02.md").unlink()
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
