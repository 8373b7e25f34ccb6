"""The capture preview: pick a transcript; edit, drop and keep what it would leave."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import count
from pathlib import Path
from shutil import which

import pytest
from textual.pilot import Pilot
from textual.widgets import Static, TextArea

from memtui.formatting import memories
from memtui.settings import programs
from memtui.tui.app import MemtuiApp
from memtui.tui.capture.screen import CapturedList, CaptureScreen
from memtui.tui.capture.transcripts import TranscriptPicker
from memtui.tui.widgets.panes import StatusLine
from store import Memory, open_memory
from store.errors import WriteFailed
from tests.flows.stage import (
    NORMAL,
    NOW,
    SIZES,
    Compare,
    Opening,
    Run,
    app_on,
    browse,
    fill,
    open_at,
    press,
    pressing,
    settled,
    told,
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


def counting(path: Path) -> Memory:
    """A memory whose new ids are counted, since the gauge counts their tokens too."""
    numbers = count()

    def new_id(agent: str, issue: int, when: datetime) -> str:
        return f"obs-{agent}-{issue}-{next(numbers):06}"

    return open_memory(path, cache=path.parent / "cache", clock=lambda: NOW, new_id=new_id)


def capture(app: MemtuiApp) -> CaptureScreen:
    screen = app.screen
    assert isinstance(screen, CaptureScreen)
    return screen


def picking(*keys: str) -> Run:
    """A flow that opens the picker, then presses keys, each once the last one's work is done."""

    async def run(pilot: Pilot[None]) -> None:
        await settled(pilot)
        for key in ("C", *keys):
            await press(pilot, key)

    return run


def editing(text: str) -> Run:
    """A flow that edits the first observation, drops the second."""

    async def run(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "C", "enter")
        await press(pilot, "e")
        area = pilot.app.screen.query_one(TextArea)
        area.text = f"{area.text.rpartition('---')[0]}---\n\n{text}\n"
        await press(pilot, "ctrl+s")
        await press(pilot, "j", "space", "k")

    return run


EDITED = "src/locks.py waits with jitter, so that two writers don't collide again."


@SIZES
def test_transcripts(snap_compare: Compare, store: Path) -> None:
    assert snap_compare(app_on(store), run_before=pressing("C"))


@SIZES
def test_preview(snap_compare: Compare, store: Path) -> None:
    assert snap_compare(app_on(store), run_before=picking("enter"))


@SIZES
def test_edited_and_dropped(snap_compare: Compare, store: Path) -> None:
    assert snap_compare(app_on(store), run_before=editing(EDITED))


@SIZES
def test_kept(snap_compare: Compare, store: Path) -> None:
    async def run(pilot: Pilot[None]) -> None:
        await editing(EDITED)(pilot)
        await press(pilot, "enter")

    assert snap_compare(app_on(store, opening=counting), run_before=run)


def test_broken_transcript(snap_compare: Compare, store: Path) -> None:
    flow = picking("down", "enter")
    assert snap_compare(app_on(store), terminal_size=NORMAL, run_before=flow)


def test_read_only(snap_compare: Compare, store: Path) -> None:
    app = app_on(store, opening=told(lambda state: state._replace(writable=False)))
    assert snap_compare(app, terminal_size=NORMAL, run_before=picking("enter", "enter"))


async def test_what_was_dropped_is_not_stored(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await editing(EDITED)(pilot)
        rows = pilot.app.screen.query_one(CapturedList)
        kept = [each.observation.content for each in capture(app)._plan.kept]
        assert kept[0] == EDITED
        assert rows.at is not None
        await press(pilot, "enter")
        assert pilot.app.screen is browse(pilot)
        assert "Captured" in toasts(pilot)[-1]
    with open_at(store, "other") as memory:
        stored = {item.content for item in memory.by_issue(29)}
    assert EDITED in stored
    assert kept[1] not in stored
    assert set(kept[2:]) <= stored


async def test_issue_and_agent_are_chosen(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter", "space", "number_sign", "x", "enter")
        assert "number" in str(app.screen.query_one("#prompt-problem", Static).content)
        app.screen.query_one("Input").value = "77"  # type: ignore[attr-defined]
        await press(pilot, "enter", "at")
        app.screen.query_one("Input").value = "two words"  # type: ignore[attr-defined]
        await settled(pilot)
        await press(pilot, "enter")
        assert "letters, digits" in str(app.screen.query_one("#prompt-problem", Static).content)
        app.screen.query_one("Input").value = "architect"  # type: ignore[attr-defined]
        await press(pilot, "enter")
        kept = len(capture(app)._plan.kept) - 1
        await press(pilot, "enter")
        assert f"{memories(kept)} under #77 for architect" in toasts(pilot)[-1]
    with open_at(store, "other") as memory:
        assert {item.agent for item in memory.by_issue(77)} == {"architect"}
        assert len(memory.by_issue(77)) == kept


async def test_a_transcript_by_its_path(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "of my own.jsonl"
    path.write_text("\n".join(rich().lines))
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", *str(tmp_path / "nowhere"), "enter")
        assert isinstance(app.screen, TranscriptPicker)
        said = app.screen.query_one("#picker-said", Static)
        assert "No such file" in str(said.content)
        for nowhere in ("~nobody-here/x", "a" * 300):
            app.screen.query_one("Input").value = nowhere  # type: ignore[attr-defined]
            await settled(pilot)
            await press(pilot, "enter")
            assert "No such file" in str(said.content)
        assert str(app.screen.window.border_subtitle) == ""
        app.screen.query_one("Input").value = str(path)  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert capture(app)._plan.kept


async def test_what_was_chosen_outlives_a_keep_that_fails(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = Opening()
    app = app_on(store, opening=opening)
    async with app.run_test(size=NORMAL) as pilot:
        await editing(EDITED)(pilot)
        before = capture(app)._chosen()
        with monkeypatch.context() as failing:
            failing.setattr(opening.memory.capture, "apply", _no_room)
            await press(pilot, "enter")
        assert "no room" in toasts(pilot)[-1]
        assert capture(app)._chosen() == before
        await press(pilot, "enter")
        assert pilot.app.screen is browse(pilot)
    with open_at(store, "other") as memory:
        assert EDITED in {item.content for item in memory.by_issue(29)}


def _no_room(*_: object) -> None:
    raise WriteFailed("There is no room on the disk.")


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


def test_a_program_picks(
    snap_compare: Compare, store: Path, agents_at_hand: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", "pi --print")
    assert snap_compare(app_on(store), terminal_size=NORMAL, run_before=picking("enter"))


@SIZES
def test_a_program_fails(
    snap_compare: Compare, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", "no-such-program -p")
    assert snap_compare(app_on(store), run_before=picking("enter"))


@SIZES
def test_who_could_pick(snap_compare: Compare, store: Path, agents_at_hand: None) -> None:
    assert snap_compare(app_on(store), run_before=picking("enter", "m"))


def notice(app: MemtuiApp) -> str:
    return str(app.screen.query_one("#notice", StatusLine).render())
