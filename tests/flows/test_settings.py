"""Settings in the app: seen, changed in either file, taken back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.tui.app import MemtuiApp
from memtui.tui.dialogs.prompt import PromptScreen
from memtui.tui.settings.screen import SettingsList, SettingsScreen
from memtui.tui.widgets.panes import StatusLine
from store.settings.files import user_file
from store.settings.schema import known_settings
from tests.flows.stage import SIZES, WIDE, Looks, at_home, press, running, settled
from tests.flows.stories import toasts

pytestmark = pytest.mark.usefixtures("still")


@pytest.fixture
def memory(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo's store in a home of its own, with settings of the user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    user_file().parent.mkdir(parents=True)
    user_file().write_text("# mine\nmax_tokens = 12000 # few\n")
    return Path(shutil.copytree(sample, tmp_path / "memory"))


async def at(pilot: Pilot[None], name: str) -> None:
    rows = pilot.app.screen.query_one(SettingsList)
    rows.cursor = rows.rows.index(known_settings()[name])
    await settled(pilot)


async def type_in(pilot: Pilot[None], text: str) -> None:
    pilot.app.screen.query_one(Input).value = text
    await settled(pilot)
    await press(pilot, "enter")


async def test_settings_are_changed_in_either_file_and_taken_back(
    memory: Path, looks: Looks
) -> None:
    project = memory.parent / "memtui.toml"
    async with running(memory, theme="") as pilot:
        app = pilot.app
        assert isinstance(app, MemtuiApp)
        await press(pilot, "comma", "j")
        assert await looks(pilot, "settings", SIZES)
        await at(pilot, "max_tokens")
        await press(pilot, "enter", "x", "enter")
        assert await looks(pilot, "a_setting_is_typed")
        await press(pilot, "escape")

        await at(pilot, "max_tokens")
        await press(pilot, "enter")
        await type_in(pilot, "many")
        assert isinstance(app.screen, PromptScreen)
        said = app.screen.query_one("#prompt-problem", StatusLine)
        assert str(said.content) == "Give a whole number from 0 to 10,000,000."
        await type_in(pilot, "8000")
        assert toasts(pilot) == ["max_tokens is 8000 in your file · u to undo"]
        assert user_file().read_text() == "# mine\nmax_tokens = 8000 # few\n"
        assert app.context.memory.settings.max_tokens == 8000
        await press(pilot, "u")
        assert toasts(pilot)[-1] == "Undone: max_tokens is 12000 again · U to redo"
        assert user_file().read_text() == "# mine\nmax_tokens = 12000 # few\n"
        assert app.context.memory.settings.max_tokens == 12000
        await press(pilot, "U")
        assert app.context.memory.settings.max_tokens == 8000
        await press(pilot, "d")
        assert user_file().read_text() == "# mine\n"
        await press(pilot, "d")
        assert toasts(pilot)[-1] == "max_tokens has its default."

        await at(pilot, "recall_on_prompt")
        await press(pilot, "tab", "enter")
        assert project.read_text() == "recall_on_prompt = false\n"
        await press(pilot, "tab", "enter")
        assert toasts(pilot)[-1].startswith(
            "recall_on_prompt is true in your file, but the project's file overrides it"
        )
        assert not app.context.memory.settings.recall_on_prompt
        await press(pilot, "tab")
        await at(pilot, "editor")
        await press(pilot, "enter")
        assert toasts(pilot)[-1] == "editor can only be set in your file."
        await press(pilot, "tab")

        await at(pilot, "memory_place")
        await press(pilot, "enter", "down", "enter")
        assert app.context.memory.settings.memory_place == "untracked"
        await at(pilot, "theme")
        await press(pilot, "enter", *"dracula")
        assert await looks(pilot, "a_theme_is_tried")
        await press(pilot, "escape")
        assert app.theme == "memtui"
        await press(pilot, "enter", "down", "down", "up", "enter")
        assert app.theme == "textual-dark"
        assert 'theme = "textual-dark"' in user_file().read_text()
        await at(pilot, "keymap")
        await press(pilot, "enter")
        await type_in(pilot, '{ settings = "f7" }')
        await press(pilot, "escape")
        assert at_home(pilot)
        await press(pilot, "f7")
        assert isinstance(app.screen, SettingsScreen)


async def test_settings_with_mistakes(memory: Path, looks: Looks) -> None:
    (memory.parent / "memtui.toml").write_text("max_tokens = -1\n\nmax_observations = 5\n")
    async with running(memory, size=WIDE) as pilot:
        await press(pilot, "comma")
        assert await looks(pilot)
