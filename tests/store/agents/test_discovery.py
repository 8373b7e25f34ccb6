from __future__ import annotations

import os
from pathlib import Path

from store.agents.client import Home
from store.agents.discovery import session_files, transcripts_in


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


def test_a_history_is_oldest_first(tmp_path: Path) -> None:
    second = put(tmp_path / "b" / "two.jsonl", 2)
    first = put(tmp_path / "one.json", 1)
    put(tmp_path / "b" / "subagents" / "x.jsonl", 3)
    put(tmp_path / "notes.txt", 3)
    assert [file.path for file in transcripts_in(tmp_path)] == [first, second]
