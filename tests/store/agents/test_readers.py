from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.agents import aider, cline, gemini_cli
from store.agents.formats import (
    CONVERSATION,
    CONVERSATION_LINES,
    FORMATS,
    SUMMARY,
    format_of,
    read_session,
    read_transcript,
)
from store.agents.session import Session, collect
from store.agents.transcript import ContextSummary, Message, Speaker, ToolCall, ToolResult, Unread
from store.capture.steps.tools import reads_of
from store.errors import Unreadable
from tests.store.capture.transcripts import ClaudeCode


def lines(*records: object) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def session(*records: object) -> Session:
    return collect(read_transcript(lines(*records)))


CODEX = (
    {
        "type": "session_meta",
        "payload": {"id": "c-1", "cwd": "/work", "git": {"branch": "issue-7"}},
    },
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Add a limit"}},
    {
        "timestamp": "2026-03-01T12:00:00Z",
        "type": "response_item",
        "payload": {"role": "user", "content": [{"type": "input_text", "text": "Add a limit"}]},
    },
    {"type": "response_item", "payload": {"type": "reasoning", "encrypted_content": "gAAAA"}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "call_id": "call_1",
            "arguments": '{"command": ["bash", "-lc", "make test"]}',
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "function_call_output",
            "call_id": "call_1",
            "output": '{"output": "boom", "metadata": {"exit_code": 2}}',
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "custom_tool_call",
            "name": "apply_patch",
            "call_id": "call_2",
            "input": "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch",
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "custom_tool_call_output",
            "call_id": "call_2",
            "output": "Exit code: 0\nOutput:\nSuccess",
        },
    },
    {"type": "compacted", "payload": {"message": "## Decisions\n- keep it simple and plain"}},
    {
        "type": "response_item",
        "payload": {"role": "assistant", "content": [{"type": "output_text", "text": "Added it."}]},
    },
)


def test_codex_takes_the_words_once_and_leaves_the_reasoning() -> None:
    read = session(*CODEX)
    assert (read.id, read.folder, read.branch, read.agent) == ("c-1", "/work", "issue-7", "codex")
    assert [said.text for said in read.said] == ["Add a limit", "Added it."]
    assert [step.failed for step in read.steps] == [True, False]
    assert read.steps[0].result is not None
    assert read.steps[0].result.text == "boom"
    assert read.summaries[0].text.startswith("## Decisions")


def test_claude_code_keeps_the_parties_apart() -> None:
    made = (
        ClaudeCode()
        .line("file-history-snapshot", snapshot={"trackedFileBackups": {"a.py": {"version": 1}}})
        .user("Fix the lock")
        .user("a note of the program", isMeta=True)
        .agent("A sub-agent speaks", isSidechain=True)
        .agent("Let me fix it.")
        .edit("lock.py")
        .edit("side.py", side=True)
        .line("system", subtype="compact_boundary")
        .user("Summary: all is well", isCompactSummary=True)
        .agent("You've hit your limit", isApiErrorMessage=True)
    )
    read = collect(read_transcript(f"{line}\n".encode() for line in made.lines))
    assert [(said.speaker, said.text) for said in read.said] == [
        (Speaker.USER, "Fix the lock"),
        (Speaker.AGENT, "Let me fix it."),
    ]
    assert [step.call.aside for step in read.steps] == [False, True]
    assert read.steps[0].before is not None
    assert read.steps[0].asked is not None
    assert read.summaries[0].text == "Summary: all is well"
    assert read.snapshots[0].paths == ("a.py",)
    assert read.branch == "feature/29-locks"


def test_a_saved_conversation_says_whose_it_is_and_keeps_what_is_internal_to_itself() -> None:
    found = session(
        {
            "agentId": "dev",
            "savedAt": "2026-03-15T23:04:23.463Z",
            "messages": [
                {"role": "user", "text": "Which?"},
                {"role": "agent", "text": "Think of the key", "internal": True},
                {"role": "agent", "text": "Plain files"},
            ],
        }
    )
    assert found.agent == "dev"
    assert [it.text for it in found.said] == ["Which?", "Plain files"]
    assert {it.at.isoformat() for it in found.said if it.at} == {"2026-03-15T23:04:23.463000+00:00"}


