"""`config` and `budget`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.memtui.cli.conftest import Run


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def editor(monkeypatch: pytest.MonkeyPatch, appended: str) -> None:
    program = f"import sys; open(sys.argv[1], 'a', encoding='utf-8').write({appended!r})"
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", program]))


def test_each_setting_says_where_it_came_from(
    memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".agentx" / "memtui.toml").write_text("max_tokens = 900\nmanifestCacheTtlMs = 5\n")
    monkeypatch.setenv("MEMTUI_THEME", "nord")
    done = memtui("config")
    lines = {line.split()[0]: line for line in done.out.splitlines()}
    assert lines["enabled"].split()[1:] == ["true", "default"]
    assert "900" in lines["max_tokens"]
    assert "memtui.toml" in lines["max_tokens"]
    assert lines["theme"].endswith('"nord"  from MEMTUI_THEME')
    assert "(no file)" in done.err
    assert "The project's settings: " in done.err
    assert "manifestCacheTtlMs" in done.err
    data = json.loads(memtui("config", "--json").out)
    assert data["settings"]["max_tokens"]["value"] == 900
    assert data["mistakes"] == []


def test_settings_are_edited_and_mistakes_told(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, "max_tokens = 700\nmax_toknes = 1\n")
    done = memtui("config", "edit")
    assert done.code == 0
    assert "max_toknes" in done.err
    written = (tmp_path / "config" / "memtui" / "settings.toml").read_text()
    assert written.startswith("# Settings of memtui")
    assert json.loads(memtui("config", "--json").out)["settings"]["max_tokens"]["value"] == 700


def test_a_project_has_settings_of_its_own(
    memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, "max_tokens = 600\n")
    memtui("config", "edit", "--project")
    assert "max_tokens = 600" in (project / ".agentx" / "memtui.toml").read_text()


def test_what_was_not_written_leaves_no_file(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = memtui("config", "edit")
    assert (refused.code, "No editor is set" in refused.err) == (1, True)
    assert "settings.toml by hand" in refused.err
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert memtui("config", "edit").code == 1
    assert not list((tmp_path / "config").rglob("*.toml"))
    editor(monkeypatch, "")
    assert "No settings changed" in memtui("config", "edit").err
    assert not list((tmp_path / "config").rglob("*.toml"))


def test_the_budget_report_has_a_memory_section(memtui: Run, project: Path) -> None:
    (project / "CLAUDE.md").write_text("Keep it simple. " * 50)
    (project / "AGENTS.md").write_text("Keep it simple. " * 50)
    (project / ".claude" / "agents").mkdir(parents=True)
    (project / ".claude" / "agents" / "tester.md").write_text("You test.")
    (project / ".claude" / "agents" / "gone.md").symlink_to(project / "nowhere.md")
    out = memtui("budget", "--agent", "engineer", "--issue", "29").out
    assert out.startswith("## Context Budget Report")
    assert "Status: GOOD" in out
    assert "### Memory" in out
    assert "- CLAUDE.md (instruction):" in out
    assert "- .claude/agents/tester.md (agent-def):" in out
    data = json.loads(memtui("budget", "--json", "--channel", "codex").out)
    assert data["memoryBudget"] == 20_000  # Codex counts bytes, not tokens
    assert data["totalTokens"] == sum(item["tokens"] for item in data["items"])
    assert {"memory", "instruction"} <= {item["category"] for item in data["items"]}
