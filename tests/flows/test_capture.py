"""The capture preview: pick a transcript; edit, drop and keep what it would leave."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import count
from pathlib import Path
from shutil import which

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from memtui.formatting import memories
from memtui.settings import programs
from memtui.tui.capture.screen import CaptureScreen
from memtui.tui.capture.transcripts import TranscriptPicker
from memtui.tui.dialogs.choice_picker import ChoicePicker
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from store import Memory, open_memory
from store.errors import WriteFailed
from tests.flows.stage import (
    NOW,
    SIZES,
    Looks,
    Opening,
    at_home,
    fill,
    open_at,
    press,
    running,
    settled,
    told,
    under_cursor,
)
from tests.flows.stories import observations, toasts
from tests.store.capture.transcripts import ClaudeCode
from tests.store.language_model.programs import answering, failing

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which agents keep transcripts: a rich one, the newest; a broken one; a dull one."""
    folder = tmp_path / "home"
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    project = folder / ".claude" / "projects" / "-home-someone-shop"
    project.mkdir(parents=True)
    _write(project / "5e55-10.jsonl", rich().lines, hours=2)
    _write(project / "5e55-09.jsonl", ["this is", "no transcript"], hours=26)
    _write(project / "5e55-08.jsonl", ClaudeCode("5e55-08").user("hi").agent("Hello!").lines, 50)
    rollout = folder / ".codex" / "sessions" / "2026" / "01" / "20"
    rollout.mkdir(parents=True)
    _write(rollout / "rollout-2026-01-20.jsonl", ["{}"] * 40_000, hours=24 * 41)
    return folder


def _write(path: Path, lines: list[str], hours: float) -> None:
    path.write_text("\n".join(lines) + "\n")
    when = NOW.timestamp() - hours * 3600
    os.utime(path, (when, when))


def rich() -> ClaudeCode:
    """A session in which files changed, a test failed, and the user made rules."""
    session = ClaudeCode("5e55-10")
    session.user("The lock on the manifest times out. Always run the lock tests before a commit.")
    session.agent("The lock waits without jitter, so two writers collide. I will add jitter.")
    session.edit("src/locks.py", "sleep(delay)", "sleep(delay * jitter())")
    session.bash("pytest tests/locks", "AssertionError: lock held for 31 s", failed=True)
    session.agent(
        "The stale lock is never taken over, because its age is read from the wrong clock."
    )
    session.edit("src/clock.py", "monotonic()", "time()")
    session.bash("pytest tests/locks", "12 passed")
    session.agent(
        "We decided to keep one lock file for each issue, because a single lock made writers wait."
    )
    session.agent(
        "The lock now waits with jitter and a stale lock is taken over after 30 seconds. "
        "All lock tests pass. Next: the index."
    )
    return session


@pytest.fixture
def store(tmp_path: Path, home: Path) -> Path:
    """A handful of memories, and transcripts to capture from."""
    return fill(tmp_path / "memory", observations())


class Counting(Opening):
    """Opens a memory whose new ids are counted, since the gauge counts their tokens too."""

    def __call__(self, path: Path) -> Memory:
        numbers = count()

        def new_id(agent: str, issue: int, when: datetime) -> str:
            return f"obs-{agent}-{issue}-{next(numbers):06}"

        cache = path.parent / "cache"
        self.memory = open_memory(path, cache=cache, clock=lambda: NOW, new_id=new_id)
        return self.memory


def capture(pilot: Pilot[None]) -> CaptureScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CaptureScreen)
    return screen


async def put(pilot: Pilot[None], text: str) -> None:
    """Put a text into the box, and press Enter."""
    pilot.app.screen.query_one(Input).value = text
    await settled(pilot)
    await press(pilot, "enter")


EDITED = "src/locks.py waits with jitter, so that two writers don't collide again."


def _no_room(*_: object, **_more: object) -> None:
    raise WriteFailed("There is no room on the disk.")


async def test_a_memory_is_found_by_its_words_and_dropped(store: Path) -> None:
    async with running(store) as pilot:
        await press(pilot, "C", "enter")
        *others, last = (kept.observation.summary for kept in capture(pilot).draft.chosen.kept)
        await press(pilot, "slash")
        keys = {key[1] for key in pilot.app.screen.query_one(KeyBar).keys}
        assert keys.isdisjoint("@#e"), "they write into the box"
        pilot.app.screen.query_one(FilterBox).value = last
        await settled(pilot)
        await press(pilot, "enter", "space", "escape")
        assert [kept.observation.summary for kept in capture(pilot).draft.chosen.kept] == others


