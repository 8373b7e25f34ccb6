"""`memtui told`: what a client is told at a session's start, part by part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli.main import run
from store import open_memory
from tests.memtui.cli.conftest import ESCAPES, observation

RULES = """# Rules

Run the tests before a commit. @style.md

- Retries are at most 3.
- Never commit secrets.
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with instruction files, a hook of another program, and two rules in memory."""
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "CLAUDE.md").write_text(RULES)
    (project / "style.md").write_text(f"{ESCAPES}\n\nAlways run the tests before a commit.\n")
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    others = {"type": "command", "command": "echo hello"}
    settings.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [others]}]}}))
    rules = ("Retries are at most 5.", "Never commit secrets.")
    with open_memory(project / ".agentx" / "memory", cache=tmp_path / "cache") as memory:
        for number, rule in enumerate(rules):
            memory.add([observation(number, content=rule, tags=("rule",), issue_number=0)])
    monkeypatch.chdir(project)
    return project


def test_all_parts_are_told_with_tokens_and_what_overlaps(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["told"]) == 0
    out = capsys.readouterr().out
    assert "not told: no hook of memtui runs at the start" in out
    assert run(["hooks", "install", "claude-code", "--yes"]) == 0
    capsys.readouterr()
    assert run(["told"]) == 0
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert ["42", "CLAUDE.md"] in lines
    assert lines[4][1:] == ["style.md", "imported", "by", "CLAUDE.md"]
    assert "?  SessionStart in ~/.claude/settings.json  adds what `echo hello` prints" in out
    assert out.endswith(
        "Said twice, 1 time\n"
        "  CLAUDE.md:3  Run the tests before a commit.\n"
        "= style.md:3  Always run the tests before a commit.\n"
        "\n"
        "Contradicting, 1 time\n"
        "  CLAUDE.md:5  Retries are at most 3.\n"
        "≠ memory aaaa00  Retries are at most 5.\n"
    )
    assert "\x1b" not in out and "\u202e" not in out
    assert run(["inject", "--next"]) == 0
    injected = capsys.readouterr().out
    assert "secrets" not in injected, "the client is told it by its file"
    assert run(["told", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["parts"][-1]["text"].strip() == injected.strip()
    assert found["tokens"] == sum(part["tokens"] for part in found["parts"])
    assert [part["category"] for part in found["parts"]] == [
        "instruction", "instruction", "hook", "recall"
    ]  # fmt: skip
    assert found["overlaps"][1]["later"]["memory"] == observation(0).id


def test_a_client_without_hooks_has_its_files_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".clinerules").write_text("Be brief.")
    assert run(["told", "--client", "cline", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [part["source"] for part in found["parts"]] == [".clinerules"]
    assert run(["told", "--client", "nobody"]) == 2


def test_files_are_listed_where_there_is_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    (tmp_path / "shop" / "CLAUDE.md").write_text("Run the tests before a commit.\n")
    monkeypatch.chdir(tmp_path / "shop")
    for command in (["told"], ["told", "--dir", "."], ["told", "--json"]):
        assert run(command) == 0
        out, err = capsys.readouterr()
        assert ("CLAUDE.md" in out, err) == (True, "")
    assert sorted(path.name for path in Path().iterdir()) == [".git", "CLAUDE.md"]
    assert run(["told", "--dir", "gone"]) == 1


def test_a_memory_is_written_into_an_instruction_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = project / "CLAUDE.md"
    write = ["told", "--client", "claude-code", "--write", observation(0).id]
    assert run([*write, "--dry-run"]) == 0
    assert capsys.readouterr().out == (
        "Write 1 memory into an instruction file\n\n+ CLAUDE.md: - Retries are at most 5.\n"
    )
    assert run([*write, "--dry-run", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown == {"file": "CLAUDE.md", "line": "- Retries are at most 5."}
    assert run(write) == 1, "nobody agreed"
    assert rules.read_text() == RULES
    assert run([*write, "--yes"]) == 0
    assert rules.read_text() == f"{RULES}- Retries are at most 5.\n"
    assert run(["undo", "--yes"]) == 0
    assert rules.read_text() == RULES
    assert run([*write, "--to", "CLAUDE.local.md", "--yes"]) == 0
    assert (project / "CLAUDE.local.md").read_text() == "- Retries are at most 5.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "CLAUDE.md"], "give that, too"),
        (["--write", "nothing"], "nothing"),
        (["--write", "aaaa00", "--to", "../x.md"], "reads no instruction file '../x.md'"),
        (["--write", "aaaa00", "--client", "specstory"], "reads no instruction file."),
    ],
)
def test_what_can_not_be_written_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(["told", "--client", "claude-code", *arguments, "--yes"]) in (1, 2)
    assert said in capsys.readouterr().err
    assert not (project.parent / "x.md").exists()
