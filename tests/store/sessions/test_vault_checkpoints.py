"""Checkpoints as a vault's own program keeps them: one an agent, in `.vault/checkpoints`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.sessions.checkpoint import KeptMessage
from tests.store.backends.vault.vaults import make_vault
from tests.store.capture.transcripts import NOW
from tests.store.factories import Clock, observation

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def checkpoint(agent: str, age: timedelta, *texts: str) -> str:
    """A checkpoint as the program writes it."""
    messages: list[dict[str, object]] = [{"role": "agent", "text": text} for text in texts]
    messages.insert(-1, {"role": "agent", "text": "hidden", "internal": True})
    return json.dumps(
        {
            "agentId": agent,
            "savedAt": round((NOW - age).timestamp() * 1000),
            "messages": messages,
            "chatId": f"chat-{agent}",
            "modelId": "opus",
        }
    )


HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FILES = {
    "_project.md": "# Shop\n",
    ".vault/checkpoints/dev.json": checkpoint("dev", HOUR, "one", "two", "three", "four"),
    ".vault/checkpoints/qa.json": checkpoint("qa", HOUR / 2, f"The key is {SECRET}."),
    ".vault/checkpoints/old.json": checkpoint("old", 8 * DAY, "long ago"),
    ".vault/checkpoints/bad.json": "{",
    ".vault/checkpoints/list.json": "[1]",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / ".memory", FILES)


@pytest.fixture
def memory(folder: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock(NOW)) as opened:
        yield opened


def test_a_valid_one_is_recovered_and_none_is_touched(memory: Memory, folder: Path) -> None:
    found = memory.continuation.recover("dev")
    assert found is not None
    assert found.messages == tuple(
        KeptMessage("agent", text) for text in ("one", "two", "three", "four")
    )
    assert (found.chat_id, found.model_id) == ("chat-dev", "opus")
    newest = memory.continuation.recover()
    assert newest is not None and newest.agent == "qa"
    assert SECRET not in newest.messages[0].text
    assert memory.continuation.recover("old") is None
    assert {path: (folder / path).read_text() for path in FILES} == FILES


def test_interrupted_until_its_agent_hands_off(memory: Memory) -> None:
    of_agent = memory.continuation.interrupted("main", agent="dev")
    assert of_agent is not None and of_agent.agent == "dev"
    of_any = memory.continuation.interrupted("main", agent="claude-code")
    assert of_any is not None and of_any.agent == "qa"
    memory.store([observation("Done.", agent="qa", category="handoff", timestamp=NOW)])
    assert memory.continuation.interrupted("main", agent="dev") == of_agent
    assert memory.continuation.interrupted("main", agent="qa") is None


def test_an_agent_with_a_blank_in_its_name(memory: Memory, folder: Path) -> None:
    text = checkpoint("Agent X", HOUR, "the one", "left off")
    (folder / ".vault/checkpoints/Agent X.json").write_text(text)
    for name in ("Agent X", "Agent-X"):
        found = memory.continuation.recover(name)
        assert found is not None and found.chat_id == "chat-Agent X"
        assert "left off" in memory.recall.plan(name, profile="vault").text


def test_through_a_link_none_is_read(memory: Memory, folder: Path, tmp_path: Path) -> None:
    (folder / ".vault/checkpoints").rename(tmp_path / "elsewhere")
    (folder / ".vault/checkpoints").symlink_to(tmp_path / "elsewhere")
    assert memory.continuation.recover() is None
