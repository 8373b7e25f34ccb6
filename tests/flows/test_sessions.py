"""Sessions: listed before anything was captured, taken in, searched, opened, captured from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from shutil import rmtree
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.tui.app import BACK, MemtuiApp
from memtui.tui.capture.screen import CaptureScreen
from memtui.tui.export.save import CopyScreen
from memtui.tui.frame.indexing import IndexingEnded, SessionsRead
from memtui.tui.injection.candidates import CandidateList
from memtui.tui.injection.marks import marks_of
from memtui.tui.injection.screen import InjectionScreen
from memtui.tui.memory.screen import ObservationScreen
from memtui.tui.sessions.rows import SessionList
from memtui.tui.sessions.screen import SessionsScreen
from memtui.tui.sessions.session_screen import ConversationView, SessionScreen
from store import Memory, Observation, open_memory
from store.backends.placement import memory_to_begin
from store.model import Hit
from store.sessions.conversation import Entry
from store.sessions.listing import Listed
from tests.flows.conversations import BEGUN, broken_off, lock, others
from tests.flows.conversations import Conversation as Session
from tests.flows.stage import (
    ALL_SIZES,
    SIZES,
    Looks,
    at_home,
    burst,
    go_home,
    open_at,
    press,
    running,
    screen_text,
    settled,
    under_cursor,
    write,
)
from tests.flows.stories import toasts

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project without memory, in which Claude Code had three conversations."""
    root = Path("/tmp") / f"memtui-sessions-{os.getpid():07}"  # paths stand in pictures
    work, home = root / "heron", root / "home"
    work.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("cache", "config", "data"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(root / name))
    monkeypatch.setenv("MEMTUI_MEMORY_PLACE", "tracked")
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "MEMTUI_DIR"):
        monkeypatch.delenv(variable, raising=False)
    for made in (lock(work), broken_off(work), *others(work, 3)):
        made.write(home)
    monkeypatch.chdir(work)
    yield work
    rmtree(root)


@pytest.fixture
def memory(work: Path) -> Path:
    """Its memory: one thing was captured from the first conversation, and told to it again."""
    folder = memory_to_begin(work)
    with open_at(folder) as opened:
        opened.store(
            [
                Observation(
                    agent="claude-code",
                    issue_number=29,
                    category="decision",
                    content="The lock backs off, doubling from 200 ms.",
                    id="obs-claudecode-29-1771578000000-a1b2c3",
                    session_id="5f1c-lock",
                    sources=("session:5f1c-lock#7",),
                )
            ]
        )
    with open_memory(folder, cache=folder.parent / "cache", clock=lambda: BEGUN) as opened:
        recall = opened.recall.plan(task="the lock", budget=500)
        opened.recall.inject(recall, "claude-code", 29, session_id="5f1c-lock")
    return folder


def rows(pilot: Pilot[None]) -> SessionList:
    assert isinstance(pilot.app.screen, SessionsScreen)
    return pilot.app.screen.query_one(SessionList)


def listed(pilot: Pilot[None]) -> list[str]:
    return [row.id for row in rows(pilot).rows if isinstance(row, Listed)]


NO_MEMORY = "This is from a session, not a memory. Open it to keep a passage as one."
_LOOKED_AT = 12


def view(pilot: Pilot[None]) -> ConversationView:
    assert isinstance(pilot.app.screen, SessionScreen)
    return pilot.app.screen.query_one(ConversationView)


def entry_at(pilot: Pilot[None]) -> Entry:
    entry = view(pilot).entry
    assert entry is not None
    return entry


async def typed(pilot: Pilot[None], text: str) -> None:
    await press(pilot, "slash")
    await burst(pilot, *("space" if letter == " " else letter for letter in text))


def captured_of(memory: Memory, session: str) -> tuple[str, ...]:
    """The ids of memories that the digest of a session names."""
    return next(it.memories for it in memory.sessions.digests() if it.id == session)


