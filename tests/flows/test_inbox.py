"""The inbox: what agents wrote is approved, edited and taken back, and each undone."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.inbox.screen import InboxList
from memtui.tui.widgets.panes import StatusLine
from memtui.tui.widgets.text_pane import TextPane
from store.model import EntrySource
from tests.flows.stage import NARROW, NOW, SIZES, Looks, burst, open_at, press, running, settled
from tests.flows.stories import toasts
from tests.store.factories import observation

pytestmark = pytest.mark.usefixtures("still")

LOCKS = (
    "Locks are taken in one order: the manifest first, then the issue.\n"
    "Before, two writers waited for each other.\n"
    "A test holds both for a second."
)
RULE = "Never write to the ledger without a lock, because two tills run at once."


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two memories, four changes of agents, and one of an instruction file."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "CLAUDE.md").write_text("# Shop\n\nPrices are in cents.\nRun the tests.\n")
    path = root / ".agentx" / "memory"
    path.mkdir(parents=True)
    (path.parent / "memtui.toml").write_text('review = "before"\n')
    with open_at(path) as memory:
        locks, old = memory.store(
            [
                observation(LOCKS, id="obs-engineer-29-1709035200000-aaaa01"),
                observation(
                    "The gauge is read in psi.",
                    category="key-fact",
                    issue_number=7,
                    id="obs-engineer-7-1709035200000-aaaa02",
                ),
            ]
        )
        text = LOCKS.replace("the manifest first, then the issue", "the issue first")
        memory.edit(locks, {"content": f"{text}\nSee store/locks.py."}, source=EntrySource.MCP)
        memory.apply(memory.plan.remove(old), source=EntrySource.MCP)
        memory.add(
            [
                observation(
                    RULE,
                    agent="claude-code",
                    category="lesson",
                    id="obs-claudecode-29-1709035200000-aaaa03",
                ),
                observation(
                    "Deploys go out on Tuesdays.",
                    agent="claude-code",
                    issue_number=0,
                    id="obs-claudecode-0-1709035200000-aaaa04",
                ),
            ],
            source=EntrySource.CAPTURE,
        )
        memory.inbox.begin()
    (root / "CLAUDE.md").write_text("# Shop\n\nPrices are in euros.\nRun the tests.\n")
    changed = (NOW - timedelta(hours=3)).timestamp()
    os.utime(root / "CLAUDE.md", (changed, changed))
    return path


def listed(pilot: Pilot[None]) -> list[str]:
    rows = pilot.app.screen.query_one(InboxList)
    return [rows.row(index, 100).plain.strip() for index in range(len(rows.rows))]


def titles(pilot: Pilot[None]) -> list[str]:
    rows = pilot.app.screen.query_one(InboxList)
    return [row.title for row in rows.rows if not isinstance(row, str)]


def details(pilot: Pilot[None]) -> str:
    return pilot.app.screen.query_one("#details", TextPane).text


async def test_inbox(shop: Path, looks: Looks) -> None:
    async with running(shop) as pilot:
        assert await looks(pilot, "from_home", SIZES)
        await press(pilot, "R")
        assert len(titles(pilot)) == 5
        while "manifest first" not in details(pilot):
            await press(pilot, "j")
        assert await looks(pilot, "inbox", (*SIZES, (200, 50)))
        await press(pilot, "a")
        assert "Approved 1 change in the inbox" in toasts(pilot)[-1]
        assert len(titles(pilot)) == 4
        with open_at(shop) as memory:
            assert "the issue first" in memory.by_issue(29)[0].content
        await press(pilot, "u")
        assert len(titles(pilot)) == 5
        await press(pilot, "g", "d")
        gone = titles(pilot)
        assert len(gone) == 4
        await press(pilot, "u")
        assert len(titles(pilot)) == 5
        await press(pilot, "A")
        assert await looks(pilot, "all", SIZES)
        await press(pilot, "enter")
        assert await looks(pilot, "empty", SIZES)
        await press(pilot, "u")
        assert len(titles(pilot)) == 5


async def test_keys_pressed_fast_take_a_row_each(shop: Path) -> None:
    async with running(shop) as pilot:
        await press(pilot, "R", "g")
        before = titles(pilot)
        await burst(pilot, "a", "d", "a", "u")
        assert titles(pilot) == before[2:]


async def test_home_and_inbox_show_what_comes_to_wait(shop: Path) -> None:
    def propose(text: str) -> None:
        with open_at(shop, "other") as other:
            other.add([observation(text)], source=EntrySource.MCP)

    async with running(shop) as pilot:
        home = pilot.app.screen.query_one("#notice", StatusLine)
        propose("Tills open at nine.")
        await press(pilot, "ctrl+r")
        assert "6 changes wait" in str(home.render())
        await press(pilot, "R")
        propose("Tills close at six.")
        await pilot.app.run_action("app.look")
        await settled(pilot)
        assert "Tills close at six." in titles(pilot)
        (shop.parents[1] / "CLAUDE.md").write_text(
            "# Shop\n\nPrices are in cents.\nRun the tests.\n"
        )
        await press(pilot, "escape")
        assert "6 changes wait" in str(home.render()), "and the file is as it was"


async def test_what_waits_is_edited(shop: Path, looks: Looks) -> None:
    async with running(shop, size=NARROW) as pilot:
        await press(pilot, "R")
        while RULE not in details(pilot):
            await press(pilot, "j")
        await press(pilot, "e", *" Ask Ann.")
        assert await looks(pilot, "edited")
        await press(pilot, "ctrl+s")
        assert f"{RULE} Ask Ann." in titles(pilot)
        assert len(titles(pilot)) == 5


async def test_what_changed_since_is_not_overwritten(shop: Path, looks: Looks) -> None:
    with open_at(shop) as memory:
        (locks,) = memory.by_issue(29)
        memory.apply(memory.plan.edit(locks.id, {"content": f"{LOCKS}\nOr ask Ann."}))
    (shop / "inbox" / "half.json").write_text("{")
    async with running(shop) as pilot:
        await press(pilot, "R")
        while "changed since" not in details(pilot):
            await press(pilot, "j")
        assert await looks(pilot, "outdated", SIZES)
        await press(pilot, "a")
        assert "changed since this was proposed" in toasts(pilot)[-1]
        assert len(titles(pilot)) == 5


async def test_an_inbox_where_nothing_waits(tmp_path: Path, looks: Looks) -> None:
    path = tmp_path / "shop" / ".agentx" / "memory"
    with open_at(path) as memory:
        memory.store([observation()])
    async with running(path) as pilot:
        await press(pilot, "R")
        assert await looks(pilot, "nothing", SIZES)
