"""All that an agent is told at a session's start, and what is done about it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.agent_context.rows import ContextList
from memtui.tui.dialogs.prompt import ConfirmScreen
from memtui.tui.frame.routes import Told
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.text_pane import TextPane
from store.agents.hooks import Hook, line_of
from tests.flows.stage import NOW, SIZES, Looks, fill, open_at, press, running
from tests.store.factories import observation

pytestmark = pytest.mark.usefixtures("still")

START = Hook("SessionStart", "session-start", 10)
RULES = """# Shop

Run the tests before a commit. The style is in
@docs/style.md

- Retries are at most 3.
- Never commit secrets.
"""
STYLE = """# Style

Short names. Always run the tests
before a commit.
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose client has files, a memory of its own that is cut, and a hook of others."""
    home, root = tmp_path / "home", tmp_path / "shop"
    monkeypatch.setenv("HOME", str(home))
    project = str(root).translate(str.maketrans("/_.", "---"))
    hook = {"type": "command", "command": "echo hello"}
    ours = {"type": "command", "command": line_of(sys.executable, START, "claude-code")}
    hooks = {"hooks": {"SessionStart": [{"hooks": [hook, ours]}]}}
    for path, text in (
        (root / ".git" / "HEAD", "ref: refs/heads/main\n"),
        (root / "CLAUDE.md", RULES),
        (root / "docs" / "style.md", STYLE),
        (root / ".claude" / "rules" / "all.md", "x" * 1_000_001),
        (root / ".claude" / "rules" / "web.md", "---\npaths: web/**\n---\nUse the grid.\n"),
        (
            root / ".claude" / "skills" / "deploy" / "SKILL.md",
            "---\nname: deploy\ndescription: Use it to put the shop online\n---\nPush it.\n",
        ),
        (home / ".claude" / "settings.json", json.dumps(hooks)),
        (
            home / ".claude" / "projects" / project / "memory" / "MEMORY.md",
            "".join(f"- Note {number} of the agent's own.\n" for number in range(1, 221)),
        ),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    rules = ("Retries are at most 5.", "Keep prices in cents.")
    return fill(
        root / ".agentx" / "memory",
        [
            observation(
                rule,
                id=f"obs-engineer-0-1709035200000-aaaa{number:02}",
                issue_number=0,
                category="lesson",
                tags=("rule",),
                timestamp=NOW,
            )
            for number, rule in enumerate(rules)
        ],
    )


def listed(pilot: Pilot[None]) -> list[str]:
    parts = pilot.app.screen.query_one(ContextList)
    return [parts.row(index, 100).plain.rstrip() for index in range(len(parts.rows))]


def details(pilot: Pilot[None]) -> str:
    return pilot.app.screen.query_one("#details", TextPane).text


async def test_told_is_of_the_folder_one_is_in(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = shop.parents[1] / "web"
    web.mkdir()
    (web / "CLAUDE.md").write_text("Use the grid.\n")
    monkeypatch.chdir(web)
    async with running(shop) as pilot:
        await press(pilot, "K")
        (row,) = [row for row in listed(pilot) if "web/CLAUDE.md" in row]
        assert "for web" not in row, "it is loaded at the start"


async def test_told(shop: Path, looks: Looks, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[list[str], Path]] = []

    def run(command: Sequence[str], path: Path) -> int:
        opened.append(([*command], path))
        return 0

    monkeypatch.setenv("EDITOR", "vim -n")
    async with running(shop, run_editor=run) as pilot:
        assert await looks(pilot, "from_home", SIZES)
        await press(pilot, "K")
        assert await looks(pilot, "told", SIZES)
        await press(pilot, "e")
        assert opened == [(["vim", "-n", "+3"], shop.parents[1] / "CLAUDE.md")]
        await press(pilot, "j", "j", "j", "j", "enter", "G")
        assert await looks(pilot, "cut", SIZES)
        assert "── not in the context: 323 tokens ──\n- Note 201" in details(pilot)
        await press(pilot, "escape", "j", "j")
        assert "echo hello" in details(pilot)
        assert "import" not in {key[2] for key in pilot.app.screen.query_one(KeyBar).keys}
        await press(pilot, "G")
        assert details(pilot).endswith("≠ another figure, CLAUDE.md:6: Retries are at most 3.")
        assert {"mute", "to file"} <= {key[2] for key in pilot.app.screen.query_one(KeyBar).keys}
        await press(pilot, "m")
        assert not any("Retries" in row for row in listed(pilot))
        await press(pilot, "u")
        assert any("Retries" in row for row in listed(pilot))
        await press(pilot, "G", "M")
        assert await looks(pilot, "to_file", SIZES)
        await press(pilot, "enter")
        assert "- Retries are at most 5." in (shop.parents[1] / "CLAUDE.md").read_text()
        assert sum("Retries" in row for row in listed(pilot)) == 0, "its file says it"
        await press(pilot, "u")
        assert (shop.parents[1] / "CLAUDE.md").read_text() == RULES
        await press(pilot, "g", "X")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "enter")
        found = [row for row in listed(pilot) if "start hook" in row]
        assert found, "back on the screen"
        with open_at(shop) as memory:
            added = [one for one in memory.by_issue(0) if one.agent == "memory-bank"]
            assert ["CLAUDE.md#L7"] in [[*one.sources] for one in added]


async def test_another_client_is_told_nothing(shop: Path, looks: Looks) -> None:
    async with running(shop, opens=Told("aider")) as pilot:
        assert await looks(pilot, "nothing", SIZES)
        await press(pilot, "I", "I")
        assert "Claude Code" in str(pilot.app.screen.query_one(ContextList).border_title)
