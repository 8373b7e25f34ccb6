"""Whether a hook that is installed would really run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memtui.client_file import apply_install, plan_install
from memtui.hooks.status import HookStatus, hook_status, settings_path
from store.agents.client import Home
from store.agents.hook_files import hook_file
from store.agents.hooks import HookState
from store.agents.registry import HOOKED, client_named

TRUSTED = {
    ("SessionStart", 0): "f95a2c91eb59930fda7547daf19e3b30fac27ee4cb0d62d4f3ec9b25b248f6ad",
    ("UserPromptSubmit", 0): "c0f4591aaa3c1e790ff1edf5894a74ba06b4dbce32cb7e9f6de2fb4c35e38edc",
}
"""The hashes that Codex itself wrote for these two hooks."""


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """memtui is on the PATH; a program named by its path is there where it is."""
    monkeypatch.setattr(
        "memtui.hooks.status.shutil.which",
        lambda name: name if name == "memtui" or Path(name).exists() else None,
    )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, {})


def installed(name: str, home: Home, command: str = "memtui") -> Path:
    client = client_named(name)
    path = settings_path(client, home)
    apply_install(plan_install(hook_file(client), path, command))
    return path


def states(name: str, home: Home, here: Path | None = None) -> dict[str, HookStatus]:
    return {it.name: it for it in hook_status(client_named(name), home, here=here)}


@pytest.mark.parametrize("name", [name for name in HOOKED if name != "codex"])
def test_what_is_installed_is_active(home: Home, name: str) -> None:
    assert {it.state for it in states(name, home).values()} == {HookState.MISSING}
    installed(name, home)
    assert {it.state for it in states(name, home).values()} == {HookState.ACTIVE}


def test_a_part_is_a_part(home: Home) -> None:
    path = settings_path(client_named("claude-code"), home)
    path.parent.mkdir()
    line = "memtui hook session-end --channel claude-code"
    entry = {"type": "command", "command": line, "timeout": 20}
    path.write_text(json.dumps({"hooks": {"SessionEnd": [{"hooks": [entry, 7]}, "odd"]}}))
    found = states("claude-code", home)
    assert [name for name, it in found.items() if it.is_active] == ["session-end"]


def test_a_memtui_that_has_moved_is_named(home: Home, tmp_path: Path) -> None:
    for name in HOOKED:
        installed(name, home, str(tmp_path / "gone" / "memtui"))
        hooks = states(name, home)
        found = hooks.get("session-start") or hooks["user-prompt"]
        assert found.state is HookState.MOVED
        assert str(tmp_path / "gone" / "memtui") in found.reason


def test_an_entry_of_another_version_is_outdated(home: Home) -> None:
    path = installed("claude-code", home)
    text = path.read_text().replace(" --channel claude-code", "", 1)
    path.write_text(text.replace('"timeout": 5', '"timeout": 6', 1))
    found = states("claude-code", home)
    assert found["session-start"].state is HookState.OUTDATED
    assert found["user-prompt"] == HookStatus(
        "UserPromptSubmit", "user-prompt", HookState.OUTDATED, "its time limit differs", path
    )
    assert found["stop"].is_active
    path = installed("pi", home)
    path.write_text(path.read_text().replace("agent_end", "agent_done"))
    assert {it.state for it in states("pi", home).values()} == {HookState.OUTDATED}


def test_an_entry_that_a_project_can_put_code_into_is_named(home: Home, tmp_path: Path) -> None:
    """Of the user's own file: a project's is shared, and names memtui for whoever has it."""
    python = tmp_path / "python3"
    python.touch()
    for command, reason in (
        ("memtui", "a project's PYTHONPATH reaches it; install it again"),
        (str(python), ""),
    ):
        installed("claude-code", home, command)
        assert {(it.is_active, it.reason) for it in states("claude-code", home).values()} == {
            (True, reason)
        }
    shop = tmp_path / "shop"
    in_project("claude-code", Home(tmp_path / "other", {}), shop)
    found = hook_status(client_named("claude-code"), Home(tmp_path / "other", {}), shop)
    assert {(it.is_active, it.reason) for it in found} == {(True, "")}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("claude-code", {"disableAllHooks": True}),
        ("qwen-code", {"disableAllHooks": True}),
        ("gemini-cli", {"hooksConfig": {"enabled": False}}),
    ],
)
def test_hooks_that_are_switched_off_are_said(
    home: Home, name: str, settings: dict[str, object]
) -> None:
    path = settings_path(client_named(name), home)
    path.parent.mkdir()
    comment = "// so far\n" if client_named(name).has_comments else ""
    path.write_text(f"{comment}{json.dumps(settings)}")
    installed(name, home)
    assert path.read_text().startswith(comment)
    assert {it.state for it in states(name, home).values()} == {HookState.DISABLED}


def test_codex_runs_only_what_the_user_trusts(home: Home) -> None:
    path = installed("codex", home)
    assert {it.state for it in states("codex", home).values()} == {HookState.UNTRUSTED}
    config = home.path / ".codex" / "config.toml"
    lines = []
    for (event, at), trusted in TRUSTED.items():
        snake = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        lines.append(f'[hooks.state."{path}:{snake}:{at}:0"]\ntrusted_hash = "sha256:{trusted}"\n')
    config.write_text("\n".join(lines))
    found = states("codex", home)
    assert found["session-start"].is_active
    assert found["user-prompt"].is_active
    assert found["stop"].state is HookState.UNTRUSTED
    config.write_text(lines[0] + "enabled = false\n")
    assert states("codex", home)["session-start"].state is HookState.DISABLED
    path.write_text(path.read_text().replace("session-start --", "session-start  --"))
    config.write_text(lines[0])
    assert states("codex", home)["session-start"].state is HookState.OUTDATED
    config.write_text("[features]\nhooks = false\n")
    installed("codex", home)
    assert {it.state for it in states("codex", home).values()} == {HookState.DISABLED}


def in_project(name: str, home: Home, shop: Path, command: str = "memtui") -> None:
    client = client_named(name)
    apply_install(plan_install(hook_file(client), settings_path(client, home, shop), command))


def test_what_stands_in_two_files_runs_twice(home: Home, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    installed("opencode", home)
    in_project("opencode", home, shop)
    found = states("opencode", home, shop)
    assert {it.state for it in found.values()} == {HookState.TWICE}
    assert str(shop) in found["stop"].reason