async def test_sessions_are_listed_indexed_and_searched(memory: Path, looks: Looks) -> None:
    async with running(memory) as pilot:
        await press(pilot, "S", "j")
        assert await looks(pilot, "list", SIZES)
        await press(pilot, "k")
        pilot.app.screen.post_message(SessionsRead(118, 300))
        await settled(pilot)
        assert await looks(pilot, "taking_in", SIZES)
        pilot.app.screen.post_message(IndexingEnded())
        await settled(pilot)
        await press(pilot, "B")
        assert toasts(pilot) == ["Indexed 5 sessions"]
        await typed(pilot, "tests")
        assert await looks(pilot, "search_hit", SIZES)
        await press(pilot, "escape", "escape")
        await typed(pilot, "scanner")
        hit = rows(pilot).at
        assert isinstance(hit, Hit)
        assert hit.entry.id == "5f1c-lock#7"
        await press(pilot, "enter")
        assert "virus scanner" in entry_at(pilot).text
        await press(pilot, "escape", "escape")
        assert len(listed(pilot)) == 5
        await press(pilot, "g", "j", "C")
        assert isinstance(pilot.app.screen, CaptureScreen)


async def test_a_conversation_is_read_and_a_passage_captured(
    memory: Path, work: Path, looks: Looks
) -> None:
    async with running(memory) as pilot:
        await press(pilot, "S", "B", "j", "enter", *"jjj", "v", "j")
        assert await looks(pilot, "opened_session", SIZES)
        await press(pilot, "escape", "y", "g", "j", "C", "enter", "enter")
        assert pilot.app.clipboard == f"cd {work} && claude --resume 5f1c-lock"
        with open_at(memory) as now:
            found = now.search("tag:from-session category:key-fact").hits
            assert [hit.entry.summary for hit in found] == [
                "The manifest lock times out on Windows. Find out why, and make it wait."
            ]
            assert now.get(found[0].entry.id).sources == ("session:5f1c-lock#1",)
            assert captured_of(now, "5f1c-lock")[-1] == found[0].entry.id
        await press(pilot, "u")
        with open_at(memory) as now:
            assert now.search("tag:from-session").total == 0
            assert found[0].entry.id not in captured_of(now, "5f1c-lock")
        await press(pilot, "g", "slash", *"LOCK", "enter")
        matches = [
            place for place, line in enumerate(view(pilot).rows) if "lock" in line.text.lower()
        ]
        first = next(place for place in matches if place > 0)
        assert view(pilot).cursor == first
        await press(pilot, "n")
        assert view(pilot).cursor == matches[matches.index(first) + 1]
        await press(pilot, "N")
        assert view(pilot).cursor == first
        await press(pilot, "slash", *"zebra", "enter")
        assert "is not in this session" in toasts(pilot)[-1]
        await press(pilot, "slash", *"lock", "enter", "escape")
        assert isinstance(pilot.app.screen, SessionScreen) and not view(pilot).words


async def test_a_memory_and_a_message_lead_to_their_session(memory: Path) -> None:
    async with running(memory) as pilot:
        await press(pilot, "f")
        assert entry_at(pilot).id == "obs-claudecode-29-1771578000000-a1b2c3"
        await press(pilot, "enter")
        assert "f opens it" in str(pilot.app.screen.query_one("#page-fields", Static).visual)
        await press(pilot, "f", "k")
        assert "virus scanner" in entry_at(pilot).text
        await go_home(pilot)
        await press(pilot, "S", "B", "escape")
        await write(pilot, "in:sessions scanner")
        await press(pilot, "enter")
        assert "virus scanner" in entry_at(pilot).text
        await press(pilot, "escape", *"pmaetd")
        assert toasts(pilot) == [NO_MEMORY]
        assert at_home(pilot)
        await press(pilot, "y")
        assert isinstance(pilot.app.screen, CopyScreen)
        await press(pilot, "3")
        assert isinstance(pilot.app.screen, CopyScreen)
        await press(pilot, "1")
        assert "virus scanner" in pilot.app.clipboard


async def test_what_is_recalled_of_a_session_opens_it_and_takes_no_mark(memory: Path) -> None:
    async with running(memory) as pilot:
        await press(pilot, "S", "B", "escape", "i", "J", *"locks", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, InjectionScreen)
        assert screen.recall is not None
        opened = set[str]()
        for candidate in screen.recall.candidates[:_LOOKED_AT]:
            assert screen.query_one(CandidateList).at == candidate
            if candidate.kind not in opened:
                opened.add(candidate.kind)
                if not candidate.is_memory:
                    await press(pilot, "p", "m", "space")
                    assert toasts(pilot) == [NO_MEMORY]
                    assert marks_of(screen.request) == {}
                await press(pilot, "enter")
                opens = ObservationScreen if candidate.is_memory else SessionScreen
                assert isinstance(pilot.app.screen, opens)
                await press(pilot, "escape")
            await press(pilot, "j")
        assert {"memory", "session"} <= opened


