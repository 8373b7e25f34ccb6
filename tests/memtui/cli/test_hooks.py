"""`memtui hooks`: the settings files of agents, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from memtui.hooks.names import HOOKS
from tests.memtui.cli.conftest import Run


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """memtui can be started by its name."""
    monkeypatch.setattr("memtui.client_file.shutil.which", lambda name: f"/usr/bin/{name}")


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_the_python_that_runs_it_is_named(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    programs = tmp_path / "with space" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").touch()
    monkeypatch.setattr(
        "memtui.client_file.shutil.which", lambda name: name if Path(name).exists() else None
    )
    monkeypatch.setattr("memtui.client_file.sys.executable", str(programs / "python"))
    done = memtui("hooks", "install", agent, "--yes")
    assert f"'{programs / 'python'}' -I -m memtui hook stop" in done.out
    told = json.loads(memtui("hooks", "status", agent, "--json").out)[0]
    assert all(hook["installed"] for hook in told["hooks"])
    assert "is up to date" in memtui("hooks", "install", agent, "--yes").err
    assert "-" in memtui("hooks", "uninstall", agent, "--yes").out
    told = json.loads(memtui("hooks", "status", agent, "--json").out)[0]
    assert not any(hook["installed"] for hook in told["hooks"])


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


def test_a_project_has_settings_of_its_own(memtui: Run, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    done = memtui("hooks", "install", "codex", "--project", "shop", "--yes")
    assert "trust the hooks" in done.err
    written = json.loads((tmp_path / "shop" / ".codex" / "hooks.json").read_text())
    (entry,) = written["hooks"]["SessionStart"][0]["hooks"]
    assert entry["command"] == "memtui hook session-start --channel codex"


def test_on_a_terminal_it_asks(
    memtui: Run, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = settings.read_text()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(click, "confirm", lambda *_, **__: False)
    done = memtui("hooks", "install", "claude-code")
    assert "Nothing changed" in done.err
    assert settings.read_text() == before


def test_settings_that_are_no_settings_are_left(memtui: Run, settings: Path) -> None:
    settings.write_text("{ // a comment")
    done = memtui("hooks", "install", "claude-code", "--yes")
    assert (done.code, settings.read_text()) == (1, "{ // a comment")
    assert "not valid JSON" in done.err
    assert memtui("hooks", "install", "vim", "--yes").code == 2


@pytest.mark.usefixtures("settings")
def test_status_is_headed_by_the_file_that_holds_the_hooks(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    memtui("hooks", "install", "codex", "--project", ".", "--yes")
    shown = memtui("hooks", "status", "codex").out
    written = tmp_path / "shop" / ".codex" / "hooks.json"
    assert shown.splitlines()[0].endswith(str(Path(".codex", "hooks.json")))
    assert shown.count("hooks.json") == 1
    (told,) = json.loads(memtui("hooks", "status", "codex", "--json").out)
    assert told["path"] == str(written)


def test_the_help_of_hook_names_every_hook(memtui: Run) -> None:
    said = memtui("hook", "--help").out.replace("\n", " ")
    assert f"Hooks: {', '.join(HOOKS)}" in " ".join(said.split())


@pytest.mark.parametrize(
    ("agent", "used", "told"),
    [
        ("claude-code", "", "The model of Claude Code picks better ones: press W"),
        ("claude-code", "llm", ""),
        ("cursor", "", ""),
    ],
)
def test_it_is_said_once_that_a_model_picks_better(
    memtui: Run, monkeypatch: pytest.MonkeyPatch, agent: str, used: str, told: str
) -> None:
    if used:
        monkeypatch.setenv("MEMTUI_CAPTURE_PROGRAM", used)
    said = memtui("hooks", "install", agent, "--yes").err
    assert told in said
    assert ("model of" in said) == bool(told)
    assert "model of" not in memtui("hooks", "install", agent, "--yes").err


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("answer", [True, False])
def test_on_a_terminal_it_is_asked_whether_the_model_picks(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked = []

    def confirm(question: str, *, default: bool | None, err: bool) -> bool:
        asked.append((question, default))
        return "Install" in question or answer

    monkeypatch.setattr("memtui.cli.model_offer.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr(click, "prompt", lambda *_, **__: "user")
    told = memtui("hooks", "install", "claude-code").err
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
    memtui("hooks", "install", "claude-code")
    assert len(asked) == (3 if answer else 4)


@pytest.mark.usefixtures("settings")
def test_a_program_that_is_not_here_is_not_offered(
    memtui: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return True

    monkeypatch.setattr("memtui.cli.model_offer.which", lambda _: None)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(click, "confirm", confirm)
    monkeypatch.setattr(click, "prompt", lambda *_, **__: "user")
    assert "press W" in memtui("hooks", "install", "claude-code").err
    assert asked == ["Install the hooks?"]
