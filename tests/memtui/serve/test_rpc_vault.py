"""The JSON-RPC methods for a vault's screen, over a vault as its own program writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.serve.rpc.server import Server
from store import Memory, open_memory
from tests.memtui.serve.test_rpc import asking
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, Clock, observation

Ask = Callable[..., dict[str, Any]]
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def _entry(number: int, text: str, tags: str = "") -> str:
    return f"<!-- id:{number} -->\n## 2026-02-2{number}T10:00{tags}\n\n{text}\n\n---\n"


OLD = (NOW - timedelta(days=8)).timestamp() * 1000
FILES = {
    "_project.md": "# Shop\n",
    "dev/decisions.md": _entry(2, "We decided to use SSE for the stream.", " · #sse #api")
    + _entry(1, "We chose plain files."),
    "dev/lessons.md": _entry(3, f"The stream needs {SECRET}."),
    "qa/decisions.md": _entry(4, "The stream is tested with Playwright."),
    "dev.md": "## Notes\nThe proxy buffers.\n",
    "old.md": "## Notes\nOlder.\n",
    "old.md.bak": "kept\n",
    ".vault/checkpoints/gone.json": json.dumps({"agentId": "x", "savedAt": OLD, "messages": []}),
    ".vault/compact-log.json": json.dumps({"timestamp": "2026-02-01T00:00:00Z"}),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / ".memory", FILES)


@pytest.fixture
def memory(folder: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock()) as opened:
        yield opened


@pytest.fixture
def rpc(memory: Memory) -> Ask:
    return asking(Server(lambda: memory, Clock()))


def test_the_agents_are_listed_with_how_many_memories_each_has(rpc: Ask) -> None:
    told = rpc("agents", "dev")["result"]["agents"]
    counts = {item["agent"]: item["memory_count"] for item in told}
    assert counts == {"dev": 3, "qa": 1, "project": 1, "notes": 2}


def test_a_category_of_an_agent_is_listed_newest_first_by_either_name(rpc: Ask) -> None:
    for category in ("decision", "decisions"):
        told = rpc("list", "dev", category=category)["result"]
        newest, _ = told["memories"]
        assert newest["content"] == "We decided to use SSE for the stream."
        assert newest["tags"] == ["sse", "api"]
        assert newest["timestamp"] == "2026-02-22T10:00:00Z"
        assert (newest["category"], told["total"]) == ("decision", 2)
        assert told["by_category"] == {"decision": 2, "lesson": 1}
    assert rpc("list", "dev", limit=1, offset=1)["result"]["memories"] == [newest]
    assert rpc("list", "dev", category="tasks")["result"]["memories"] == []
    assert SECRET not in json.dumps(rpc("list", "dev"))


def test_a_search_finds_an_agents_own_and_no_others_however_it_is_asked(rpc: Ask) -> None:
    (found,) = rpc("search", "dev", query="stream", category="decisions")["result"]["memories"]
    assert found["snippet"] == "We decided to use SSE for the stream."
    assert found["score"] > 0
    for asked in ("stream agent:qa", 'stream" agent:qa', "Playwright", "agent:qa OR stream"):
        told = rpc("search", "dev", query=asked)
        assert "Playwright" not in json.dumps(told["result"])
    assert rpc("search", "dev", query="x", category="no category")["error"]["code"] == -32602


def test_a_checkpoint_is_recovered_by_its_agent_alone(rpc: Ask) -> None:
    said = [
        {"role": "user", "text": "Wire it."},
        {"role": "agent", "text": "thinking", "internal": True},
        {"role": "agent", "text": f"With {SECRET}."},
    ]
    told = rpc("checkpoint", "dev", messages=said, chat_id="c-1", model_id="opus")["result"]
    assert told == {"success": True, "message_count": 2}
    kept = rpc("recover", "dev")["result"]["checkpoint"]
    assert kept["messages"][0] == {"role": "user", "text": "Wire it."}
    assert (kept["chat_id"], kept["model_id"]) == ("c-1", "opus")
    assert SECRET not in json.dumps(kept)
    assert rpc("recover", "qa")["result"] == {"checkpoint": None}
    assert rpc("checkpoint", "qa", messages=[])["result"]["success"] is False
    wrong = rpc("checkpoint", "dev", messages=[{"role": "system", "text": "x"}])
    assert wrong["error"]["code"] == -32602


def test_a_compaction_is_previewed_carried_out_and_undone(
    rpc: Ask, memory: Memory, folder: Path
) -> None:
    expired = folder / ".vault/checkpoints/gone.json"
    told = rpc("compact", "dev", dry_run=True)["result"]
    assert (told["checkpoints_cleaned"], told["applied"]) == (1, False)
    assert told["last_compaction"] == {"timestamp": "2026-02-01T00:00:00Z"}
    assert expired.exists()
    done = rpc("compact", "dev")["result"]
    assert done["applied"] is True and done["operation_id"]
    assert not expired.exists()
    memory.undo()
    assert expired.exists()
    assert rpc("compact", "dev", dry_run=True)["result"]["last_compaction"]["timestamp"].startswith(
        "2026-03-01T12:00"
    )


def test_flat_files_are_migrated_once_and_what_has_a_backup_is_named(
    rpc: Ask, memory: Memory, folder: Path
) -> None:
    told = rpc("migrate", "dev", dry_run=True)["result"]
    assert (told["migrated"], told["skipped"], told["memory_count"]) == (["dev.md"], ["old.md"], 1)
    assert (folder / "dev.md").exists()
    assert rpc("migrate", "dev")["result"]["applied"] is True
    assert (folder / "dev.md.bak").exists() and not (folder / "dev.md").exists()
    assert "The proxy buffers." in (folder / "dev/lessons.md").read_text()
    assert rpc("migrate", "dev")["result"]["migrated"] == []
    memory.undo()
    assert (folder / "dev.md").exists()


@pytest.mark.parametrize("method", ["agents", "compact", "migrate"])
def test_what_is_of_all_is_refused_to_who_may_be_one_agent(
    rpc: Ask, folder: Path, method: str
) -> None:
    assert rpc(method, "dev", "dev")["error"]["code"] == -32001
    assert {path: (folder / path).read_text() for path in FILES} == FILES


def test_a_memory_that_is_no_vault_has_no_upkeep_of_one(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=Clock()) as memory:
        memory.store([observation("We chose files.", agent="dev", category="decision")])
        rpc = asking(Server(lambda: memory, Clock()))
        for method in ("compact", "migrate"):
            error = rpc(method, "dev")["error"]
            assert error["code"] == -32602 and "vault" in error["message"]
        (found,) = rpc("list", "dev")["result"]["memories"]
        assert found["content"] == "We chose files."