@pytest.fixture
def elsewhere(work: Path) -> Path:
    """Another project, in which a conversation was had; the folder of a third is hostile."""
    other = Path.home() / "kestrel"
    for name, project in (("k-1", other), ("e-1", Path.home() / "e\x1bvil")):
        project.mkdir()
        made = Session(name, project, "main", BEGUN + timedelta(days=4))
        made.asks("Give up after three retries.").edits("feed/retry.py")
        made.says("The retries are done.").write(Path.home())
    return other


async def test_sessions_of_all_projects_are_searched_and_lead_to_their_memory(
    memory: Path, elsewhere: Path, looks: Looks
) -> None:
    async with running(memory) as pilot:
        await press(pilot, "S", "E")
        assert type(pilot.app.screen).__name__ == "EverywhereScreen"
        assert toasts(pilot)[-1] == "Indexed 7 sessions"
        assert await looks(pilot, "everywhere", ALL_SIZES)
        assert "\x1b" not in screen_text(pilot)
        await typed(pilot, "done project:kestrel")
        assert await looks(pilot, "everywhere_hit", SIZES)
        await press(pilot, "enter")
        assert entry_at(pilot).text == "The retries are done."
        await press(pilot, "C")  # read only
        assert isinstance(pilot.app.screen, SessionScreen)
        await press(pilot, "escape", "escape", "g", "O")
        assert "There is no memory of ~/kestrel yet." in screen_text(pilot)
        theirs = elsewhere / ".agentx" / "memory"
        theirs.mkdir(parents=True)
        await press(pilot, "O")
    left = cast(MemtuiApp, pilot.app)
    assert left.wanted_next == theirs
    async with running(theirs, can_go_back=True) as pilot:
        assert "q back" in screen_text(pilot).splitlines()[-1]
        await press(pilot, "q")
    assert cast(MemtuiApp, pilot.app).wanted_next == BACK
    assert left.back_to is not None
    async with running(memory, opens=left.back_to) as pilot:
        assert type(pilot.app.screen).__name__ == "EverywhereScreen"
        row = under_cursor(pilot.app.screen.query_one(SessionList))
        assert isinstance(row, Listed)
        assert row.id == "k-1"
        await press(pilot, "q")
        assert type(pilot.app.screen) is SessionsScreen
    with open_at(memory) as project:
        assert project.search("in:sessions done").total == 0


async def test_recovered(memory: Path, looks: Looks) -> None:
    said = [
        {"role": "user", "text": "Rename the parser module, and keep the old name working."},
        {"role": "agent", "text": "I renamed it. The old name is next."},
        {"role": "user", "text": "Go on."},
    ]
    with open_at(memory) as now:
        now.continuation.checkpoint(
            "claude-code", said, "77d0-parse", left_open=("The old name is next.",)
        )
    async with running(memory) as pilot:
        await press(pilot, "i", "tab")
        assert await looks(pilot, "recovered", SIZES)


@pytest.fixture
def renamed(work: Path) -> Path:
    """The project after it was renamed: its sessions ran in `old-heron`, another's in `heron`."""
    gone = Path(os.environ["HOME"]) / "old-heron"
    for folder in list(Path(os.environ["HOME"]).glob(".claude/projects/*")):
        for path in folder.glob("*.jsonl"):
            path.write_text(path.read_text().replace(f"{work}", str(gone)))
            os.utime(path, (BEGUN.timestamp(), BEGUN.timestamp()))
        folder.rename(folder.with_name(folder.name.replace("-heron", "-old-heron")))
    for name in ("store/lock.py", "store/parse.py", "store/part0.py"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).touch()
    return gone


@pytest.mark.usefixtures("renamed")
async def test_a_folder_is_adopted_and_refused_with_one_key(work: Path, looks: Looks) -> None:
    async with running(memory_to_begin(work)) as pilot:
        await press(pilot, "S", "F")
        assert await looks(pilot, "earlier_folders", SIZES)
        await press(pilot, "escape")
        screen = pilot.app.screen
        assert isinstance(screen, SessionsScreen)
        for keys, listed_now, said in (
            ("", False, "may be of this project: press F"),
            ("space", True, ""),
            ("space", False, "appear here"),
            ("space", False, "may be of this project: press F"),
        ):
            if keys:
                await press(pilot, "F", keys, "escape")
                await settled(pilot)
            told = (keys, " ".join(screen.sentence))
            assert not screen.sentence if listed_now else said in told[1], told
