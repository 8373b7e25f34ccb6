"""A session as it stood at its end: turns taken back, prompts that waited in the queue."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from store.agents.reading import read_session
from store.agents.session import Session
from tests.store.agents.test_readers import lines
from tests.store.capture.transcripts import ClaudeCode


def _read(made: ClaudeCode) -> Session:
    return read_session(f"{line}\n".encode() for line in made.lines)


def _words(session: Session) -> list[str]:
    return [message.text for message in session.messages]


def test_a_rewound_turn_is_left_out() -> None:
    made = (
        ClaudeCode()
        .user("Lock the jobs", uuid="1")
        .agent("In Redis?", uuid="2", parentUuid="1")
        .user("Yes, in Redis", uuid="3", parentUuid="2")
        .call("Edit", {"file_path": "redis.py"}, uuid="4", parentUuid="3")
        .user("No, in Postgres", uuid="5", parentUuid="2")
        .agent("Done", uuid="6", parentUuid="5")
    )
    assert _words(_read(made)) == ["Lock the jobs", "In Redis?", "No, in Postgres", "Done"]
    assert _read(made).steps == ()


def test_a_turn_that_was_returned_to_is_kept() -> None:
    made = (
        ClaudeCode()
        .user("One", uuid="1")
        .user("Two", uuid="2", parentUuid="1")
        .user("Other", uuid="3", parentUuid="1")
        .user("Three", uuid="4", parentUuid="2")
    )
    assert _words(_read(made)) == ["One", "Two", "Three"]


def test_compaction_does_not_break_the_chain() -> None:
    made = (
        ClaudeCode()
        .user("One", uuid="1")
        .user("Taken back", uuid="2", parentUuid="1")
        .user("Two", uuid="3", parentUuid="1")
        .line("system", subtype="compact_boundary", uuid="4", logicalParentUuid="3")
        .user("It was about one and two", uuid="5", parentUuid="4", isCompactSummary=True)
        .user("Three", uuid="6", parentUuid="5")
    )
    assert _words(_read(made)) == ["One", "Two", "Three"]


def _queued(made: ClaudeCode, text: str, mode: str = "prompt") -> ClaudeCode:
    attachment = {"type": "queued_command", "prompt": text, "commandMode": mode}
    return made.line("attachment", attachment=attachment, uuid=text, parentUuid="1")


def test_a_prompt_typed_while_the_agent_worked() -> None:
    made = ClaudeCode().user("Add a page", uuid="1")
    made.line("queue-operation", operation="enqueue", content="Never in cookies")
    _queued(made, "Never in cookies").line("queue-operation", operation="remove")
    _queued(made, "A task ended", mode="task-notification").agent("Done", uuid="2", parentUuid="1")
    assert _words(_read(made)) == ["Add a page", "Never in cookies", "Done"]


@pytest.mark.parametrize(
    ("operations", "read"),
    [
        (("enqueue One", "enqueue Two", "dequeue"), ["Two"]),  # the first stands as a message
        (("enqueue One", "enqueue Two", "popAll"), []),  # back in the box, to be edited
        (("dequeue", "enqueue One"), ["One"]),
        (("enqueue One", 'enqueue {"task_id":"b1","task_type":"local_bash"}', "remove"), []),
        (('enqueue {"task_id":"b1"}', "enqueue One", "dequeue"), []),
    ],
)
def test_a_prompt_still_in_the_queue(operations: tuple[str, ...], read: list[str]) -> None:
    made = ClaudeCode().user("Add a page")
    for operation in operations:
        name, _, text = operation.partition(" ")
        made.line("queue-operation", operation=name, content=text)
    assert _words(_read(made)) == ["Add a page", *read]


def codex_lines(*turns: str) -> list[bytes]:
    """A rollout in which each turn is asked and answered; `-2` takes the last two back."""
    records: list[object] = [{"type": "session_meta", "payload": {"id": "c", "cwd": "/work"}}]
    for turn in turns:
        if turn.startswith("-"):
            payload = {"type": "thread_rolled_back", "num_turns": int(turn[1:])}
            records.append({"type": "event_msg", "payload": payload})
            continue
        context = f"<environment_context>{turn}</environment_context>"
        for role, text in (("user", context), ("user", turn), ("assistant", f"{turn}!")):
            payload = {"type": "message", "role": role, "content": [{"text": text}]}
            records.append({"type": "response_item", "payload": payload})
    return lines(*records)


@pytest.mark.parametrize(
    ("turns", "read"),
    [
        (("a", "b", "-1", "c"), ["a", "a!", "c", "c!"]),
        (("a", "b", "c", "-2", "d"), ["a", "a!", "d", "d!"]),
        (("a", "-9", "b"), ["b", "b!"]),
        (("a", "-0"), ["a", "a!"]),
    ],
)
def test_codex_turns_that_were_taken_back(turns: tuple[str, ...], read: list[str]) -> None:
    assert _words(read_session(codex_lines(*turns))) == read


def _kimi(content: object, **origin: object) -> dict[str, object]:
    message = {"role": "user", "content": content, "origin": {"kind": "user", **origin}}
    return {"type": "context.append_message", "agentId": "main", "message": message}


def _kimi_words(*records: Mapping[str, object]) -> list[str]:
    head = {"type": "metadata", "protocol_version": "1.5"}
    return _words(read_session(lines(head, *records)))


def test_kimis_turns_that_were_taken_back() -> None:
    """A prompt that was typed within a turn goes with it; nothing goes from before a summary."""
    undo = {"type": "context.undo", "agentId": "main", "count": 1}
    turn = (_kimi("In Redis"), _kimi("at once", inTurn=True))
    assert _kimi_words(_kimi("Lock"), *turn, undo, _kimi("In Postgres")) == ["Lock", "In Postgres"]
    assert _kimi_words(_kimi("Lock"), *turn, undo | {"count": 2}) == []
    compacted = {"type": "context.apply_compaction", "summary": "It is locked"}
    assert _kimi_words(_kimi("Lock"), compacted, undo) == ["Lock"]


def test_words_after_kimis_commands() -> None:
    """The skill's own text, which stands before them, is nobody's words."""
    slash = {"trigger": "user-slash"}
    skill = _kimi("Mend it so", kind="skill_activation", skillName="fix", skillArgs="a b", **slash)
    of_plugin = {"pluginId": "p", "commandName": "ship", "commandArgs": "it"}
    assert _kimi_words(skill, _kimi("", kind="plugin_command", **of_plugin, **slash)) == [
        "/fix a b",
        "/p:ship it",
    ]
    by_model = _kimi("Mend it so", kind="skill_activation", skillName="fix", trigger="model-tool")
    parts = [{"type": "text", "text": text} for text in ("Mend it so", "the retry bug")]
    bundled = _kimi(parts, skillActivations=[{"name": "fix"}])
    assert _kimi_words(by_model, bundled) == ["the retry bug"]
