"""Memories that no longer fit the code: marked, told, found, and repaired."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.memory.screen import ObservationScreen
from memtui.tui.widgets.key_bar import KeyBar
from store.backends.location import FOLDER
from tests.flows.stage import SIZES, Looks, fill, press, rows, running
from tests.flows.stories import toasts
from tests.store.drift.made import Made

pytestmark = [
    pytest.mark.usefixtures("still"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
TEXTS = (
    "The queue is in shop/queue.py: everything that waits goes through it.",
    "`step_3()` of shop/other.py returns three, which the till counts on.",
    "shop/gate.py lets one customer in at a time.",
    "`step_4()` of shop/other.py returns four.",
    "Prices are kept in cents.",
)


def drifted(folder: Path) -> Path:
    """A memory of a repository whose code moved, changed, is gone, and is as it was."""
    made = Made(folder)
    made.write("shop/gate.py", "def gate(): ...\n")
    made.commit()
    memories = [
        made.memory(text, id=f"obs-engineer-29-1709035200000-aaaa0{number}", pinned=number == 3)
        for number, text in enumerate(TEXTS)
    ]
    memory = fill(made.root / FOLDER, memories)
    made.git("mv", "shop/queue.py", "shop/lines.py")
    made.git("rm", "-q", "shop/gate.py")
    made.edit("shop/other.py", "return 3", "return 33")
    made.commit()
    return memory


async def to(pilot: Pilot[None], words: str) -> None:
    """Put the cursor on the memory with some words."""
    at = next(at for at, hit in enumerate(rows(pilot).rows) if words in hit.entry.content)
    await press(pilot, "g", *["j"] * at)


async def test_rows_the_opened_memory_and_a_search_tell_what_drifted(
    tmp_path: Path, looks: Looks
) -> None:
    async with running(drifted(tmp_path)) as pilot:
        await to(pilot, "gate")
        assert await looks(pilot, "rows", SIZES)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ObservationScreen)
        assert await looks(pilot, "opened", SIZES)
        await press(pilot, "escape", "slash", *"drift:mov", "down")
        assert [hit.entry.content for hit in rows(pilot).rows] == [TEXTS[0]]


async def test_a_memory_is_repaired_in_a_way_that_one_picks(tmp_path: Path, looks: Looks) -> None:
    async with running(drifted(tmp_path)) as pilot:
        await to(pilot, "queue")
        await press(pilot, "Z")
        assert await looks(pilot, "repair", SIZES)
        await press(pilot, "enter")
        assert await looks(pilot, "new_path_as_a_plan", SIZES)
        await press(pilot, "enter")
        assert toasts(pilot)[-1] == "Corrected the paths of 1 memory · u to undo"
        await to(pilot, "lines.py")
        await press(pilot, "Z")
        assert toasts(pilot)[-1].startswith("Nothing to repair")
        await to(pilot, "gate")
        await press(
            pilot, "Z", "k", "enter", *["backspace"] * 12, *"shop/other.py", "enter", "enter"
        )
        assert rows(pilot).rows[rows(pilot).cursor].entry.content.startswith("shop/other.py lets")
        await press(pilot, "u", "Z", "k", "k", "enter", "enter")
        assert toasts(pilot)[-1] == "Confirmed 1 memory · u to undo"
        await press(pilot, "slash", *"is:drifted")
        assert [hit.entry.content for hit in rows(pilot).rows] == [TEXTS[1]]


async def test_a_preview_tells_what_drifted(tmp_path: Path, looks: Looks) -> None:
    async with running(drifted(tmp_path)) as pilot:
        await press(pilot, "i", "J", *"who lets a customer in at the gate", "enter", "j")
        assert await looks(pilot, "preview", SIZES)


async def test_the_doctor_lists_what_drifted_and_repairs_one(tmp_path: Path, looks: Looks) -> None:
    async with running(drifted(tmp_path)) as pilot:
        await press(pilot, "exclamation_mark")
        assert await looks(pilot, "doctor", SIZES)
        labels = [key[2] for key in pilot.app.screen.query_one(KeyBar).keys]
        assert "repair" not in labels, "the first note is of no memory"


async def test_without_a_repository_nothing_is_marked(tmp_path: Path) -> None:
    memory = drifted(tmp_path)
    shutil.rmtree(memory.parents[1] / ".git")
    async with running(memory) as pilot:
        await press(pilot, "slash", *"is:drifted")
        assert rows(pilot).total == 0
        await press(pilot, "escape", "escape", "Z")
        assert toasts(pilot)[-1].startswith("Nothing to repair")
