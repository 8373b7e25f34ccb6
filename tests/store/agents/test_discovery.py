from __future__ import annotations

import os
from pathlib import Path

from store.agents.client import Home
from store.agents.discovery import session_files


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
