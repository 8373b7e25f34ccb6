"""No command lets anything through that acts on a terminal, whatever the project is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memtui.cli.commands import cli
from memtui.cli.main import run
from tests.faults.evil import ACTS, EVIL, evil_project

CALLS: dict[str, list[list[str]]] = {
    "search": [["lock"], ["lock", "--json"], ["agent:x"], [EVIL], ["is:archived"]],
    "show": [["new0"], ["new1", "--json"], ["old2"], [EVIL]],
    "list": [[], ["--json"], ["--issue", "1"], ["--agent", EVIL]],
    "status": [[], ["--short"], ["--json"]],
    "digest": [["--days", "9999"], ["--markdown", "--days", "9999"], ["--json"]],
    "drift": [[], ["--json"], ["new0"], ["new0", "--holds", "--yes"], [EVIL],
              ["new0", "--path", f"{EVIL}={EVIL}", "--yes"]],
    "stats": [[], ["--json"], ["--context"]],
    "add": [["A lock.", "--tag", EVIL], ["A lock.", "--agent", EVIL], [EVIL]],
    "edit": [["new0", "--content", EVIL], ["new1", "--category", EVIL], [EVIL]],
    "inbox": [[], ["--json"]],
    "inbox show": [[EVIL], ["waits-new"], ["waits-new", "--json"]],
    "inbox approve": [[EVIL, "--yes"], ["--all", "--dry-run"]],
    "inbox take-back": [[EVIL, "--yes"], ["--all", "--dry-run"]],
    "inbox edit": [[EVIL, "--content", EVIL], ["waits-c", "--content", EVIL, "--yes"]],
    "tag": [["new0", "--add", "seen"], ["new1", "--remove", EVIL], [EVIL, "--pin"],
            ["new0", "--mute"]],
    "remove": [["new2", "--dry-run"], ["new2", "--yes"], [EVIL, "--yes"]],
    "archive": [["new0", "--yes"], ["--query", "lock", "--dry-run"], [EVIL]],
    "restore": [["old1", "--yes"], [EVIL]],
    "told": [[], ["--json"], ["--client", "codex"]],
    "inject": [[], ["--issue", "1"], ["--issue", "1", "--explain"], ["--json"], ["--next"],
               ["--task", f"lock {EVIL}"], ["--agent", EVIL]],
    "capture": [["--dry-run"], [], ["--json"], [EVIL]],
    "sessions": [[], ["--json"]],
    "sessions index": [[], [EVIL]],
    "sessions last": [[], ["--json"], [EVIL]],
    "sessions search": [["lock"], ["lock", "--json"], [EVIL]],
    "clarify": [[], ["--json"], ["--issue", "1"]],
    "clarify ask": [["--issue", "1", "--from", EVIL, "--to", "a", "--topic", EVIL, EVIL]],
    "clarify answer": [["CLR-1-001", EVIL, "--from", EVIL], [EVIL, EVIL, "--from", "b"]],
    "clarify resolve": [["CLR-1-001", "--from", EVIL], [EVIL, "--from", "b"]],
    "clarify escalate": [["CLR-1-001", EVIL, "--from", EVIL], [EVIL, "--from", "b"]],
    "clarify decision": [["CLR-1-002"], ["CLR-1-002", "--dry-run"], [EVIL]],
    "clarify abandon": [["CLR-1-001", EVIL, "--from", EVIL], [EVIL, "--from", "b"]],
    "hooks run": [["session-start"], [EVIL]],
    "hooks": [[], [EVIL]],
    "hooks status": [[], ["--json"], ["claude-code"]],
    "hooks install": [["claude-code", "--dry-run"], ["codex", "--yes"], [EVIL]],
    "hooks uninstall": [["codex", "--yes"], ["claude-code"]],
    "mcp": [["--bad"], [EVIL]],
    "mcp install": [["--client", "codex", "--yes"], ["--client", EVIL]],
    "mcp uninstall": [["--client", "codex", "--yes"]],
    "serve": [["--bad"], [EVIL]],
    "compact": [["--all", "--dry-run"], ["--prune", "--strategy", EVIL],
                ["--prune", "--strategy", "cap"], ["--issue", "1", "--yes"], ["--json"]],
    "migrate": [["--dry-run"], ["--yes"], ["--layout"]],
    "undo": [["--dry-run"], ["--yes"], [EVIL]],
    "history": [[], ["--json"]],
    "history undo": [["--dry-run"], [EVIL]],
    "history redo": [["--dry-run"], [EVIL]],
    "import": [[f"{EVIL}.jsonl"], ["CLAUDE.md", "--dry-run"], ["CLAUDE.md", "--yes"]],
    "export": [[], ["--format", "markdown"], ["--query", EVIL]],
    "config": [[], ["--json"]],
    "config edit": [[]],
    "config set": [["theme", EVIL], [EVIL, "x"], ["editor", EVIL], ["theme", "nord"]],
    "config unset": [["theme"], ["theme"], [EVIL]],
    "git": [[]],
    "git status": [[]],
    "git diff": [[], [EVIL], ["--json"]],
    "git merge-file": [[EVIL, EVIL, EVIL, EVIL]],
    "git resolve": [[EVIL], ["new0"]],
    "git textconv": [[".agentx/memory/issue-1.json"], [EVIL]],
    "git install": [[], ["--dry-run"]],
    "git uninstall": [[], ["--dry-run"]],
    "doctor": [[], ["--json"], ["--repair", "--yes"]],
    "sync": [[], [EVIL], ["--status", EVIL], ["no-repository"]],
    "init": [[], ["user"]],
    "move": [["user", "--yes"], ["tracked", "--yes"]],
    "sessions earlier": [[], ["--json"]],
    "sessions adopt": [[EVIL], [EVIL, "--undo"]],
    "sessions refuse": [[EVIL]],
    "demo": [],  # needs a terminal
    "completion": [["bash"], [EVIL]],
}  # fmt: skip
"""How each command is called; those that are not there are not called."""


def _commands(group: click.Group, before: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        whole = f"{before}{name}"
        yield whole
        if isinstance(command, click.Group):
            yield from _commands(command, f"{whole} ")


COMMANDS = sorted(_commands(cli))


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A hostile project, and the home with its sessions."""
    home = tmp_path_factory.mktemp("home")
    return evil_project(tmp_path_factory.mktemp("evil"), home), home


def test_every_command_is_called() -> None:
    assert set(COMMANDS) <= set(CALLS), set(COMMANDS) - set(CALLS)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_lets_a_code_through(
    command: str,
    evil: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project, home = evil
    monkeypatch.chdir(project)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    for words in CALLS.get(command, [[]]):
        code = run([*command.split(), *words])
        told = capfd.readouterr()
        for stream in told:
            assert not ACTS.findall(stream), (words, stream)
            assert "unexpectedly" not in stream, (words, stream)
        assert code in (0, 1, 2), words
