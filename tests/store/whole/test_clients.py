"""A home in which every client ran: the sessions found there, and the files that name ours."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from store.agents.client import Home, SessionFile
from store.agents.discovery import open_session, session_files, transcripts_in
from store.agents.registry import HOOKED, NAMES, SERVED, client_named
from tests.store.whole.plain import as_text

SHOP, ELSEWHERE = Path("/home/a/my_shop"), Path("/home/a/elsewhere")
VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "XDG_DATA_HOME",
    "XDG_CONFIG_HOME", "PI_CODING_AGENT_DIR", "KIMI_CODE_HOME", "COPILOT_HOME", "CLINE_DATA_DIR",
    "CLINE_SESSION_DATA_DIR", "QWEN_CODE_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
)  # fmt: skip
PROMPT = "# Current Working Directory ({}) Files"


def _tree() -> dict[str, str]:
    """The session files of every client: one of the project, one from elsewhere, and no session."""
    found: dict[str, str] = {}
    for ran, name in ((SHOP, "mine"), (ELSEWHERE, "other")):
        dashed = str(ran).replace("/", "-").replace("_", "-")
        line = f'{{"cwd": "{ran}", "type": "session", "version": 3}}\n'
        found |= {
            f".claude/projects/{dashed}/{name}.jsonl": line,
            f".claude/projects/{dashed}/{name}/subagents/agent-1.jsonl": line,
            f".codex/sessions/2026/03/01/rollout-{name}.jsonl": line,
            f".codex/archived_sessions/rollout-old-{name}.jsonl": line,
            f".codex/sessions/2026/03/01/rollout-sub-{name}.jsonl": (
                f'{{"cwd": "{ran}", "source": {{"subagent": "x"}}}}\n'
            ),
            f".gemini/tmp/{name}/chats/session-{name}.json": "{}",
            f".gemini/tmp/{name}/chats/session-{name}-2.jsonl": "{}",
            f".gemini/tmp/{name}/.project_root": f"{ran}\n",
            f".qwen/projects/{dashed}/chats/{name}.jsonl": line,
            f".pi/agent/sessions/--{dashed[1:]}--/{name}.jsonl": line,
            f".kimi-code/sessions/h/{name}/agents/main/wire.jsonl": "{}",
            f".kimi-code/sessions/h/{name}/agents/helper/wire.jsonl": "{}",
            f".cursor/projects/{dashed[1:]}/agent-transcripts/{name}/{name}.jsonl": "{}",
            f".cursor/projects/{dashed[1:]}/agent-transcripts/{name}-2.jsonl": "{}",
            f".copilot/session-state/{name}/events.jsonl": line,
            f".copilot/session-state/{name}-2.jsonl": line,
            f".cline/data/sessions/{name}/{name}.messages.json": "{}",
            f".cline/data/sessions/{name}/{name}_sub.messages.json": "{}",
            f".cline/data/sessions/{name}/{name}.json": f'{{"cwd": "{ran}"}}',
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/"
            f"{name}/api_conversation_history.json": PROMPT.format(ran),
        }
    index = [("mine", SHOP), ("other", ELSEWHERE)]
    found[".kimi-code/session_index.jsonl"] = "".join(
        f'{{"sessionId": "{name}", "workDir": "{ran}"}}\n' for name, ran in index
    )
    return found


def _database(home: Path) -> None:
    """OpenCode's sessions: one each, one of a sub-agent, and one in which nothing was said."""
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session (id, directory, time_updated, parent_id)")
        database.execute("CREATE TABLE part (session_id, data)")
        for name, ran, parent in (
            ("ses_mine", SHOP / "api", None),
            ("ses_other", ELSEWHERE, None),
            ("ses_sub", SHOP, "ses_mine"),
            ("ses_empty", SHOP, None),
        ):
            row = (name, str(ran), 1_772_000_000_000, parent)
            database.execute("INSERT INTO session VALUES (?, ?, ?, ?)", row)
            if name != "ses_empty":
                database.execute("INSERT INTO part VALUES (?, '12345678')", (name,))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with the sessions of every client."""
    for at, (name, text) in enumerate(_tree().items()):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1_772_000_000 + at * 60, 1_772_000_000 + at * 60))
    _database(tmp_path)
    return Home(tmp_path, {})


def _lines(files: Iterable[SessionFile], root: Path) -> list[str]:
    return [
        f"{it.client} {str(it.path).removeprefix(str(root))} {it.modified:%m-%d %H:%M} {it.size}"
        f" {it.session_id or '-'} {it.folder.removeprefix(str(root)) or '-'}"
        for it in files
    ]


@pytest.mark.skipif(sys.platform == "darwin", reason="editors keep their files elsewhere there")
@pytest.mark.parametrize("folders", [(), (SHOP,), (SHOP, ELSEWHERE)], ids=len)
def test_the_sessions_of_every_client(
    home: Home, folders: tuple[Path, ...], snapshot: SnapshotAssertion
) -> None:
    assert as_text(_lines(session_files(home, folders), home.path)) == snapshot


def test_a_folder_with_a_history(home: Home, snapshot: SnapshotAssertion) -> None:
    assert as_text(_lines(transcripts_in(home.path), home.path)) == snapshot


def test_the_chats_of_one_file(home: Home, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    history = tmp_path / ".aider.chat.history.md"
    history.write_text(
        "# aider chat started at 2026-02-01 10:00:00\n\n#### mend the lease\n\nDone.\n"
        "# aider chat started at 2026-02-02 11:00:00\n\n#### and the queue\n"
    )
    os.utime(history, (1_772_000_000, 1_772_000_000))
    found = session_files(home, [tmp_path])
    said = []
    for it in found:
        with open_session(it.path) as lines:
            told = b"".join(lines).decode()
        said.append([it.client, it.path.name, it.size, it.session_id, told])
    assert as_text(said) == snapshot


def test_the_files_that_name_ours(snapshot: SnapshotAssertion) -> None:
    usual, chosen = Home(Path("/h"), {}), Home(Path("/h"), {it: f"/v/{it}" for it in VARIABLES})
    told = []
    for name in dict.fromkeys((*NAMES, *SERVED)):
        client = client_named(name)
        for where, home in (("", usual), (" by variables", chosen)):
            for project in (None, Path("/p")):
                files = [f"{name}{where}:"]
                if client.hooks is not None:
                    files.append(f"hooks {client.hooks.file(home, project)}")
                    others = client.hooks.others
                    files += [f"and {it}" for it in others(home, project)] if others else []
                if client.servers is not None:
                    files.append(f"servers {client.servers.file(home, project)}")
                told.append(" ".join(files))
        assert (client.hooks is not None) == (name in HOOKED)
    assert "\n".join(told) == snapshot
