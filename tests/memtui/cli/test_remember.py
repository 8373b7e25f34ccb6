"""Commands an agent uses: remember, and the server it starts."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import click
import pytest

from memtui.words.remember import TEXT
from tests.memtui.cli.conftest import Run

PLACES = {
    "claude-code": ".claude/skills/remember/SKILL.md",
    "codex": ".agents/skills/remember/SKILL.md",
    "gemini-cli": ".gemini/commands/remember.toml",
    "qwen-code": ".qwen/commands/remember.md",
    "opencode": ".config/opencode/commands/remember.md",
    "cursor": ".cursor/commands/remember.md",
}
"""Where each client reads it, from the user's home."""


pytestmark = pytest.mark.usefixtures("on_the_path")


@pytest.fixture(autouse=True)
def _usual_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))


@pytest.mark.parametrize(("client", "place"), PLACES.items())
def test_it_comes_with_the_hooks_or_the_server_and_goes_with_either(
    memtui: Run, tmp_path: Path, client: str, place: str
) -> None:
    path = tmp_path / place
    install = (("hooks", "install", client), ("mcp", "install", "--client", client))
    for words in install:
        done = memtui(*words, "--yes", "--remember")
        assert done.code == 0
        text = path.read_text()
        if path.suffix == ".toml":
            assert tomllib.loads(text)["prompt"] == TEXT
        else:
            assert text.startswith("---\nname: remember\ndescription: ") and text.endswith(TEXT)
        assert ("$remember" if client == "codex" else "/remember") in done.err
        status = json.loads(memtui("hooks", "status", client, "--json").out)
        assert status[0]["command"] == str(path)
        assert memtui(words[0], "uninstall", *words[2:], "--yes").code == 0
        assert not path.exists()
        assert path.name != "SKILL.md" or not path.parent.exists()
    status = json.loads(memtui("hooks", "status", client, "--json").out)
    assert status[0]["command"] is None


def test_nobody_gets_it_unasked(memtui: Run, tmp_path: Path) -> None:
    memtui("mcp", "install", "--client", "claude-code", "--yes")
    assert not (tmp_path / PLACES["claude-code"]).exists()


@pytest.mark.parametrize("answer", [True, False])
def test_on_a_terminal_it_is_asked_for(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return "server" in question or answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(click, "confirm", confirm)
    memtui("mcp", "install", "--client", "claude-code")
    assert asked[1:] == ["Put down /remember, by which the agent stores what its session taught?"]
    assert (tmp_path / PLACES["claude-code"]).exists() is answer


def test_a_project_has_its_own_and_the_status_says_so(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(project)
    given = ("--project", ".", "--yes")
    assert memtui("hooks", "install", "claude-code", "--remember", *given).code == 0
    told = memtui("hooks", "status", "claude-code").out
    assert "/remember: " in told and PLACES["claude-code"] in told
    assert (project / PLACES["claude-code"]).exists()
    assert memtui("hooks", "uninstall", "claude-code", *given).code == 0
    assert not (project / PLACES["claude-code"]).exists()


def test_a_command_of_somebody_else_s_stays(memtui: Run, tmp_path: Path) -> None:
    path = tmp_path / PLACES["claude-code"]
    path.parent.mkdir(parents=True)
    path.write_text("Remember the milk.")
    done = memtui("mcp", "install", "--client", "claude-code", "--yes", "--remember")
    assert done.code == 1
    assert "is a command of somebody else's" in done.err
    memtui("mcp", "uninstall", "--client", "claude-code", "--yes")
    assert path.read_text() == "Remember the milk."


def test_one_of_an_earlier_version_is_renewed(memtui: Run, tmp_path: Path) -> None:
    words = ("mcp", "install", "--client", "gemini-cli", "--yes", "--remember")
    memtui(*words)
    path = tmp_path / PLACES["gemini-cli"]
    whole = path.read_text()
    path.write_text(whole.replace("lesson", "learnt"))
    memtui(*words)
    assert path.read_text() == whole


# `memtui mcp install`: clients' lists of servers, from the command line.


def test_a_server_comes_and_goes_with_a_diff(memtui: Run, tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"theme":"x"}')
    words = ("mcp", "install", "--client", "gemini")
    unasked = memtui(*words)
    assert (unasked.code, path.read_text()) == (1, '{"theme":"x"}')
    assert "--yes" in unasked.err
    dry = memtui(*words, "--dry-run")
    assert dry.code == 0
    assert '+{"theme":"x", "mcpServers"' in dry.out
    done = memtui(*words, "--yes")
    assert done.code == 0
    assert "Backup:" in done.err
    assert json.loads(path.read_text())["mcpServers"]["memtui"]["command"] == sys.executable
    assert "is up to date" in memtui(*words, "--yes").err
    assert memtui("mcp", "uninstall", "--client", "gemini", "--yes").code == 0
    assert path.read_text() == '{"theme":"x"}'


def test_hooks_and_server_of_one_file_go_in_any_order(memtui: Run, tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    text = '{\n    "theme": "x"\n}\n'
    path.write_text(text)
    for last in (("hooks", "gemini-cli"), ("mcp", "--client", "gemini")):
        first = ("mcp", "--client", "gemini") if last[0] == "hooks" else ("hooks", "gemini-cli")
        for name, *rest in (first, last):
            assert memtui(name, "install", *rest, "--yes").code == 0
        for name, *rest in (first, last):
            assert memtui(name, "uninstall", *rest, "--yes").code == 0
        assert path.read_text() == text
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("server", [("mcp",), ("serve",), ("mcp", "--http", "127.0.0.1:0")])
def test_a_folder_that_is_not_there_is_not_served(
    memtui: Run, tmp_path: Path, server: tuple[str, ...]
) -> None:
    done = memtui(*server, "--dir", str(tmp_path / "projcet"))
    assert (done.code, done.out) == (1, "")
    assert "projcet is not a folder." in done.err
    assert [*tmp_path.glob("projcet")] == []


def test_a_client_without_a_file_of_a_project(memtui: Run, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    words = ("--client", "cline", "--project", str(tmp_path / "shop"), "--yes")
    done = memtui("mcp", "install", *words)
    assert (done.code, "Cline reads no servers in a project" in done.err) == (2, True)
    assert [*tmp_path.rglob("cline_mcp_settings.json")] == []
