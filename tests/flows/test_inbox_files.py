"""What agents changed in instruction files and own memories, in the inbox."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.tui.dialogs.prompt import ConfirmScreen
from tests.flows.stage import NOW, SIZES, Looks, open_at, press, running, screen_text
from tests.flows.test_inbox import details, titles
from tests.store.factories import observation

pytestmark = pytest.mark.usefixtures("still")

RULES = """# Shop

- Run the tests before a commit.
- Prices are in cents.
- Ask before you add a dependency.

## Deploy

Deploys go out on Tuesdays.
"""
NEW = """# Shop

- Run the tests before each commit, also of documents.
- Prices are in cents.
- Never wait for the lock of a till: it is held for minutes.

## Deploy

Deploys go out on Tuesdays.
The key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG.
"""
TOPIC = """---
name: tills
---
# Tills

Two tills run at once.
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project at which somebody looked, before an agent changed its files."""
    home, root = tmp_path / "home", tmp_path / "shop"
    monkeypatch.setenv("HOME", str(home))
    filed = str(root).translate(str.maketrans("/_.", "---"))
    memory = home / ".claude" / "projects" / filed / "memory"
    memory.mkdir(parents=True)
    (root / ".git").mkdir(parents=True)
    (root / "CLAUDE.md").write_text(RULES)
    (root / "AGENTS.md").write_text("Read CLAUDE.md.\n")
    (root / "GEMINI.md").write_text("Answer in short sentences.\n")
    path = root / ".agentx" / "memory"
    with open_at(path) as opened:
        opened.store([observation()])
        opened.inbox.begin()
    (root / "CLAUDE.md").write_text(NEW)
    (root / "AGENTS.md").rename(root / "QWEN.md")
    (root / "GEMINI.md").unlink()
    (memory / "tills.md").write_text(TOPIC)
    for hours, changed in enumerate(
        (root, root / "CLAUDE.md", root / "QWEN.md", memory / "tills.md")
    ):
        then = (NOW - timedelta(hours=hours + 1)).timestamp()
        os.utime(changed, (then, then))
    return path


async def test_files(shop: Path, looks: Looks) -> None:
    rules = shop.parents[1] / "CLAUDE.md"
    async with running(shop) as pilot:
        await press(pilot, "R")
        assert titles(pilot) == [
            "- Run the tests before each commit, also of documents.",
            "- Ask before you add a dependency.",
            "- Never wait for the lock of a till: it is held for minutes.",
            "The key is [redacted token ad07].",
            "Answer in short sentences.",
            "AGENTS.md → QWEN.md",
            "# Tills",
        ]
        assert await looks(pilot, "files", SIZES)
        await press(pilot, "j", "j", "j")
        assert "sk-ant" not in details(pilot)
        assert await looks(pilot, "secret", SIZES)
        await press(pilot, "G", "X")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape", "g", "d")
        assert "- Run the tests before a commit." in rules.read_text()
        assert len(titles(pilot)) == 6
        await press(pilot, "u")
        assert rules.read_text() == NEW
        await press(pilot, "g", "e", *" At night.")
        assert "64 characters" in screen_text(pilot)
        await press(pilot, "ctrl+s")
        assert "also of documents. At night.\n" in rules.read_text()
        await press(pilot, "u")
        await press(pilot, "A", "enter")
        assert titles(pilot) == []
        await press(pilot, "u")
        assert len(titles(pilot)) == 7


async def test_home_takes_the_first_look(tmp_path: Path, looks: Looks) -> None:
    path = tmp_path / "shop" / ".agentx" / "memory"
    rules = tmp_path / "shop" / "CLAUDE.md"
    with open_at(path) as memory:
        memory.store([observation(id="obs-engineer-29-1709035200000-aaaa01")])
    rules.write_text(RULES)
    async with running(path):
        pass
    rules.write_text(f"{RULES}\nNever push.\n")
    async with running(path) as pilot:
        assert await looks(pilot, "home")
