"""What is kept of a conversation that broke off, also in a vault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.text_kinds import TextKind
from tests.store.backends.vault.vaults import make_vault
from tests.store.capture.transcripts import NOW
from tests.store.factories import Clock, observation

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TALK = [{"role": "user", "text": "Make the lock wait."}, {"role": "agent", "text": "I look."}]


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    return open_memory(tmp_path / "memory", cache=tmp_path / "cache", clock=clock)


def names(memory: Memory) -> list[str]:
    return memory.backend.texts.names(TextKind.CHECKPOINTS)


def test_a_secret_where_a_long_message_is_cut_is_taken_out_before(memory: Memory) -> None:
    before = "word " * 398
    memory.continuation.checkpoint(
        "dev", [{"role": "user", "text": f"{before}{SECRET} {'word ' * 600}"}]
    )
    found = memory.continuation.recover("dev")
    assert found is not None
    (said,) = found.messages
    assert "\n…\n" in said.text
    assert SECRET[:10] not in said.text


def test_an_end_without_words_ends_what_was_kept(memory: Memory) -> None:
    memory.continuation.checkpoint("dev", TALK, "chat-1")
    memory.continuation.checkpoint("dev", TALK, "chat-2")
    assert memory.continuation.checkpoint("dev", [], "chat-1", ended=True) is None
    kept = {chat: memory.continuation._last_of("dev", chat) for chat in ("chat-1", "chat-2")}
    assert {chat: found and found.ended for chat, found in kept.items()} == {
        "chat-1": True,
        "chat-2": False,
    }


def test_secrets_in_names(memory: Memory, clock: Clock) -> None:
    memory.continuation.checkpoint(
        f"dev-{SECRET}", TALK, SECRET, f"opus-{SECRET}", branch=f"fix/{SECRET}"
    )
    [name] = names(memory)
    assert SECRET.encode() not in memory.backend.texts.read(TextKind.CHECKPOINTS, name)
    assert memory.continuation.recover(f"dev-{SECRET}") is not None
    assert memory.continuation.interrupted(f"fix/{SECRET}") is not None
    assert memory.continuation.interrupted(f"fix/{SECRET}", session_id=SECRET) is None
    clock.now += timedelta(minutes=1)
    memory.continuation.sleep("dev", TALK, "Gone on with.", branch=f"fix/{SECRET}")
    assert memory.continuation.interrupted(f"fix/{SECRET}") is None


# Checkpoints as a vault's own program keeps them: one an agent, in `.vault/checkpoints`.


def checkpoint(agent: str, age: timedelta, *texts: str) -> str:
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
def vault(folder: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock(NOW)) as opened:
        yield opened


def test_interrupted_until_its_agent_hands_off(vault: Memory) -> None:
    of_agent = vault.continuation.interrupted("main", agent="dev")
    assert of_agent is not None and of_agent.agent == "dev"
    of_any = vault.continuation.interrupted("main", agent="claude-code")
    assert of_any is not None and of_any.agent == "qa"
    vault.store([observation("Done.", agent="qa", category="handoff", timestamp=NOW)])
    assert vault.continuation.interrupted("main", agent="dev") == of_agent
    assert vault.continuation.interrupted("main", agent="qa") is None


def test_an_agent_with_a_blank_in_its_name(vault: Memory, folder: Path) -> None:
    text = checkpoint("Agent X", HOUR, "the one", "left off")
    (folder / ".vault/checkpoints/Agent X.json").write_text(text)
    for name in ("Agent X", "Agent-X"):
        found = vault.continuation.recover(name)
        assert found is not None and found.chat_id == "chat-Agent X"
        assert "left off" in vault.recall.plan(name, profile="vault").text


def test_through_a_link_none_is_read(vault: Memory, folder: Path, tmp_path: Path) -> None:
    (folder / ".vault/checkpoints").rename(tmp_path / "elsewhere")
    (folder / ".vault/checkpoints").symlink_to(tmp_path / "elsewhere")
    assert vault.continuation.recover() is None
