"""Nothing that memory holds acts on the terminal, wherever it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.flows.stage import NOW, browse, go_home, press, running, screen_text, settled, write

pytestmark = pytest.mark.usefixtures("still")

EVIL = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe \x9b31m[bold]x[/bold] [@click=app.quit]q[/]"


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A store whose every field is hostile, written past our own door."""
    folder = tmp_path / "memory"
    folder.mkdir()
    record = {
        "id": f"obs{EVIL}",
        "agent": f"agent{EVIL}",
        "issueNumber": 1,
        "category": f"kind{EVIL}",
        "content": f"content {EVIL}",
        "summary": f"summary {EVIL}",
        "tokens": 3,
        "timestamp": NOW.isoformat(),
        "sessionId": EVIL,
        "tags": [EVIL],
        "sources": [EVIL],
        "unknown": {EVIL: EVIL},
    }
    file = {"version": 1, "issueNumber": 1, "observations": [record]}
    (folder / "issue-1.json").write_text(json.dumps(file))
    return folder


def check(pilot: Pilot[None], shown: str) -> None:
    text = screen_text(pilot)
    assert not set(text) & set("\x1b\x07\x9b\u202e")
    assert shown in text


BOXES = {
    "task": ("i", "T"),
    "picker": ("i", "at"),
    "transcripts": ("C",),
    "saving": ("x",),
    "writing": ("n",),
}


async def test_every_screen_and_box_shows_it_and_obeys_nothing(
    evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with running(evil) as pilot:
        check(pilot, "summary \u241b]0;owned")
        await press(pilot, "tab", "tab", "j", "space")
        assert browse(pilot).query_line.startswith("agent:")
        check(pilot, "agent:")
        await press(pilot, "tab", "G", "space")
        check(pilot, "kind\u241b")
        browse(pilot).set_query("")
        await write(pilot, "agent:a")
        check(pilot, "agent\u241b]0;owned")
        await press(pilot, "escape", "escape", "escape", "enter")
        check(pilot, "content \u241b]0;owned")
        await press(pilot, "G")
        check(pilot, "unknown")
        await press(pilot, "escape", "ctrl+p", *"agent")
        check(pilot, "agent")
        assert pilot.app.is_running
        await go_home(pilot)
        for name, keys in BOXES.items():
            await press(pilot, *keys)
            pilot.app.post_message(Paste("\x1b[31mred"))
            await settled(pilot)
            check(pilot, "\u241b[31mred")
            box = pilot.app.focused
            assert isinstance(box, Input | TextArea), name
            assert "\x1b[31mred" in (box.value if isinstance(box, Input) else box.text), name
            await go_home(pilot)
        await press(pilot, "e")
        check(pilot, "content \u241b]0;owned\u2407\u241b[2J")
        area = pilot.app.screen.query_one(TextArea)
        assert f"content {EVIL}" in area.text