def test_cursor_and_plain_conversations() -> None:
    query = "<user_query>\nlist it\n</user_query>"
    cursor = session(
        {"role": "user", "message": {"content": [{"type": "text", "text": query}]}},
        {
            "role": "assistant",
            "message": {
                "content": [{"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}]
            },
        },
    )
    assert cursor.agent == "cursor"
    assert cursor.said[0].text == "list it"
    assert cursor.steps[0].call.tool == "Shell"
    messages = [
        {"role": "user", "text": "hello there"},
        {"role": "agent", "content": [{"type": "text", "text": "hi"}], "timestamp": 1709035200000},
        {"role": "system", "content": "rules"},
        7,
    ]
    for whole in (json.dumps(messages), json.dumps({"messages": messages})):
        read = collect(read_transcript([whole.encode()]))
        assert [said.text for said in read.said] == ["hello there", "hi"]
        assert len(read.unread) == 1
    assert [said.text for said in session(*messages[:2]).said] == ["hello there", "hi"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (lines(*CODEX), "codex"),
        ([b'{"type":"summary","summary":"x","leafUuid":"y"}\n'], "claude-code"),
        ([b"not json\n", b'{"type":"user","message":{}}\n'], "claude-code"),
        ([b'{"role":"user","message":{"content":[]}}\n'], "cursor"),
        ([b'{"role":"user","content":"x"}\n'], CONVERSATION_LINES),
        ([b'  [{"role":"user","content":"x"}]'], CONVERSATION),
        ([b'{\n "messages": [\n', b" ]}"], CONVERSATION),
        ([b'{"messages": []}'], CONVERSATION),
        ([b"## Decisions\n", b"- one\n"], SUMMARY),
        ([b'\xef\xbb\xbf{"messages": []}'], CONVERSATION),
        ([b'\xef\xbb\xbf{"role":"user","content":"x"}\n'], CONVERSATION_LINES),
        ([b"\n"], CONVERSATION_LINES),
        ([], CONVERSATION_LINES),
    ],
)
def test_auto_finds_the_format(head: list[bytes], expected: str) -> None:
    assert format_of(head) == expected


@pytest.mark.parametrize("head", [[b"hello"], [b'{"a": 1}\n'], [b'{"role": "a"}\n'], [b"\x00\x01"]])
def test_an_unknown_format_is_said(head: list[bytes]) -> None:
    with pytest.raises(Unreadable, match="Not a transcript") as raised:
        format_of(head)
    assert "claude-code" in raised.value.hint


@pytest.mark.parametrize(
    "whole",
    [
        '[{"role": "user", "content": "hi"}]',
        '{"messages": [{"role": "user", "content": "hi"}]}',
        '{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "yes"}',
    ],
)
def test_the_mark_of_an_encoding_before_a_transcript_is_no_part_of_it(whole: str) -> None:
    read = collect(read_transcript(f"\ufeff{whole}".encode().splitlines(keepends=True)))
    assert [said.text for said in read.said][:1] == ["hi"]
    assert not read.unread


def test_bad_lines_are_passed_and_counted() -> None:
    broken = [
        *lines({"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}}),
        b'{"type": "user", "message": \n',
        b'"a scalar"\n',
        b"17\n",
        *lines(
            {"type": "user", "message": "not an object"},
            {"type": "assistant", "message": {"content": {"type": "text", "text": "alone"}}},
            {"type": "assistant", "message": {"content": [3, None, {"type": "tool_use"}]}},
            {"type": "user", "timestamp": "yesterday", "message": {"content": "later"}},
            {"type": "of-the-future", "content": "?"},
        ),
    ]
    read = collect(read_transcript(broken))
    assert [said.text for said in read.said] == ["hi", "alone", "later"]
    assert len(read.unread) == 3
    assert read.steps[0].call.tool == ""


_KEYS = (
    *("role", "content", "type", "text", "id", "name", "input", "message", "parts", "status"),
    *("payload", "item", "subtype", "event", "$set", "messages", "toolCalls", "result", "info"),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["type", "message", "role", "content", "payload", "snapshot", "data"]),
            st.recursive(
                st.none() | st.integers() | st.sampled_from(["user", "assistant", "progress", "x"]),
                lambda inner: (
                    st.lists(inner, max_size=2)
                    | st.dictionaries(
                        st.sampled_from(_KEYS),
                        inner,
                        max_size=3,
                    )
                ),
                max_leaves=6,
            ),
            max_size=4,
        ),
        max_size=5,
    ),
    st.sampled_from(FORMATS),
)
def test_readers_take_any_records(records: list[dict[str, object]], chosen: str) -> None:
    read = collect(read_transcript(lines(*records), chosen))
    assert isinstance(read, Session)


