"""Why an installed hook would not run: whose word counts where settings stand in several files."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from store.agents.client import Home
from store.agents.codex_hooks import trust_hash, trust_key
from store.agents.hooks import HookEntry
from store.agents.registry import client_named

OURS, OTHERS = "memtui hook stop --channel x", "memtui hook session-start --channel x"
ENTRY = HookEntry("Stop", OURS, 20, 1, 0, None, {"type": "command", "command": OURS})
OFF, ON = {"disableAllHooks": True}, {"disableAllHooks": False}
CLAUDE = {
    "managed": "etc/claude-code/managed-settings.json",
    "user": "home/.claude/settings.json",
    "project": "shop/.claude/settings.json",
    "local": "shop/.claude/settings.local.json",
}
QWEN = {
    "managed": "etc/qwen-code/settings.json",
    "user": "home/.qwen/settings.json",
    "project": "shop/.qwen/settings.json",
}
GEMINI = {
    "managed": "etc/gemini-cli/settings.json",
    "user": "home/.gemini/settings.json",
    "project": "shop/.gemini/settings.json",
    "trust": "home/.gemini/trustedFolders.json",
}
CODEX = {
    "managed": "etc/codex/requirements.toml",
    "user": "home/.codex/config.toml",
    "project": "shop/.codex/config.toml",
}
SWITCHES: tuple[dict[str, object], ...] = (
    {},
    {"managed": OFF},
    {"managed": ON, "user": OFF},
    {"managed": ON, "project": OFF},
    {"user": OFF},
    {"user": ON, "project": OFF},
    {"user": OFF, "project": ON},
)
LOCAL: tuple[dict[str, object], ...] = (
    {"managed": {"allowManagedHooksOnly": True}},
    {"managed": {"allowManagedHooksOnly": False, "disableAllHooks": True}},
    {"user": {"allowManagedHooksOnly": True}},
    {"local": OFF},
    {"local": OFF, "project": ON},
    {"local": ON, "project": OFF},
    {"local": ON, "user": OFF},
)


def _gemini(enabled: bool | None, *disabled: str) -> dict[str, object]:
    return {"hooksConfig": {"enabled": enabled, "disabled": disabled}}


TRUSTED: dict[str, object] = {"trust": {"/SHOP": "TRUST_FOLDER"}}
HOOKS_OF_GEMINI: tuple[dict[str, object], ...] = (
    {},
    TRUSTED,
    {"trust": {"/SHOP": "DO_NOT_TRUST"}},
    {"user": {"security": {"folderTrust": {"enabled": False}}}},
    {"project": {"security": {"folderTrust": {"enabled": False}}}},
    {"managed": {"security": {"folderTrust": {"enabled": True}}},
     "user": {"security": {"folderTrust": {"enabled": False}}}},
    TRUSTED | {"managed": _gemini(False)},
    TRUSTED | {"managed": _gemini(True), "user": _gemini(False)},
    TRUSTED | {"user": _gemini(False)},
    TRUSTED | {"project": _gemini(False), "user": _gemini(True)},
    TRUSTED | {"project": _gemini(True), "user": _gemini(False)},
    TRUSTED | {"managed": _gemini(None, OTHERS, OURS)},
    TRUSTED | {"user": _gemini(True, OURS)},
    TRUSTED | {"project": _gemini(True, OURS), "user": _gemini(True, OTHERS)},
    TRUSTED | {"user": _gemini(True, OTHERS)},
)  # fmt: skip
TRUSTS = '[projects."/SHOP"]\ntrust_level = "trusted"\n'
ABOVE = '[projects."/ROOT"]\ntrust_level = "trusted"\n'
NOT = '[projects."/SHOP"]\ntrust_level = "untrusted"\n'
HOOKS_OFF = "[features]\nhooks = false\n"
HOOKS_OF_CODEX: tuple[dict[str, object], ...] = (
    {},
    {"user": "<held>"},
    {"user": "<held>" + NOT},
    {"user": "<held>" + TRUSTS},
    {"user": "<held>" + ABOVE},
    {"user": "<changed>" + TRUSTS},
    {"user": "<off>" + TRUSTS},
    {"user": "<held>" + TRUSTS, "project": HOOKS_OFF},
    {"user": "<held>" + NOT, "project": HOOKS_OFF},
    {"user": "<held>" + TRUSTS + HOOKS_OFF},
    {"user": "<held>" + TRUSTS + "[features]\ncodex_hooks = false\n"},
    {"user": "<held>" + TRUSTS + "[features]\ncodex_hooks = false\nhooks = true\n"},
    {"user": "<held>" + TRUSTS + "[features]\nhooks = false\ncodex_hooks = true\n"},
    {"user": "<held>" + TRUSTS, "managed": HOOKS_OFF},
    {"user": "<held>" + TRUSTS, "managed": "allow_managed_hooks_only = true\n"},
    {"user": "allow_managed_hooks_only = true\n<held>" + TRUSTS},
)
TABLE = {
    "claude-code": (CLAUDE, (*SWITCHES, *LOCAL)),
    "qwen-code": (QWEN, SWITCHES),
    "gemini-cli": (GEMINI, HOOKS_OF_GEMINI),
    "codex": (CODEX, HOOKS_OF_CODEX),
}


def _held(home: Home, project: Path, entry: HookEntry) -> dict[str, str]:
    """What Codex keeps of the hooks that it was asked about: the user's file and a project's."""
    hooks = client_named("codex").hooks
    assert hooks is not None
    keys = [trust_key(hooks.file(home, it), entry) for it in (None, project)]
    states = {
        "<held>": f'trusted_hash = "{trust_hash(entry)}"',
        "<changed>": 'trusted_hash = "sha256:0"',
        "<off>": f'trusted_hash = "{trust_hash(entry)}"\nenabled = false',
    }
    return {
        name: "".join(f'[hooks.state."{key}"]\n{state}\n' for key in keys)
        for name, state in states.items()
    }


@pytest.mark.parametrize("name", TABLE)
def test_why_a_hook_would_not_run(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    places, rows = TABLE[name]
    hooks = client_named(name).hooks
    assert hooks is not None and hooks.trouble is not None
    told = []
    for number, row in enumerate(rows):
        root = tmp_path / f"{number}"
        home, project = Home(root / "home", {}, root), root / "shop"
        project.mkdir(parents=True)
        _write(row, places, home, project)
        told.append(f"{json.dumps(row)}")
        for file, within in ((None, None), (None, project), (project, project)):
            found = hooks.trouble(home, hooks.file(home, file), ENTRY, within)
            where = f"the {'project' if file else 'user'}'s hook{' in the project' * bool(within)}"
            why = f"{found.state}: {found.reason}" if found else "runs"
            told.append(f"  {where} {why}".replace(str(root), ""))
    assert "\n".join(told) == snapshot


def _write(row: Mapping[str, object], places: Mapping[str, str], home: Home, project: Path) -> None:
    for where, settings in row.items():
        path = home.root / places[where]
        path.parent.mkdir(parents=True, exist_ok=True)
        text = settings if isinstance(settings, str) else json.dumps(settings)
        for word, state in _held(home, project, ENTRY).items():
            text = text.replace(word, state)
        text = text.replace("/SHOP", str(project)).replace("/ROOT", str(project.parent))
        path.write_text(text)
