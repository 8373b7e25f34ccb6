from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memtui.hooks.install import (
    HOOKS,
    Agent,
    apply_install,
    backup_of,
    hook_status,
    plan_install,
    plan_uninstall,
    settings_path,
)
from store.errors import ReadOnly, Unreadable, WriteFailed

FOREIGN = {
    "model": "größer",
    "hooks": {
        "SessionEnd": [{"hooks": [{"type": "command", "command": "other end"}]}],
        "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}],
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".claude" / "settings.json"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def install(path: Path, agent: Agent = Agent.CLAUDE_CODE) -> None:
    apply_install(plan_install(agent, path))


def test_hooks_are_merged_into_what_is_there(path: Path) -> None:
    write(path, json.dumps(FOREIGN, indent=4, ensure_ascii=False) + "\n")
    plan = plan_install(Agent.CLAUDE_CODE, path)
    assert json.loads(path.read_text("utf-8")) == FOREIGN
    assert "+" in plan.diff
    assert not any(line.startswith("-  ") for line in plan.diff.splitlines() if "other" in line)
    apply_install(plan)
    after = json.loads(path.read_text("utf-8"))
    assert list(after) == list(FOREIGN)
    assert after["permissions"] == FOREIGN["permissions"]
    assert after["hooks"]["PostToolUse"] == FOREIGN["hooks"]["PostToolUse"]  # type: ignore[index]
    assert after["hooks"]["SessionEnd"][0]["hooks"][0]["command"] == "other end"
    assert after["hooks"]["SessionEnd"][1]["hooks"] == [
        {"type": "command", "command": "memtui", "args": ["hook", "session-end"], "timeout": 20}
    ]
    assert path.read_text("utf-8").startswith('{\n    "model": "größer"')


@pytest.mark.parametrize("agent", list(Agent))
def test_installing_twice_changes_nothing(path: Path, agent: Agent) -> None:
    install(path, agent)
    assert all(status.installed for status in hook_status(agent, path))
    again = plan_install(agent, path)
    assert again.is_empty
    assert again.diff == ""
    assert apply_install(again) is None


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FOREIGN),
        json.dumps(FOREIGN, indent="\t") + "\n",
        json.dumps(FOREIGN, indent=2).replace("\n", "\r\n"),
        '{"hooks": {}, "a": [1,  2]}',
        "{}",
        "",
    ],
)
def test_uninstalling_restores_the_file_to_the_letter(path: Path, text: str) -> None:
    if text:
        write(path, text)
    install(path)
    apply_install(plan_uninstall(path))
    assert (path.read_bytes().decode() if path.exists() else "") == text
    assert plan_uninstall(path).is_empty


def test_uninstalling_keeps_what_came_since(path: Path) -> None:
    write(path, json.dumps(FOREIGN, indent=2))
    install(path)
    settings = json.loads(path.read_text())
    settings["hooks"]["SessionEnd"][1]["hooks"].append({"type": "command", "command": "mine"})
    settings["theme"] = "dark"
    write(path, json.dumps(settings))
    apply_install(plan_uninstall(path))
    after = json.loads(path.read_text())
    assert after["theme"] == "dark"
    assert after["hooks"]["SessionEnd"][1]["hooks"] == [{"type": "command", "command": "mine"}]
    assert "SessionStart" not in after["hooks"]


def test_the_backup_is_the_file_before_the_first_change(path: Path) -> None:
    write(path, '{"a": 1}')
    path.chmod(0o640)
    first = plan_install(Agent.CLAUDE_CODE, path)
    assert apply_install(first) == backup_of(path)
    write(path, path.read_text().replace('"a": 1', '"a": 2'))
    apply_install(plan_uninstall(path))
    assert backup_of(path).read_text() == '{"a": 1}'
    assert json.loads(path.read_text()) == {"a": 2}
    assert path.stat().st_mode & 0o777 == 0o640


def test_status_of_a_part_and_of_nothing(path: Path) -> None:
    assert not any(status.installed for status in hook_status(Agent.CLAUDE_CODE, path))
    entry = {"type": "command", "command": "/opt/bin/memtui hook session-end"}
    write(path, json.dumps({"hooks": {"SessionEnd": [{"hooks": [entry, 7]}, "odd"]}}))
    active = [s.name for s in hook_status(Agent.CLAUDE_CODE, path) if s.installed]
    assert active == ["session-end"]


@pytest.mark.parametrize(
    "text",
    ["{ not json", "[]", '{"hooks": []}', '{"hooks": {"SessionEnd": {}}}', "\udcff"],
)
def test_a_file_that_is_not_understood_is_never_touched(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Unreadable):
        plan_install(Agent.CLAUDE_CODE, path)
    with pytest.raises(Unreadable):
        plan_uninstall(path)
    assert path.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_a_link_is_followed_and_stays(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    install(path)
    assert path.is_symlink()
    assert "hooks" in json.loads(real.read_text())


def test_what_can_not_be_written_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, "{}")
    plan = plan_install(Agent.CLAUDE_CODE, path)

    def refuse(error: OSError) -> None:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(os, "fsync", fail)

    refuse(PermissionError(13, "denied"))
    with pytest.raises(ReadOnly):
        apply_install(plan)
    refuse(OSError(28, "No space left on device"))
    with pytest.raises(WriteFailed, match="No space left"):
        apply_install(plan)
    assert path.read_text() == "{}"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_where_the_settings_are(tmp_path: Path) -> None:
    assert settings_path(Agent.CLAUDE_CODE, tmp_path) == tmp_path / ".claude" / "settings.json"
    project = tmp_path / "shop"
    assert settings_path(Agent.CODEX, tmp_path, project) == project / ".codex" / "hooks.json"
    assert {hook.name for hook in HOOKS[Agent.CODEX]} == {"session-start", "user-prompt", "stop"}
