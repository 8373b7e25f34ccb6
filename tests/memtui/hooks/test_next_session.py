"""The next session: one request for hook, command and app, so that each says the same."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from memtui.cli.commands import cli
from memtui.hooks import next_session as module
from memtui.hooks.call import HookInput
from memtui.hooks.next_session import next_session
from memtui.hooks.run import run_hook
from memtui.hooks.surroundings import Surroundings
from memtui.tui.frame.routes import NextOf
from memtui.tui.injection.forecast import answer
from store import Memory, open_memory
from store.agents.registry import HOOKED
from store.backends.location import FOLDER
from store.recall import service as recall_module
from tests.store.factories import observation

WORDS = "lock timeout billing form palette colours invoice retry kernel cache schema login".split()
BRANCHES = ("main", "feature/29-locks", "fix/ENT-98-login", "42", "spike/colours", "PROJ-1234")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose memory holds forty notes of four issues."""
    monkeypatch.delenv("MEMTUI_DIR", raising=False)
    dice = Random(3)
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    with open_memory(root / FOLDER) as memory:
        memory.store(
            [
                observation(
                    f"{'Always ' * (n % 2)}{' '.join(dice.choices(WORDS, k=30))} "
                    f"in src/{dice.choice(WORDS)}.py, {n}",
                    issue_number=dice.choice([0, 29, 98, 42]),
                    agent=dice.choice(["claude-code", "codex", "engineer"]),
                )
                for n in range(40)
            ]
        )
    return root


def _situation(root: Path, dice: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".git" / "HEAD").write_text(f"ref: refs/heads/{dice.choice(BRANCHES)}\n")
    settings = f"client_tokens = {{ {dice.choice(HOOKED)} = {dice.choice([300, 1_500, 9_000])} }}"
    hint = dice.choice(["", "recall_hint = false"])
    (root / ".agentx" / "memtui.toml").write_text(f"{hint}\n{settings}\n")
    about = Surroundings(
        branch_words=tuple(dice.choices(WORDS, k=dice.randrange(3))),
        changed_files=tuple(f"src/{word}.py" for word in dice.choices(WORDS, k=dice.randrange(4))),
        commits=tuple(" ".join(dice.choices(WORDS, k=5)) for _ in range(dice.randrange(5))),
    )
    monkeypatch.setattr(module, "surroundings_of", lambda root, branch: about)


def _told_by_hook(root: Path, client: str) -> str:
    given = HookInput(session_id="s", folder=str(root), source="startup")
    printed = run_hook("session-start", given, client, {}, root.parent / "home")
    if not printed.startswith("{"):
        return printed
    (said,) = json.loads(printed).values()
    if isinstance(said, list):
        said = said[0]["ephemeralMessage"]
    text = said if isinstance(said, str) else said["additionalContext"]
    return str(text).rstrip("\n")


def _told_by_preview(root: Path, client: str, memory: Memory) -> str:
    found = answer(memory, NextOf(client, root))
    assert memory.recall.plan(found.request).text == found.recall.text
    return found.recall.text.rstrip("\n")


def _told_by_command(root: Path, client: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(root)
    done = CliRunner().invoke(cli, ["inject", "--next", "--client", client])
    assert done.exit_code == 0, done.output
    return done.stdout.rstrip("\n")


@pytest.mark.parametrize("client", HOOKED[:2])
def test_the_hook_tells_what_the_command_shows(
    project: Path, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = Random(client)
    _situation(project, dice, monkeypatch)
    shown = _told_by_command(project, client, monkeypatch)
    assert shown
    assert _told_by_hook(project, client) == shown


@pytest.mark.parametrize(
    "situations",
    [2, pytest.param(50, marks=pytest.mark.long)],
    ids=["two of each", "fifty of each"],
)
@pytest.mark.parametrize("client", HOOKED)
def test_preview_shows_what_the_hook_tells(
    project: Path, client: str, situations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = Random(f"{client} again")
    monkeypatch.setattr(recall_module, "_STEP", timedelta(days=1))
    with open_memory(project / FOLDER) as memory:
        for _ in range(situations):
            _situation(project, dice, monkeypatch)
            memory.reload_settings()
            memory.index.refresh()  # what was told counts from then on
            shown = _told_by_preview(project, client, memory)
            assert _told_by_hook(project, client) == shown != ""


def test_asking_changes_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(path for path in project.rglob("*") if path.is_file())
    _told_by_command(project, "claude-code", monkeypatch)
    assert sorted(path for path in project.rglob("*") if path.is_file()) == before


def test_the_issue_is_read_from_the_branch(project: Path) -> None:
    (project / ".git" / "HEAD").write_text("ref: refs/heads/fix/ENT-98-login\n")
    found = next_session("codex", project, {})
    assert (found.branch, found.request.issue) == ("fix/ENT-98-login", 98)
    assert next_session("codex", project, {"MEMTUI_ISSUE": "7"}).request.issue == 7
