from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memtui.client_file import (
    apply_install,
    backup_of,
    check_not_linked,
    plan_install,
    plan_uninstall,
)
from memtui.hooks.status import settings_path
from store.agents.client import Home
from store.agents.hook_files import hook_file
from store.agents.registry import HOOKED, client_named
from store.errors import Conflict, ReadOnly, Unreadable, WriteFailed

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


CLAUDE = client_named("claude-code")


def install(path: Path) -> None:
    apply_install(plan_install(hook_file(CLAUDE), path))


def test_hooks_are_merged_into_what_is_there(path: Path) -> None:
    write(path, json.dumps(FOREIGN, indent=4, ensure_ascii=False) + "\n")
    plan = plan_install(hook_file(CLAUDE), path)
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
        {
            "type": "command",
            "command": "memtui hook session-end --channel claude-code",
            "timeout": 20,
        }
    ]
    assert path.read_text("utf-8").startswith('{\n    "model": "größer"')


@pytest.mark.parametrize("name", HOOKED)
def test_installing_twice_changes_nothing(tmp_path: Path, name: str) -> None:
    client = client_named(name)
    path = settings_path(client, Home(tmp_path, {}))
    apply_install(plan_install(hook_file(client), path))
    assert path.is_file()
    again = plan_install(hook_file(client), path)
    assert again.is_empty
    assert again.diff == ""
    assert apply_install(again) is None
    apply_install(plan_uninstall(hook_file(client), path))
    assert [it for it in tmp_path.rglob("*") if it.is_file()] == []


TEXTS = {
    "claude-code": json.dumps(FOREIGN, indent=4) + "\n",
    "codex": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]}}',
    "gemini-cli": '{\n  "hooksConfig": {"enabled": true},\n  "hooks": {"SessionEnd": []}\n}\n',
    "qwen-code": '{"model":   {"name": "x"}}',
    "kimi": 'default_model = "k"\n\n[[hooks]]\nevent = "Stop"\ncommand = "bell"\n\n[loop]\nn = 1',
    "cursor": '{"version": 1, "hooks": {"stop": [{"command": "bell"}]}}\n',
    "copilot": '{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "bell"}]}}\n',
    "antigravity": '{"other": {"enabled": true, "Stop": [{"command": "bell"}]}}\n',
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_clients_file_comes_back_to_the_letter(tmp_path: Path, name: str) -> None:
    client = client_named(name)
    path = settings_path(client, Home(tmp_path, {}))
    write(path, TEXTS[name])
    apply_install(plan_install(hook_file(client), path))
    assert path.read_text("utf-8") != TEXTS[name]
    assert backup_of(path).read_text("utf-8") == TEXTS[name]
    assert "bell" not in TEXTS[name] or "bell" in path.read_text("utf-8")
    apply_install(plan_uninstall(hook_file(client), path))
    assert path.read_text("utf-8") == TEXTS[name]
    assert not backup_of(path).exists()


def test_antigravitys_hooks_stand_under_our_name(tmp_path: Path) -> None:
    client = client_named("antigravity")
    path = settings_path(client, Home(tmp_path, {}))
    assert path == tmp_path / ".gemini" / "config" / "hooks.json"
    write(path, TEXTS["antigravity"])
    apply_install(plan_install(hook_file(client), path))
    line = "memtui hook {} --channel antigravity"
    assert json.loads(path.read_text("utf-8")) == {
        "other": {"enabled": True, "Stop": [{"command": "bell"}]},
        "memtui": {
            "PreInvocation": [{"command": line.format("user-prompt"), "timeout": 5}],
            "Stop": [{"command": line.format("stop"), "timeout": 20}],
        },
    }


@pytest.mark.parametrize("name", ["opencode", "pi"])
def test_a_file_of_somebody_else_is_no_plugin_of_ours(tmp_path: Path, name: str) -> None:
    client = client_named(name)
    path = settings_path(client, Home(tmp_path, {}))
    write(path, "export default 1\n")
    with pytest.raises(Unreadable):
        plan_install(hook_file(client), path)
    with pytest.raises(Unreadable):
        plan_uninstall(hook_file(client), path)


def test_an_older_entry_is_renewed_in_its_place(path: Path) -> None:
    old = {"type": "command", "command": "memtui", "args": ["hook", "session-end"], "timeout": 20}
    other = {"type": "command", "command": "other end"}
    write(path, json.dumps({"hooks": {"SessionEnd": [{"hooks": [other, old]}]}}))
    install(path)
    (group,) = json.loads(path.read_text())["hooks"]["SessionEnd"]
    assert [it["command"] for it in group["hooks"]] == [
        "other end",
        "memtui hook session-end --channel claude-code",
    ]
    assert "args" not in group["hooks"][1]
    assert json.loads(backup_of(path).read_text()) == {
        "hooks": {"SessionEnd": [{"hooks": [other]}]}
    }


def test_uninstalling_keeps_what_came_since(path: Path) -> None:
    write(path, json.dumps(FOREIGN, indent=2))
    install(path)
    settings = json.loads(path.read_text())
    settings["hooks"]["SessionEnd"][1]["hooks"].append({"type": "command", "command": "mine"})
    settings["theme"] = "dark"
    write(path, json.dumps(settings))
    apply_install(plan_uninstall(hook_file(CLAUDE), path))
    after = json.loads(path.read_text())
    assert after["theme"] == "dark"
    assert after["hooks"]["SessionEnd"][1]["hooks"] == [{"type": "command", "command": "mine"}]
    assert "SessionStart" not in after["hooks"]


@pytest.mark.parametrize(
    "text",
    ["{ not json", "[]", '{"hooks": []}', '{"hooks": {"SessionEnd": {}}}', "\udcff"],
)
def test_a_file_that_is_not_understood_is_never_touched(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Unreadable):
        plan_install(hook_file(CLAUDE), path)
    with pytest.raises(Unreadable):
        plan_uninstall(hook_file(CLAUDE), path)
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
    plan = plan_install(hook_file(CLAUDE), path)

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


def test_what_changed_since_it_was_planned_is_not_written_over(path: Path) -> None:
    write(path, '{"model": "old"}')
    plan = plan_install(hook_file(CLAUDE), path)
    write(path, '{"model": "new"}')
    with pytest.raises(Conflict, match="has changed since"):
        apply_install(plan)
    assert path.read_text() == '{"model": "new"}'


@pytest.mark.parametrize("linked", [".claude", ".claude/settings.json"])
def test_a_link_that_a_clone_brought_is_not_written_through(tmp_path: Path, linked: str) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / linked).parent.mkdir(exist_ok=True)
    (project / linked).symlink_to(elsewhere if linked == ".claude" else elsewhere / "x.json")
    with pytest.raises(Unreadable, match="is a link"):
        check_not_linked(project / ".claude" / "settings.json", project)
    check_not_linked(project / ".codex" / "hooks.json", project)


def test_copilots_entries_are_written_as_it_documents_them(tmp_path: Path) -> None:
    client = client_named("copilot")
    home = Home(tmp_path, {"COPILOT_HOME": str(tmp_path / "cp")})
    path = settings_path(client, home)
    assert path == tmp_path / "cp" / "hooks" / "memtui.json"
    installed = json.loads(hook_file(client).with_ours("", path, "memtui"))
    assert installed["version"] == 1
    assert list(installed["hooks"]) == [
        "sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd",
    ]  # fmt: skip
    assert installed["hooks"]["agentStop"] == [
        {"type": "command", "bash": "memtui hook stop --channel copilot", "timeoutSec": 20}
    ]