async def test_a_transcript_is_picked_and_its_memories_edited_dropped_and_kept(
    store: Path, tmp_path: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "of my own.jsonl"
    path.write_text("\n".join(rich().lines))
    opening = Counting()
    async with running(store, opening=opening) as pilot:
        await press(pilot, "C")
        assert await looks(pilot, "transcripts", SIZES)
        await press(pilot, "down", "enter")
        assert await looks(pilot, "broken_transcript")
        await press(pilot, "escape", "C", "enter")
        assert await looks(pilot, "preview", SIZES)

        await press(pilot, "e")
        area = pilot.app.screen.query_one(TextArea)
        area.text = f"{area.text.rpartition('---')[0]}---\n\n{EDITED}\n"
        await press(pilot, "ctrl+s", "j", "space", "k")
        assert await looks(pilot, "edited_and_dropped", SIZES)
        contents = [row.captured.observation.content for row in capture(pilot).draft.rows]
        assert contents[0] == EDITED
        before = capture(pilot).draft.chosen
        with monkeypatch.context() as failing:
            failing.setattr(opening.memory.capture, "apply", _no_room)
            await press(pilot, "enter")
        assert "no room" in toasts(pilot)[-1]
        assert capture(pilot).draft.chosen == before
        await press(pilot, "enter")
        assert at_home(pilot)
        assert await looks(pilot, "kept", SIZES)
        assert "Captured" in toasts(pilot)[-1]
        with open_at(store, "other") as memory:
            stored = {item.content for item in memory.by_issue(29)}
        assert EDITED in stored
        assert contents[1] not in stored
        assert set(contents[2:]) <= stored
        await press(pilot, "u")

        await press(pilot, "C", *str(tmp_path / "nowhere"))
        assert isinstance(pilot.app.screen, TranscriptPicker)
        said = pilot.app.screen.query_one("#picker-said", Static)
        assert "No session matches" in str(said.content)
        await press(pilot, "enter")
        assert "No such file" in str(said.content)
        for nowhere in ("~nobody-here/x", "a" * 300):
            await put(pilot, nowhere)
            assert "No such file" in str(said.content)
        assert str(pilot.app.screen.window.border_subtitle) == ""
        await put(pilot, str(path))
        assert capture(pilot).draft.chosen.kept

        await press(pilot, "space", "number_sign", "x", "enter")
        problem = "#prompt-problem"
        assert "number" in str(pilot.app.screen.query_one(problem, Static).content)
        await put(pilot, "77")
        await press(pilot, "at")
        await put(pilot, "!?")
        assert "letters, digits" in str(pilot.app.screen.query_one(problem, Static).content)
        await put(pilot, "architect")
        kept = len(capture(pilot).draft.rows) - 1
        await press(pilot, "enter")
        assert f"{memories(kept)} under #77 for architect" in toasts(pilot)[-1]
    with open_at(store, "other") as memory:
        assert {item.agent for item in memory.by_issue(77)} == {"architect"}
        assert len(memory.by_issue(77)) == kept


async def test_read_only(store: Path, looks: Looks) -> None:
    opening = told(lambda state: state._replace(writable=False))
    async with running(store, opening=opening) as pilot:
        await press(pilot, "C", "enter", "enter")
        assert await looks(pilot)


PICKED = {
    "category": "decision",
    "text": "One lock file for each issue: a single lock made writers wait.",
    "from": [9],
}


@pytest.fixture
def agents_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two agents are on the path: one answers, one fails."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, command in (("claude", failing("Out of credit")), ("pi", answering(PICKED))):
        (folder / name).write_text(f"#!/bin/sh\nexec {command}\n")
        (folder / name).chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr(programs, "which", lambda name: which(name, path=str(folder)))
    monkeypatch.delenv("MEMTUI_CAPTURE_PROGRAM", raising=False)


async def test_a_program_picks(
    store: Path, agents_at_hand: None, looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", "pi --print")
    async with running(store) as pilot:
        await press(pilot, "C", "enter")
        assert await looks(pilot)


async def test_a_program_fails(store: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", "no-such-program -p")
    async with running(store) as pilot:
        await press(pilot, "C", "enter")
        assert await looks(pilot, "a_program_fails", SIZES)


async def test_who_could_pick(store: Path, agents_at_hand: None, looks: Looks) -> None:
    async with running(store) as pilot:
        await press(pilot, "C", "enter", "L")
        picker = pilot.app.screen
        assert isinstance(picker, ChoicePicker)
        assert under_cursor(picker.list).name == "Rules"  # which picked these
        await press(pilot, "g")
        assert await looks(pilot, "who_could_pick", SIZES)
