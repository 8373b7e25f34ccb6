"""What nobody else may read, and secrets in places where nobody looks for them."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from memtui.hooks.call import parse_input
from memtui.hooks.run import run_hook
from store import Observation, open_memory
from store.agents.client import SessionFile
from store.agents.files import files_at

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def _everyone_in(folder: Path) -> dict[str, str]:
    """What anybody but the owner may do with anything in a folder."""
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in (folder, *folder.rglob("*"))}
    return {path.name: oct(mode) for path, mode in modes.items() if mode & 0o077}


def _session(folder: Path, session_id: str, name: str) -> SessionFile:
    shared = {"cwd": str(folder), "sessionId": session_id, "timestamp": "2026-02-27T10:00:00Z"}
    said = {"role": "user", "content": "We decided to use flock for the lock."}
    edit = {"file_path": f"{folder}/src/lock.py", "old_string": "a", "new_string": "b"}
    used = {"type": "tool_use", "id": "1", "name": "Edit", "input": edit}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "ok"}
    lines = [
        {**shared, "type": "user", "message": said},
        {**shared, "type": "assistant", "message": {"role": "assistant", "content": [used]}},
        {**shared, "type": "user", "message": {"role": "user", "content": [result]}},
    ]
    path = folder / name / f"{name}.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(map(json.dumps, lines)))
    return next(iter(files_at([path], "claude-code")))


@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_every_file_of_both_indexes_is_its_owners_alone(tmp_path: Path, mask: int) -> None:
    cache = tmp_path / "cache"
    old = os.umask(mask)
    try:
        with open_memory(tmp_path / "memory", cache=cache) as memory:
            memory.store(
                [Observation(agent="a", issue_number=3, category="decision", content="Locks.")]
            )
            memory.session_indexing.index([_session(tmp_path, "one", "one")])
            assert memory.search("locks").total == 1
    finally:
        os.umask(old)
    assert len(list(cache.rglob("*"))) > 10
    assert _everyone_in(cache) == {}
    assert _everyone_in(tmp_path / "memory") == {}


def test_a_secret_in_a_name_is_kept_nowhere(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".agentx" / "memory").mkdir(parents=True)
    file = _session(project, SECRET, SECRET)
    given = parse_input(
        json.dumps(
            {
                "cwd": str(project),
                "session_id": SECRET,
                "transcript_path": str(file.path),
                "agent_type": SECRET,
            }
        )
    )
    assert given is not None
    for hook in ("session-start", "user-prompt", "session-end"):
        run_hook(hook, given, "claude-code", {}, home)
    gone = given._replace(transcript_path=f"/{SECRET}")
    run_hook("session-end", gone, "claude-code", {}, home)
    with open_memory(project / ".agentx" / "memory", cache=tmp_path / "cache") as memory:
        memory.session_indexing.index([file])
        assert memory.search("flock").total
        secret = Observation(
            agent=SECRET, issue_number=3, category="decision", content="Locks.", tags=(SECRET,),
            id=f"obs-{SECRET}-3", session_id=SECRET,
        )  # fmt: skip
        memory.store([secret])
        memory.recall.plan(SECRET, 3)
    kept = [path for path in (project / ".agentx").rglob("*") if path.is_file()]
    assert len(kept) > 5
    for path in kept:
        assert SECRET not in path.name
        assert SECRET not in path.read_text(), path


def test_what_an_agent_of_a_plugin_learned_is_captured(tmp_path: Path) -> None:
    (tmp_path / ".agentx" / "memory").mkdir(parents=True)
    file = _session(tmp_path, "one", "one")
    given = {"cwd": str(tmp_path), "session_id": "s", "agent_type": "feature-dev:code-reviewer",
             "agent_transcript_path": str(file.path)}  # fmt: skip
    said = parse_input(json.dumps(given))
    assert said is not None
    run_hook("subagent-stop", said, "claude-code", {}, tmp_path / "home")
    with open_memory(tmp_path / ".agentx" / "memory", cache=tmp_path / "cache") as memory:
        assert {hit.entry.agent for hit in memory.search("").hits} == {"feature-dev-code-reviewer"}
