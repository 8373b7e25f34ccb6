"""The capture preview: pick a transcript; edit, drop and keep what it would leave."""

from __future__ import annotations

import os
import re
import shlex
import sys
from asyncio import to_thread
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
from memtui.tui.capture.rows import CapturedList
from memtui.tui.capture.screen import CaptureScreen
from memtui.tui.capture.transcripts import TranscriptPicker
from memtui.tui.dialogs.picker import PickList
from memtui.tui.widgets.status_line import StatusLine
from store import Memory, open_memory
from store.errors import WriteFailed
from tests.flows.stage import (
    NARROW,
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
    until_shown,
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


def test_nothing_found(snap_compare: Compare, store: Path) -> None:
    flow = picking("down", "down", "enter")
    assert snap_compare(app_on(store), terminal_size=NORMAL, run_before=flow)


def test_broken_transcript(snap_compare: Compare, store: Path) -> None:
    flow = picking("down", "enter")
    assert snap_compare(app_on(store), terminal_size=NORMAL, run_before=flow)


def test_captured_before(snap_compare: Compare, store: Path) -> None:
    flow = pressing("C", "enter", "enter", "C", "enter")
    assert snap_compare(app_on(store), terminal_size=NORMAL, run_before=flow)


def test_no_transcripts(
    snap_compare: Compare, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    assert snap_compare(app_on(store), terminal_size=NARROW, run_before=pressing("C"))


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


async def test_transcripts_are_listed_by_what_was_asked_and_marked_when_captured(
    store: Path,
) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C")
        assert "The lock on the manifest times out." in listed(pilot)
        assert "√" not in listed(pilot)
        await press(pilot, *"manifest")
        assert app.screen.query_one(PickList).row_count == 1
        await press(pilot, "enter", "enter", "C")
        first, *others = listed(pilot).splitlines()
        assert "√ The lock on the manifest times out." in first
        assert "√" not in "".join(others)


def listed(pilot: Pilot[None]) -> str:
    rows = pilot.app.screen.query_one(PickList)
    return "\n".join(rows.row(index, 100).plain for index in range(rows.row_count))


async def test_a_session_of_another_project_is_told_apart(store: Path, home: Path) -> None:
    other, project = home / "other", home / "mine"
    for folder in (other, project):
        folder.mkdir()
        session = ClaudeCode(f"{folder.name}-1", cwd=str(folder)).user(
            "Use the lock. Always run it."
        )
        kept = home / ".claude" / "projects" / re.sub("[^A-Za-z0-9]", "-", str(folder))
        kept.mkdir()
        _write(kept / f"{folder.name}-1.jsonl", session.agent("Done.").lines, hours=1)
    async with app_on(project / ".agentx" / "memory").run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "C")
        window = pilot.app.screen.query_one("#picker")
        assert "1 here, 5 of other projects" in str(window.border_title)
        await press(pilot, *"other-1", "enter")
        notice = pilot.app.screen.query_one("#notice", StatusLine)
        assert "Of another project: ~/other" in str(notice.render())
        await press(pilot, "escape", "C", *"mine-1", "enter")
        assert "another project" not in str(pilot.app.screen.query_one("#notice").render())


async def test_issue_and_agent_are_chosen(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter", "space", "number_sign", "x", "enter")
        assert "number" in str(app.screen.query_one("#prompt-said", Static).content)
        app.screen.query_one("Input").value = "77"  # type: ignore[attr-defined]
        await press(pilot, "enter", "at")
        app.screen.query_one("Input").value = "two words"  # type: ignore[attr-defined]
        await settled(pilot)
        await press(pilot, "enter")
        assert "letters, digits" in str(app.screen.query_one("#prompt-said", Static).content)
        app.screen.query_one("Input").value = "architect"  # type: ignore[attr-defined]
        await press(pilot, "enter")
        kept = len(capture(app)._plan.kept) - 1
        await press(pilot, "enter")
        assert f"{memories(kept)} under #77 for architect" in toasts(pilot)[-1]
    with open_at(store, "other") as memory:
        assert {item.agent for item in memory.by_issue(77)} == {"architect"}
        assert len(memory.by_issue(77)) == kept


async def test_everything_dropped_keeps_nothing(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter")
        await press(pilot, *["space"] * len(capture(app)._plan.kept), "enter")
        assert "nothing to store" in toasts(pilot)[-1]
        await press(pilot, "escape")
        assert app.screen_stack == [browse(pilot)]


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


async def test_words_narrow_the_transcripts(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C")
        await press(pilot, *"shop 09", "enter")
        path = capture(app)._path
        assert path is not None
        assert path.name == "5e55-09.jsonl"
        await press(pilot, "escape", "C", "escape")
        assert app.screen_stack == [browse(pilot)]


async def rewritten(pilot: Pilot[None], before: str, after: str) -> None:
    """Edit the observation under the cursor: one passage of its text becomes another."""
    await press(pilot, "e")
    area = pilot.app.screen.query_one(TextArea)
    assert before in area.text
    area.text = area.text.replace(before, after)
    await press(pilot, "ctrl+s")


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


async def test_what_was_chosen_outlives_an_undo(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "p")
        await editing(EDITED)(pilot)
        before = capture(app)._chosen()
        await press(pilot, "u")
        assert capture(app)._chosen() == before
        assert "Undone" in toasts(pilot)[-1]


async def test_a_summary_of_ones_own_stays_when_the_text_changes(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter")
        first = capture(app)._plan.kept[0].observation
        await rewritten(pilot, "\nsummary:", "\nsummary: In my own words")
        await rewritten(pilot, first.content, EDITED)
        kept = capture(app)._plan.kept[0].observation
        assert (kept.summary, kept.content) == ("In my own words", EDITED)


async def test_an_issue_chosen_by_an_edit_is_named(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter")
        rows, kept = pilot.app.screen.query_one(CapturedList), capture(app)._plan.kept
        await rewritten(pilot, f"issue: {capture(app)._plan.issue}", "issue: 42")
        assert f"{len(kept)} memories for 2 issues" in str(rows.border_title)
        await press(pilot, "down", *["space"] * (len(kept) - 1))
        assert "1 memory for #42" in str(rows.border_title)
        await press(pilot, "enter")
        assert "1 memory under #42" in toasts(pilot)[-1]


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


async def test_leaving_ends_the_program(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"import os, time; os.open({str(pipe)!r}, os.O_WRONLY); time.sleep(60)"
    monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", shlex.join([sys.executable, "-S", "-c", code]))
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await pilot.press("C", "enter")
        with await to_thread(pipe.open, "rb") as running:  # it waits until the program runs
            await until_shown(pilot, "Asking")
            await pilot.press("escape")
            assert await to_thread(running.read) == b""  # it waits until the program is gone


@SIZES
def test_who_could_pick(snap_compare: Compare, store: Path, agents_at_hand: None) -> None:
    assert snap_compare(app_on(store), run_before=picking("enter", "m"))


async def test_another_picks_and_rules_again(store: Path, agents_at_hand: None) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter", "space", "m")
        by_rules = capture_below(app)._plan
        assert "on your Claude Code account" in terms_shown(app)
        await press(pilot, "j", "enter")
        assert [each.observation.content for each in capture(app)._plan.kept] == [PICKED["text"]]
        assert "Picked by pi." in notice(app)
        await press(pilot, "m", "escape")
        assert "Picked by pi." in notice(app)
        await press(pilot, "m", "G")
        assert terms_shown(app) == "Picks them on this machine, at once."
        await press(pilot, "enter")
        assert capture(app)._chosen() == by_rules, "what was dropped before is there again"
        assert "Picked by" not in notice(app)


async def test_another_that_fails_leaves_it_to_rules(store: Path, agents_at_hand: None) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter", "m", "enter")
        assert capture(app)._plan.kept
        assert "Picked by rules: " in notice(app)


async def test_another_looks_where_rules_found_nothing(store: Path, agents_at_hand: None) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "down", "down", "enter")
        assert "Nothing to capture" in capture(app).sentence[0]
        await press(pilot, "m", "j", "enter")
        assert [each.observation.content for each in capture(app)._plan.kept] == [PICKED["text"]]
        assert "Picked by pi." in notice(app)


async def test_nobody_to_ask_is_offered_no_key(store: Path) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter", "m")
        assert capture(app)._plan.kept


def capture_below(app: MemtuiApp) -> CaptureScreen:
    screen = app.screen_stack[-2]
    assert isinstance(screen, CaptureScreen)
    return screen


def terms_shown(app: MemtuiApp) -> str:
    return str(app.screen.query_one("#picker-about", Static).content)


def notice(app: MemtuiApp) -> str:
    return str(app.screen.query_one("#notice", StatusLine).render())


async def test_who_picked_may_be_gone(
    store: Path, agents_at_hand: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(store)
    async with app.run_test(size=NORMAL) as pilot:
        await settled(pilot)
        await press(pilot, "C", "enter")
        monkeypatch.setattr(capture(app), "_picked_by", "gone -p")
        await press(pilot, "m")
        assert "on your Claude Code account" in terms_shown(app)
