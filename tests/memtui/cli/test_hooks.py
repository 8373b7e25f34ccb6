"""`memtui hooks`: the settings files of agents, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from tests.memtui.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("on_the_path")


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """The user's settings of Claude Code, with a hook of somebody else."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "hooks": {"Stop": [{"hooks": [{"command": "bell"}]}]}\n}\n')
    return path


def test_hooks_come_and_go_with_a_diff(memtui: Run, settings: Path) -> None:
    before = settings.read_text()
    dry = memtui("hooks", "install", "claude-code", "--dry-run")
    assert (dry.code, settings.read_text()) == (0, before)
    done = memtui("hooks", "install", "claude-code", "--yes")
    assert done.out == dry.out
    assert any(line[0] == "+" and "memtui hook" in line for line in done.out.splitlines())
    assert "Backup:" in done.err
    assert "bell" in settings.read_text()
    assert "is up to date" in memtui("hooks", "install", "claude-code", "--yes").err
    nowhere = memtui("hooks", "uninstall", "codex", "--yes")
    assert (nowhere.code, "has no memtui entries" in nowhere.err) == (0, True)
    gone = memtui("hooks", "uninstall", "claude-code", "--yes")
    assert any(line[0] == "-" and "memtui hook" in line for line in gone.out.splitlines())
    assert settings.read_text() == before


def test_status_names_what_is_active(memtui: Run, settings: Path) -> None:
    memtui("hooks", "install", "codex", "--yes")
    shown = memtui("hooks", "status")
    assert "codex  .codex/hooks.json" in shown.out
    assert "· SessionStart: memtui hook session-start  untrusted: start codex" in shown.out
    assert shown.code == 1
    assert "pi  not installed" in shown.out
    part = memtui("hooks", "status", "claude-code")
    assert "· SessionStart: memtui hook session-start  not installed\n" in part.out
    assert "Run `memtui hooks install claude-code`" in part.err
    assert "install codex" not in shown.err
    claude, codex, *_ = json.loads(memtui("hooks", "status", "--json").out)
    assert not any(hook["installed"] for hook in claude["hooks"])
    assert all(hook["installed"] for hook in codex["hooks"])
    (one,) = json.loads(memtui("hooks", "status", "codex", "--json").out)
    assert one == codex
    assert settings.is_file()


def test_status_names_a_variable_that_is_wrong(
    memtui: Run, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_DIR", "/nowhere/at/all")
    said = memtui("hooks", "status", "claude-code")
    assert said.code == 1
    assert "Hooks with the variables of this shell fail:" in said.err
    assert "/nowhere/at/all" in said.err


def test_settings_that_are_no_settings_are_left(memtui: Run, settings: Path) -> None:
    settings.write_text("{ // a comment")
    done = memtui("hooks", "install", "claude-code", "--yes")
    assert (done.code, settings.read_text()) == (1, "{ // a comment")
    assert "not valid JSON" in done.err
    assert memtui("hooks", "install", "vim", "--yes").code == 2
    shown = memtui("hooks", "status")
    assert (shown.code, "settings.json is not valid JSON" in shown.out) == (1, True)


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("answer", [True, False])
def test_on_a_terminal_it_is_asked_whether_the_model_picks(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked = []

    def confirm(question: str, *, default: bool | None, err: bool) -> bool:
        asked.append((question, default))
        return "Install" in question or answer

    monkeypatch.setattr("memtui.cli.hooks_choices.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr(click, "prompt", lambda *_, **__: "user")
    install = ("hooks", "install", "claude-code", "--no-remember")
    told = memtui(*install).err
    assert asked == [
        ("Install the hooks?", True),
        ("Let the model of Claude Code pick them?", None),
    ]
    assert "Costs one prompt per session, of at most 80,000 characters" in told
    mine = tmp_path / "config" / "memtui" / "settings.toml"
    assert (mine.is_file() and "claude -p" in mine.read_text()) is answer
    assert ("config unset capture_program" in told) is answer
    assert ("Rules pick the memories" in told) is not answer
    memtui("hooks", "uninstall", "claude-code", "--yes")
    memtui(*install)
    assert len(asked) == (3 if answer else 4)
