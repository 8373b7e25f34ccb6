"""Checkpoints: the last messages, cleaned, for seven days; what the next session is told."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import Memory, Observation, open_memory
from store.backends.text_kinds import TextKind
from store.records import InvalidRecord
from store.sessions.checkpoint import (
    Checkpoint,
    Said,
    from_record,
    handoff_of,
    is_valid,
    messages_of,
    recovery_lines,
    to_record,
)
from store.sessions.session_file import read_end
from store.settings.schema import Settings
from tests.store.capture.transcripts import NOW, ClaudeCode
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
    return memory.backend.names(TextKind.CHECKPOINTS)


def test_what_was_said_last_is_recovered(memory: Memory) -> None:
    memory.continuation.checkpoint(
        "dev", TALK, "chat-1", "opus", branch="main", left_open=("Test it.",)
    )
    found = memory.continuation.recover("dev")
    assert found is not None
    assert found.messages == (Said("user", "Make the lock wait."), Said("agent", "I look."))
    assert (found.chat_id, found.model_id, found.branch) == ("chat-1", "opus", "main")
    assert memory.continuation.recover("other") is None
    assert memory.continuation.recover() == found


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


def test_after_seven_days_it_is_gone(memory: Memory, clock: Clock) -> None:
    memory.continuation.checkpoint("dev", TALK)
    clock.now += timedelta(days=7)
    assert memory.continuation.recover("dev") is not None
    clock.now += timedelta(minutes=1)
    assert memory.continuation.recover("dev") is None
    assert names(memory) == []


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"agentId": "dev"}', b'"x"', b"\xff"])
def test_what_is_corrupt_is_removed_without_an_error(memory: Memory, data: bytes) -> None:
    memory.backend.keep(TextKind.CHECKPOINTS, "dev", data, private=True)
    assert memory.continuation.recover("dev") is None
    assert names(memory) == []


def test_it_stays_out_of_git_whatever_is_shared(tmp_path: Path) -> None:
    with open_memory(tmp_path / "m", settings=Settings(share_sessions=True)) as memory:
        memory.continuation.checkpoint("dev", TALK)
    assert (tmp_path / "m" / "checkpoints" / ".gitignore").read_text().endswith("*\n")


def test_switched_off_keeps_nothing(tmp_path: Path) -> None:
    with open_memory(tmp_path / "m", settings=Settings(enabled=False)) as memory:
        assert memory.continuation.checkpoint("dev", TALK) is None
    assert not (tmp_path / "m").exists()


def test_a_session_put_to_sleep_leaves_a_handoff_and_nothing_to_recover(
    memory: Memory,
) -> None:
    [identifier] = memory.continuation.sleep(
        "dev", TALK, "The lock waits; tests are open.", chat_id="chat-1"
    )
    handoff = memory.get(identifier)
    assert (handoff.category, handoff.content) == ("handoff", "The lock waits; tests are open.")
    assert handoff.session_id == "chat-1"
    assert memory.continuation.interrupted("") is None
    found = memory.continuation.recover("dev")
    assert found is not None
    assert found.ended


def test_without_a_summary_the_last_messages_are_the_handoff(memory: Memory) -> None:
    [identifier] = memory.continuation.sleep("dev", TALK, "")
    assert memory.get(identifier).content == "[User]: Make the lock wait.\n[Agent]: I look."
    assert memory.continuation.sleep("dev", [], "") == []


def test_broken_off_is_the_last_session_of_a_branch_that_did_not_end(
    memory: Memory, clock: Clock
) -> None:
    memory.continuation.checkpoint("claude-code", TALK, "one", branch="main", owner=77)
    assert (memory.continuation.interrupted("main") or Checkpoint("", NOW)).chat_id == "one"
    assert memory.continuation.interrupted("other") is None
    assert memory.continuation.interrupted("main", session_id="one") is None
    assert memory.continuation.interrupted("main", runs=lambda owner: owner == 77) is None
    clock.now += timedelta(minutes=1)
    memory.continuation.checkpoint("codex", TALK, "two", branch="main", ended=True)
    assert memory.continuation.interrupted("main") is None


@pytest.mark.parametrize(
    ("fields", "gone_on"),
    [
        ({"session_id": "one"}, True),
        ({"extra": {"branch": "main"}}, True),
        ({"extra": {"branch": "other"}}, False),
    ],
)
def test_a_newer_handoff_stands_for_what_broke_off(
    memory: Memory, clock: Clock, fields: dict[str, object], gone_on: bool
) -> None:
    memory.continuation.checkpoint("claude-code", TALK, "one", branch="main")
    clock.now += timedelta(minutes=1)
    memory.store([Observation("dev", 0, "handoff", "Go on there.", **fields)])  # type: ignore[arg-type]
    assert (memory.continuation.interrupted("main") is None) is gone_on


def test_the_next_session_is_told_the_last_three_messages_and_what_was_open() -> None:
    said = tuple(Said("user", f"Message {at}.\nAnd more.") for at in range(5))
    lines = recovery_lines(Checkpoint("dev", NOW, said, left_open=("Run the tests.",)))
    assert lines == (
        "Recovering previous session:",
        *(f"[user]: Message {at}. And more." for at in (2, 3, 4)),
        "open: Run the tests.",
    )
    assert recovery_lines(Checkpoint("dev", NOW)) == ()


@given(
    st.text(min_size=1),
    st.lists(st.tuples(st.sampled_from(["user", "agent"]), st.text())),
    st.text(),
    st.lists(st.text()),
    st.booleans(),
)
def test_a_record_is_read_as_it_was_written(
    agent: str, said: list[tuple[str, str]], branch: str, still: list[str], ended: bool
) -> None:
    written = Checkpoint(
        agent,
        NOW,
        tuple(Said(*it) for it in said),
        branch=branch,
        left_open=tuple(still),
        ended=ended,
        extra={"later": 1},
    )
    assert from_record(to_record(written)) == written
    assert type(to_record(written)["savedAt"]) is int, "as the vault's own program writes it"


@given(st.lists(st.fixed_dictionaries({"role": st.text(), "text": st.text() | st.integers()})))
def test_any_messages_are_taken(given: list[dict[str, object]]) -> None:
    kept = messages_of(given)
    assert len(kept) <= 50
    assert all(it.role in ("user", "agent") and it.text.strip() for it in kept)


def test_the_end_of_a_long_file_is_enough(tmp_path: Path) -> None:
    made = ClaudeCode().user("The first request.")
    for at in range(400):
        made.call("Read", {"file_path": "a.py"}, "x" * 4_000).agent(f"Answer {at}.")
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(made.lines))
    session = read_end(path, "claude-code")
    assert session.said[-1].text == "Answer 399."
    assert len(session.said) >= 50
    assert session.said[0].text != "The first request."


def test_names_are_kept_without_their_secrets_and_found_all_the_same(
    memory: Memory, clock: Clock
) -> None:
    memory.continuation.checkpoint(
        f"dev-{SECRET}", TALK, SECRET, f"opus-{SECRET}", branch=f"fix/{SECRET}"
    )
    [name] = names(memory)
    assert SECRET.encode() not in memory.backend.kept(TextKind.CHECKPOINTS, name)
    assert memory.continuation.recover(f"dev-{SECRET}") is not None
    assert memory.continuation.interrupted(f"fix/{SECRET}") is not None
    assert memory.continuation.interrupted(f"fix/{SECRET}", session_id=SECRET) is None
    clock.now += timedelta(minutes=1)
    memory.continuation.sleep("dev", TALK, "Gone on with.", branch=f"fix/{SECRET}")
    assert memory.continuation.interrupted(f"fix/{SECRET}") is None


def test_the_last_six_messages_are_a_handoff_in_short() -> None:
    said = [
        Said("user" if number % 2 else "agent", f"{number} {'w ' * 300}") for number in range(9)
    ]
    lines = handoff_of(said).splitlines()
    assert [line.partition("]: ")[2][:2] for line in lines] == [f"{it} " for it in range(3, 9)]
    assert lines[0].startswith("[User]: 3 w")
    assert lines[1].startswith("[Agent]: 4 w")
    assert all(190 < len(line.partition("]: ")[2]) <= 200 for line in lines)


def test_a_checkpoint_is_good_for_seven_days_to_the_second() -> None:
    checkpoint = Checkpoint("a", NOW)
    assert is_valid(checkpoint, NOW + timedelta(days=7))
    assert not is_valid(checkpoint, NOW + timedelta(days=7, seconds=1))


def test_one_that_is_dated_far_ahead_is_good_no_longer_than_one_of_the_past() -> None:
    """A clock that was wrong once would leave one that is told for ever, before every other."""
    checkpoint = Checkpoint("a", NOW)
    assert is_valid(checkpoint, NOW - timedelta(days=7))
    assert not is_valid(checkpoint, NOW - timedelta(days=7, seconds=1))


@pytest.mark.parametrize("owner", [1 << 40, -1, True, "7", 1.5])
def test_what_can_be_no_process_owns_no_checkpoint(owner: object) -> None:
    record = {"agentId": "a", "savedAt": 1, "messages": [], "owner": owner}
    assert from_record(record).owner == 0


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    (said,) = messages_of([Said("user", "a" * 3_000 + "b" * 3_000)])
    assert len(said.text) <= 4_000 + 40
    assert said.text.startswith("a" * 1_000)
    assert said.text.endswith("b" * 1_000)
    assert messages_of([Said("user", "c" * 4_000)])[0].text == "c" * 4_000


def test_no_more_than_three_messages_and_three_open_things_are_told() -> None:
    said = tuple(Said("user", f"{number} {'w ' * 300}") for number in range(5))
    left = tuple(f"{number} {'o ' * 300}" for number in range(5))
    lines = recovery_lines(Checkpoint("a", NOW, said, left_open=left))
    assert [line[:8] for line in lines[1:4]] == [f"[user]: {it}"[:8] for it in (2, 3, 4)]
    assert [line.split()[1] for line in lines[1:]] == ["2", "3", "4", "0", "1", "2"]
    assert max(map(len, lines[1:4])) <= 320 + 8
    assert max(map(len, lines[4:])) <= 240 + 6
    assert recovery_lines(Checkpoint("a", NOW, left_open=left)) == ()


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"agentId": "a", "savedAt": 1},
        {"agentId": 5, "savedAt": 1, "messages": []},
        {"agentId": "a", "savedAt": "soon", "messages": []},
        {"agentId": "a", "savedAt": 1e30, "messages": []},
        {"agentId": "a", "messages": []},
    ],
)
def test_what_is_no_checkpoint_is_refused(value: object) -> None:
    with pytest.raises(InvalidRecord):
        from_record(value)