def test_events_know_their_line_and_time() -> None:
    made = ClaudeCode().user("one").bash("ls")
    events = list(read_transcript(f"{line}\n".encode() for line in made.lines))
    told = [event for event in events if isinstance(event, Message | ToolCall | ToolResult)]
    assert [event.line for event in told] == [1, 2, 3]
    assert all(event.at is not None for event in told)
    assert not any(isinstance(event, Unread | ContextSummary) for event in events)


def test_a_session_without_an_id_takes_the_given_one() -> None:
    message = lines({"role": "user", "content": "hello"})
    assert read_session(message, session_id="given").id == "given"
    assert read_session(lines(*CODEX), session_id="given").id == "c-1"


def test_the_last_words_are_added_where_the_transcript_lags_behind() -> None:
    read = session(*CODEX)
    assert read.ending_with("Added it.") is read
    assert read.ending_with("  ") is read
    later = read.ending_with("All done.<system-reminder>x</system-reminder>")
    assert later.said[-1].text == "All done."
    assert later.said[-1].line > read.said[-1].line


def test_a_search_of_a_folder_reads_no_file() -> None:
    def searched(path: str) -> list[str]:
        return list(reads_of(ToolCall(1, "c", "Grep", arguments={"path": path})))

    assert searched("/shop/src") == []
    assert searched("/shop/src/lock.py") == ["/shop/src/lock.py"]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_older_session_of_gemini_is_one_object_on_a_line_or_over_many(
    indent: int | None,
) -> None:
    told = (("user", "Round once"), ("gemini", "Done in cart.py."))
    messages = [
        {"id": f"m{at}", "type": who, "content": text} for at, (who, text) in enumerate(told)
    ]
    whole = {"sessionId": "g-1", "projectHash": "0f", "messages": messages}
    read = read_session(
        f"{line}\n".encode() for line in json.dumps(whole, indent=indent).splitlines()
    )
    assert (read.id, read.agent) == ("g-1", "gemini-cli")
    assert [(said.line, said.text) for said in read.said] == [
        (1, "Round once"),
        (2, "Done in cart.py."),
    ]


def test_what_is_no_chat_of_a_history_has_no_lines(tmp_path: Path) -> None:
    history = tmp_path / aider.HISTORY
    history.write_text("# aider chat started at 2026-03-01 10:00:00\n\n#### Why?\n")
    assert aider.lines(tmp_path / "notes.md#2026-03-01 10:00:00") is None
    with pytest.raises(FileNotFoundError, match="no chat started at 2026-03-01 11:00:00"):
        aider.lines(tmp_path / f"{aider.HISTORY}#2026-03-01 11:00:00")
    chat = aider.lines(tmp_path / f"{aider.HISTORY}#2026-03-01 10:00:00")
    assert chat is not None
    with chat as told:
        assert list(told)[-1] == b"#### Why?\n"


def test_a_file_that_is_no_json_is_told_by_its_first_line() -> None:
    (unread,) = cline.read([b"{"])
    assert isinstance(unread, Unread)
    assert unread.line == 1 and unread.reason.startswith("not JSON: ")


def test_messages_without_an_id_are_each_told() -> None:
    said = ({"type": "user", "content": "Round once"}, {"type": "gemini", "content": "Done."})
    lines = [json.dumps({"$set": {"messages": said}}).encode()] * 2
    told = [it.text for it in gemini_cli.read(lines) if isinstance(it, Message)]
    assert told == ["Round once", "Done."] * 2


def test_an_agent_goes_on_after_what_it_said_in_the_line_of_a_call() -> None:
    said, call = Message(1, Speaker.AGENT, "I look."), ToolCall(1, "t", "bash")
    told = [(it, it.said[0]) for it in (collect([said, call]), collect([call, said]))]
    assert [it.went_on_after(message) for it, message in told] == [True, False]
