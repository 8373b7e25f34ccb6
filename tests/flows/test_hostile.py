"""A project that is hostile in all it is made of: every screen shows it and obeys nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input, TextArea

from tests.faults.evil import ACTS, EVIL, evil_project
from tests.flows.stage import browse, go_home, press, running, screen_text, settled

pytestmark = pytest.mark.usefixtures("still")

WAYS: dict[str, tuple[str, ...]] = {
    "BrowseScreen": ("tab", "j", "tab", "j", "space"),
    "BrowseScreen with a memory": ("enter", "G"),
    "ObservationScreen": ("i", "enter", "G"),
    "ClarificationsScreen": ("Q",),
    "StatsScreen": ("s",),
    "ActivityScreen": ("A", "G", "enter"),
    "ContextScreen": ("K", "j", "G"),
    "InboxScreen": ("R", "j", "G"),
    "DoctorScreen": ("exclamation_mark", "G"),
    "HistoryScreen": ("H",),
    "SessionScreen": ("S", "enter", "G"),
    "SessionsScreen with hits": ("S", "B", "slash", *"lock"),
    "SettingsScreen": ("comma", "G"),
    "SetupScreen": ("W", "j", "j", "j"),
    "InjectionScreen": ("i", "j", "j"),
    "ChoicePicker": ("i", "at"),
    "CompactionScreen": ("c", "enter", "j"),
    "TranscriptPicker": ("C",),
    "CaptureScreen": ("C", "enter"),
    "PromptScreen": ("x",),
    "CopyScreen": ("y",),
    "WriteScreen": ("e",),
    "ConfirmScreen": ("d",),
    "HelpScreen": ("question_mark",),
    "ChoicePicker of commands": ("ctrl+p", *"agent"),
}
"""The keys that reach each screen from home; what follows its name says how."""


BOXES = {
    "a line": ("x",),
    "a picker": ("number_sign",),
    "a page": ("n",),
}


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    project = evil_project(tmp_path / "evil", home)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(project)
    return project / ".agentx" / "memory"


async def test_no_screen_obeys_what_it_shows(evil: Path) -> None:
    seen: dict[str, str] = {}
    async with running(evil) as pilot:
        for name, keys in WAYS.items():
            await press(pilot, *keys)
            text = screen_text(pilot)
            assert not ACTS.findall(text), name
            assert pilot.app.is_running, name
            assert type(pilot.app.screen).__name__ == name.partition(" ")[0]
            seen[name] = text
            await go_home(pilot)
            browse(pilot).set_query("")
        for name, keys in BOXES.items():
            await press(pilot, *keys)
            pilot.app.post_message(Paste("\x1b[31mred"))
            await settled(pilot)
            text = screen_text(pilot)
            assert not ACTS.findall(text) and "\u241b[31mred" in text, name
            box = pilot.app.focused
            assert isinstance(box, Input | TextArea), name
            assert "\x1b[31mred" in (box.value if isinstance(box, Input) else box.text), name
            await go_home(pilot)
        await press(pilot, "e")
        assert EVIL in pilot.app.screen.query_one(TextArea).text
    for name in ("BrowseScreen", "SessionScreen", "SessionsScreen with hits", "InjectionScreen"):
        assert "␛" in seen[name], name
    assert "[bold]x[/bold] [@click=app.quit]q[/]" in seen["BrowseScreen with a memory"]
