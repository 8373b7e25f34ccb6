"""Sessions as clients keep them: compressed, in a database, in Markdown, and where."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from store import open_memory
from store.agents.client import Home
from store.agents.compressed import open_session_file
from store.agents.databases import opened
from store.agents.discovery import open_session, session_files, session_id_of, transcripts_in
from store.agents.reading import read_session
from tests.store.agents.test_clients import database
from tests.store.agents.test_transcripts import codex_lines as rollout

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DAY = ".codex/sessions/2026/11/10"


def _put_rollout(home: Path, *turns: str) -> Path:
    path = home / DAY / "rollout-2026-11-10T09-00-00-c.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(rollout(*turns)))
    return path


def _compress(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.zst")
    packed.write_bytes(zstd.compress(path.read_bytes()))
    path.unlink()
    return packed


def test_a_compressed_session_is_found_and_read(tmp_path: Path) -> None:
    plain = _put_rollout(tmp_path, "Why does it stop?")
    content = plain.read_bytes().splitlines(keepends=True)
    packed = _compress(plain)
    (found,) = session_files(Home(tmp_path, {}), [Path("/work")])
    assert (found.path, found.folder) == (packed, "/work")
    assert session_id_of(packed) == "rollout-2026-11-10T09-00-00-c"
    with open_session(packed) as lines:
        assert list(lines) == content


def test_an_indexed_session_stays_the_same_one(tmp_path: Path) -> None:
    memory = open_memory(tmp_path / "memory", cache=tmp_path / "cache")
    home = Home(tmp_path, {})
    plain = _put_rollout(tmp_path, "Why does it stop?")
    memory.session_indexing.index(session_files(home))
    _compress(plain)
    (row,) = memory.sessions.listing(session_files(home))
    assert row.id == "c"
    memory.session_indexing.index(session_files(home))
    (row,) = memory.sessions.listing(session_files(home))
    assert (row.id, row.file) == ("c", None)


@pytest.mark.parametrize("damage", [b"", b"no zstd at all", None])
def test_damaged(tmp_path: Path, damage: bytes | None) -> None:
    packed = _compress(_put_rollout(tmp_path, "Why does it stop?"))
    packed.write_bytes(packed.read_bytes()[:-9] if damage is None else damage)
    with pytest.raises(OSError, match="damaged"), open_session_file(packed) as lines:
        assert lines.read()


# Clients' databases: where variables put them, and those in a folder that can't be written to.


SHOP_HERE = (Path("/home/a/shop"),)


def put_database(path: Path) -> Path:
    """A database with a log of changes, all of them written back."""
    database(path)
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode = wal")
    return path


def make_unwritable(path: Path) -> None:
    path.with_name(f"{path.name}-shm").symlink_to("nowhere/shm")


def test_a_database_with_a_log_is_read_in_a_folder_that_cant_be_written_to(tmp_path: Path) -> None:
    path = put_database(tmp_path / ".local/share/kilo/kilo.db")
    make_unwritable(path)
    (file,) = session_files(Home(tmp_path, {}), SHOP_HERE)
    with open_session(file.path) as lines:
        session = read_session(lines)
    assert (session.agent, session.id, len(session.messages)) == ("kilo", "s-1", 3)
    assert session.unread == ()


def test_what_stands_in_a_log_that_cant_be_read_is_named_as_missing(tmp_path: Path) -> None:
    path = put_database(tmp_path / "client" / "kilo.db")
    copy = tmp_path / ".local/share/kilo/kilo.db"
    copy.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as client:
        client.execute("PRAGMA wal_autocheckpoint = 0")
        client.execute("UPDATE session SET time_updated = 1772366409000")
        client.commit()
        for name in ("kilo.db", "kilo.db-wal"):
            shutil.copy(path.with_name(name), copy.with_name(name))
    make_unwritable(copy)
    (file,) = session_files(Home(tmp_path, {}), SHOP_HERE)
    with open_session(file.path) as lines:
        session = read_session(lines)
    assert len(session.messages) == 3
    assert [item.reason for item in session.unread] == [
        "what its client wrote last is in kilo.db-wal, which can't be read in this folder"
    ]


def test_a_database_that_its_client_is_changing_is_not_read_as_if_at_rest(tmp_path: Path) -> None:
    path = tmp_path / "client" / "opencode.db"
    database(path)
    with closing(sqlite3.connect(path)) as client:
        client.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"), opened(path):
            pass


@pytest.mark.parametrize(
    ("client", "chosen", "place"),
    [
        ("kilo", "work.db", ".local/share/kilo/work.db"),
        ("kilo", "{home}/far/chats.db", "far/chats.db"),
        ("kilo", "", ".local/share/kilo/kilo-beta.db"),
        ("opencode", "work.db", ".local/share/opencode/work.db"),
        ("opencode", "", ".local/share/opencode/opencode-dev.db"),
    ],
)
def test_a_database_lies_where_its_client_is_told(
    client: str, chosen: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(tmp_path / place)
    variable, value = f"{client.upper()}_DB", chosen.replace("{home}", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".local/share"))
    monkeypatch.setenv(variable, value)
    home = Home(tmp_path, {variable: value})
    (file,) = session_files(home, SHOP_HERE)
    assert (file.client, file.path) == (client, tmp_path / f"{place}#s-1")
    with open_session(file.path) as lines:
        assert read_session(lines).agent == client
    assert not session_files(Home(tmp_path, {variable: ":memory:"}), SHOP_HERE)


# SpecStory's copies of sessions: read as what they are, and not beside the client's own file.


ID = "0c56ec44-0000-4000-8000-000000000000"
HEAD = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-11-01 10:00:00Z

<!-- Claude Code Session {ID} (2026-11-01_10-00-00Z) -->
"""
TALK = """
_**User**_

Make it retry.

---

_**Agent (m-5 2026-11-01 10:00:07Z)**_

<think><details><summary>Thought Process</summary>
- maybe a queue
</details></think>

At most three times.

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit** `src/upload.py`</summary>

```diff
- send(x)
+ retry(send, x)
```

</details></tool-use>

_**Agent (m-5 2026-11-01 10:00:09Z)**_

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
Run the suite

`pytest -q`

```text
3 passed
```
</details></tool-use>

---
"""


def test_found_in_a_project_unless_the_client_has_the_session(tmp_path: Path) -> None:
    project, home = tmp_path / "shop", Home(tmp_path, {})
    history = project / ".specstory" / "history"
    history.mkdir(parents=True)
    copy = history / "2026-11-01_10-00-00Z-retry.md"
    copy.write_text(HEAD + TALK)
    (history / "notes.md").write_text("Notes of a person")
    (found,) = session_files(home, [project])
    assert (found.path, found.client, found.session_id) == (copy, "specstory", ID)
    assert [file.path for file in transcripts_in(history)] == [copy]
    own = tmp_path / ".claude/projects" / str(project).replace("/", "-") / f"{ID}.jsonl"
    own.parent.mkdir(parents=True)
    own.write_text(f'{{"type":"user","sessionId":"{ID}","cwd":"{project}"}}')
    assert [file.path for file in session_files(home, [project])] == [own]


# Where the sessions of each client are found, among files beside them that are none.


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
