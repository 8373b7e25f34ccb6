"""Checkpoints: the last messages, cleaned, for seven days; what the next session is told."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import Memory, open_memory
from store.backends.text_kinds import TextKind
from store.sessions.checkpoint import messages_of
from tests.store.capture.transcripts import NOW
from tests.store.factories import Clock

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


def test_it_is_the_last_fifty_without_secrets_and_what_is_internal(memory: Memory) -> None:
    said: list[dict[str, object]] = [{"role": "user", "text": f"Message {at}."} for at in range(60)]
    said += [{"role": "agent", "text": "Thinking.", "internal": True}]
    said += [{"role": "agent", "text": f"The key is {SECRET}."}]
    memory.continuation.checkpoint("dev", said)
    found = memory.continuation.recover("dev")
    assert found is not None
    assert len(found.messages) == 50
    assert found.messages[0].text == "Message 11."
    assert SECRET not in found.messages[-1].text
    assert "Thinking." not in {it.text for it in found.messages}


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


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"agentId": "dev"}', b'"x"', b"\xff"])
def test_what_is_corrupt_is_removed_without_an_error(memory: Memory, data: bytes) -> None:
    memory.backend.texts.keep(TextKind.CHECKPOINTS, "dev", data, private=True)
    assert memory.continuation.recover("dev") is None
    assert names(memory) == []


def test_an_end_without_words_ends_what_was_kept(memory: Memory) -> None:
    memory.continuation.checkpoint("dev", TALK, "chat-1")
    memory.continuation.checkpoint("dev", TALK, "chat-2")
    assert memory.continuation.checkpoint("dev", [], "chat-1", ended=True) is None
    kept = {chat: memory.continuation._last_of("dev", chat) for chat in ("chat-1", "chat-2")}
    assert {chat: found and found.ended for chat, found in kept.items()} == {
        "chat-1": True,
        "chat-2": False,
    }


@settings(max_examples=12)
@given(st.lists(st.fixed_dictionaries({"role": st.text(), "text": st.text() | st.integers()})))
def test_any_messages_are_taken(given: list[dict[str, object]]) -> None:
    kept = messages_of(given)
    assert len(kept) <= 50
    assert all(it.role in ("user", "agent") and it.text.strip() for it in kept)


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
