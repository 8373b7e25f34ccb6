"""Where the sessions of each client are found, among files beside them that are none."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from store.agents.client import Home
from store.agents.discovery import session_files

SHOP, BELOW, BESIDE, TREE = (
    "/srv/my_shop.v2",
    "/srv/my_shop.v2/api",
    "/srv/my_shop.v2-b",
    "/srv/tree",
)
DASHED = "-srv-my-shop-v2"
HERE = (Path(SHOP), Path(TREE))


def _cwd(folder: str) -> str:
    return json.dumps({"type": "x", "payload": {"cwd": folder}, "cwd": folder})


def _hash(folder: str) -> str:
    return sha256(folder.encode()).hexdigest()


_TASK = "User/globalStorage/saoudrizwan.claude-dev/tasks"
_ROOS = "User/globalStorage/rooveterinaryinc.roo-cline/tasks"
_OPENS_ROO = "<task>x</task>\n# Current Workspace Directory ({}) Files"
_OPENS = "<task>x</task>\n# Current Working Directory ({}) Files"
_SUB = {"payload": {"cwd": SHOP, "source": {"subagent": {"other": "review"}}}}

FILES: dict[str, dict[str, str]] = {
    "claude-code": {
        f".claude/projects/{DASHED}/a.jsonl": "{}",
        f".claude/projects/{DASHED}/b.jsonl": _cwd("/elsewhere"),
        f".claude/projects/{DASHED}/empty.jsonl": "",
        f".claude/projects/{DASHED}/notes.md": "x",
        f".claude/projects/{DASHED}/a/subagents/agent-1.jsonl": _cwd(SHOP),
        f".claude/projects/{DASHED}-api/c.jsonl": "\n" + _cwd(BELOW),
        f".claude/projects/{DASHED}-b/d.jsonl": _cwd(BESIDE),
        f".claude/projects/{DASHED}-b/e.jsonl": "{}",
        ".claude/projects/-srv-tree/f.jsonl": "{}",
        ".claude/projects/-srv-my_shop-v2/g.jsonl": "{}",
        ".claude/h.jsonl": _cwd(SHOP),
    },
    "codex": {
        ".codex/sessions/2026/03/01/rollout-a.jsonl": _cwd(SHOP),
        ".codex/sessions/2026/03/02/rollout-b.jsonl": _cwd(BELOW),
        ".codex/sessions/2026/03/02/rollout-c.jsonl": _cwd(BESIDE),
        ".codex/sessions/2026/03/02/rollout-d.jsonl": "{}",
        ".codex/sessions/2026/03/02/rollout-e.jsonl": json.dumps(_SUB),
        ".codex/sessions/2026/03/02/other-f.jsonl": _cwd(SHOP),
        ".codex/sessions/rollout-g.jsonl": _cwd(SHOP),
        ".codex/archived_sessions/rollout-h.jsonl": _cwd(TREE),
    },
    "gemini-cli": {
        ".gemini/tmp/shop/.project_root": f"{SHOP}\n",
        ".gemini/tmp/shop/chats/session-a.jsonl": "{}",
        ".gemini/tmp/shop/chats/session-b.json": "{}",
        ".gemini/tmp/shop/chats/other.json": "{}",
        ".gemini/tmp/api/.project_root": BELOW,
        ".gemini/tmp/api/chats/session-c.jsonl": "{}",
        ".gemini/tmp/beside/.project_root": BESIDE,
        ".gemini/tmp/beside/chats/session-d.jsonl": "{}",
        f".gemini/tmp/{_hash(TREE)}/chats/session-e.json": "{}",
        f".gemini/tmp/{_hash(BESIDE)}/chats/session-f.json": "{}",
    },
    "qwen-code": {
        f".qwen/projects/{DASHED}/chats/a.jsonl": "{}",
        f".qwen/projects/{DASHED}/b.jsonl": "{}",
        f".qwen/projects/{DASHED}-api/chats/c.jsonl": _cwd(BELOW),
        f".qwen/projects/{DASHED}-b/chats/d.jsonl": _cwd(BESIDE),
    },
    "pi": {
        ".pi/agent/sessions/--x--/1_a.jsonl": _cwd(SHOP),
        ".pi/agent/sessions/--y--/2_b.jsonl": _cwd(BELOW),
        ".pi/agent/sessions/--y--/2_c.jsonl": _cwd(BESIDE),
        ".pi/agent/sessions/3_d.jsonl": _cwd(SHOP),
    },
    "kimi": {
        ".kimi-code/session_index.jsonl": "".join(
            json.dumps({"sessionId": name, "workDir": folder}) + "\n"
            for name, folder in (("a", SHOP), ("b", BELOW), ("c", BESIDE))
        ),
        ".kimi-code/sessions/wd/a/agents/main/wire.jsonl": "{}",
        ".kimi-code/sessions/wd/a/agents/helper/wire.jsonl": "{}",
        ".kimi-code/sessions/wd/b/agents/main/wire.jsonl": "{}",
        ".kimi-code/sessions/wd/c/agents/main/wire.jsonl": "{}",
        ".kimi-code/sessions/wd/d/agents/main/wire.jsonl": "{}",
    },
    "cursor": {
        ".cursor/projects/srv-my-shop-v2/agent-transcripts/a/a.jsonl": "{}",
        ".cursor/projects/srv-my-shop-v2/agent-transcripts/b.jsonl": "{}",
        ".cursor/projects/srv-my-shop-v2/agent-transcripts/c.txt": "x",
        ".cursor/projects/srv-my-shop-v2-b/agent-transcripts/d/d.jsonl": "{}",
        ".cursor/projects/srv-tree/agent-transcripts/e.jsonl": "{}",
    },
    "copilot": {
        ".copilot/session-state/a/events.jsonl": _cwd(SHOP),
        ".copilot/session-state/a/other.jsonl": _cwd(SHOP),
        ".copilot/session-state/b.jsonl": _cwd(BELOW),
        ".copilot/session-state/c.jsonl": _cwd(BESIDE),
        ".copilot/session-state/d/events.jsonl": "{}",
    },
    "cline": {
        ".cline/data/sessions/a/a.messages.json": "{}",
        ".cline/data/sessions/a/a.json": json.dumps({"cwd": SHOP}),
        ".cline/data/sessions/a/helper.messages.json": "{}",
        ".cline/data/sessions/b/b.messages.json": "{}",
        ".cline/data/sessions/b/b.json": json.dumps({"cwd": BELOW}),
        ".cline/data/sessions/c/c.messages.json": "{}",
        ".cline/data/sessions/c/c.json": json.dumps({"cwd": BESIDE}),
        ".cline/data/sessions/d/d.messages.json": "{}",
        f".config/Code/{_TASK}/1/api_conversation_history.json": _OPENS.format(SHOP),
        f".config/Code/{_TASK}/1/ui_messages.json": _OPENS.format(SHOP),
        f".config/Cursor/{_TASK}/2/api_conversation_history.json": _OPENS.format(BELOW),
        f".config/Cursor/{_TASK}/3/api_conversation_history.json": _OPENS.format(BESIDE),
        f".config/Cursor/{_TASK}/4/api_conversation_history.json": _OPENS.format("C:\\\\shop"),
    },
    "roo": {
        f".config/Code/{_ROOS}/1/api_conversation_history.json": _OPENS_ROO.format(SHOP),
        f".config/Code/{_ROOS}/1/ui_messages.json": _OPENS_ROO.format(SHOP),
        f".config/VSCodium/{_ROOS}/2/api_conversation_history.json": _OPENS_ROO.format(BESIDE),
        f".config/Code/{_TASK}/3/api_conversation_history.json": _OPENS.format(SHOP),
    },
}  # fmt: skip
FOUND: dict[str, tuple[str, str]] = {
    "claude-code": ("a c f", "b d e g"),
    "codex": ("rollout-a rollout-b rollout-h", "rollout-c rollout-d"),
    "gemini-cli": ("session-a session-b session-c session-e", "session-d session-f"),
    "qwen-code": ("a c", "d"),
    "pi": ("1_a 2_b", "2_c"),
    "kimi": ("a@/srv/my_shop.v2 b@/srv/my_shop.v2/api", "c@/srv/my_shop.v2-b d@"),
    "cursor": ("a b e", "d"),
    "copilot": ("a@/srv/my_shop.v2 b@/srv/my_shop.v2/api", "c@/srv/my_shop.v2-b d@"),
    "cline": (
        "1@/srv/my_shop.v2 2@/srv/my_shop.v2/api a@/srv/my_shop.v2 b@/srv/my_shop.v2/api",
        "3@/srv/my_shop.v2-b 4@C:\\shop c@/srv/my_shop.v2-b d@",
    ),
    "roo": ("1@/srv/my_shop.v2", "2@/srv/my_shop.v2-b"),
}
"""The names of those that ran in the project or its other working tree, and of all others."""


def _put(root: Path, name: str) -> None:
    for place, text in FILES[name].items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1_772_366_400, 1_772_366_400))


def _found(name: str, home: Home, folders: tuple[Path, ...]) -> list[str]:
    files = [it for it in session_files(home, folders) if it.client == name]
    assert all(
        (it.client, it.size) == (name, it.path.stat().st_size)
        and it.modified == datetime(2026, 3, 1, 12, tzinfo=UTC)
        for it in files
    )
    return sorted(f"{it.session_id}@{it.folder}" if it.session_id else it.path.stem for it in files)


@pytest.fixture(autouse=True)
def _on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.parametrize("name", FILES)
def test_sessions_of_each_client(name: str, tmp_path: Path) -> None:
    _put(tmp_path, name)
    here, others = (it.split() for it in FOUND[name])
    assert _found(name, Home(tmp_path, {}), HERE) == sorted(here)
    assert _found(name, Home(tmp_path, {}), ()) == sorted([*here, *others])
    assert _found(name, Home(tmp_path, {}), (Path("/srv/none"),)) == []


def put(path: Path, minute: int, text: str = "{}") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (minute * 60, minute * 60))
    return path


def test_clients_are_found_where_their_variables_say(tmp_path: Path) -> None:
    claude = put(tmp_path / "cc" / "projects" / "-p" / "s.jsonl", 1)
    codex = put(tmp_path / "cx" / "sessions" / "2026" / "01" / "01" / "rollout-s.jsonl", 2)
    environ = {"CLAUDE_CONFIG_DIR": str(tmp_path / "cc"), "CODEX_HOME": str(tmp_path / "cx")}
    found = session_files(Home(tmp_path / "home", environ))
    assert [file.path for file in found] == [codex, claude]
